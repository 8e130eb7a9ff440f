// Parts of the runner that need no Kafka: watch and supervision. test/cluster/cluster-command.test.ts has the rest.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endpoint } from '../../pipeline/runtime/options.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { Supervised } from './supervised.ts';
import { Watch } from './watch.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('the watch', () => {
  /** A member whose readiness is that of `body`; null: it never responds. */
  async function member(name: string, body: { reasons: readonly string[] | null }) {
    const server = createServer(({ url }, response) => {
      const { reasons } = body;
      if (reasons === null) return;
      if (url === '/metrics') response.end('squitter_fold_lag_records 3\n');
      else response.writeHead(reasons.length === 0 ? 200 : 503).end(JSON.stringify({ reasons }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    return { name, service: 'fold' as const, http: endpoint('127.0.0.1', (server.address() as { port: number }).port) };
  }

  it('says which processes are not ready, and why, and waits anew with each that becomes ready', async () => {
    const slow: { reasons: readonly string[] } = { reasons: ['it restores partition 3'] };
    const late: { reasons: readonly string[] } = { reasons: ['it restores partition 4'] };
    const ready = new Map<string, boolean>();
    const members = [await member('a', slow), await member('b', late), await member('frozen', { reasons: null })];
    const watch = new Watch(members, ({ name }, isReady) => ready.set(name, isReady));
    cleanups.push(() => watch.close());
    const startMs = performance.now();
    const waiting = watch.started(() => true, 3000);
    await until(() => ready.get('a') === false);
    const readyMs = performance.now() - startMs;
    slow.reasons = [];
    await until(() => ready.get('a') === true);
    slow.reasons = ['it is 6 s behind'];
    await expect(waiting).rejects.toThrow(
      'readiness of all processes was not reached within 3 s; not ready: b: it restores partition 4; frozen: no response',
    );
    expect(performance.now() - startMs).toBeGreaterThan(readyMs + 3000);
    // One that does not respond delays no other.
    expect(watch.picture()).toMatchObject({ ready: { fold: 0 }, members: { fold: 3 }, lagRecords: 6 });
    late.reasons = [];
    // A process that was ready once has started, whatever its state is now.
    await watch.until('one', ({ ready: { fold } }) => fold === 1, 5000);
    await watch.started(({ name }) => name === 'b', 5000);
  });
});

describe('supervision', () => {
  it('restarts a process that ends, and stops it for good on request', async () => {
    const { path: folder, remove } = temporaryFolder();
    cleanups.push(remove);
    const printed: string[] = [];
    const logFile = join(folder, 'log');
    const command = join(folder, 'program.mjs');
    const code = "process.on('SIGTERM', () => process.exit(0)); console.log('up'); setInterval(() => {}, 1000);";
    writeFileSync(command, `#!/usr/bin/env node\n${code}`, { mode: 0o700 });
    const supervised = new Supervised({ name: 'it', command, flags: [], env: process.env, logFile, print: (text) => printed.push(text) });
    const ups = (): number => readFileSync(logFile, 'utf8').split('up').length - 1;
    await until(() => supervised.pid !== null && ups() === 1);
    const first = supervised.pid;
    await supervised.kill();
    await until(() => supervised.pid !== null && ups() === 2);
    expect(supervised.pid).not.toBe(first);
    expect([supervised.restarts, supervised.failures]).toEqual([1, 0]);
    process.kill(supervised.pid!, 'SIGKILL');
    await until(() => ups() === 3);
    expect([supervised.restarts, supervised.failures]).toEqual([2, 1]);
    expect(printed.join('\n')).toMatch(/as requested.*\n.*SIGKILL; restart in/);
    expect(await supervised.stop()).toBe(0);
    expect(await supervised.stop()).toBe(0);
  });
});
