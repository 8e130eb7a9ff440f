// Parts of the runner that need no Kafka: balancer, watch, supervision, parsing of metrics, the plan of the processes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { problemsOf, services } from '../../infra/cluster/configuration.ts';
import { endpoint, type OptionTable, readOptions } from '../../pipeline/runtime/options.ts';
import type { HistoryAddress } from '../../pipeline/store/client.ts';
import { until } from '../support/until.ts';
import { startBalancer } from './balancer.ts';
import { isFolded } from './folded.ts';
import { startLocalHistory } from './local-history.ts';
import { type Member, type MemberCounts, planMembers, portCount, withoutHistory } from './members.ts';
import { largestOf, parseMetrics, sumOf } from './metrics-page.ts';
import { Supervised } from './supervised.ts';
import { Watch } from './watch.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('the balancer', () => {
  async function backend(name: string): Promise<{ server: Server; port: number }> {
    const server = createServer((_, response) => response.setHeader('connection', 'close').end(name));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    return { server, port: (server.address() as { port: number }).port };
  }

  it('rotates among ready backends, and takes the next one if one does not respond', async () => {
    const [a, b, c] = [await backend('a'), await backend('b'), await backend('c')];
    const backends = [a, b, c].map(({ port }) => ({ address: endpoint('127.0.0.1', port), ready: true }));
    const balancer = await startBalancer(endpoint('127.0.0.1', 0), backends);
    cleanups.push(balancer.close);
    const ask = async (count: number) => {
      const responses: string[] = [];
      for (let i = 0; i < count; i += 1) responses.push(await (await fetch(`http://${balancer.address}/`)).text());
      return responses.sort().join('');
    };
    expect(await ask(6)).toBe('aabbcc');
    backends[2]!.ready = false;
    expect(await ask(4)).toBe('aabb');
    b.server.close();
    expect(await ask(2)).toBe('aa');
  });
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
    expect(watch.picture()).toMatchObject({ ready: { fold: 0 }, asked: { fold: 3 }, lagRecords: 6 });
    late.reasons = [];
    // A process that was ready once has started, whatever its state is now.
    await watch.until('one', ({ ready: { fold } }) => fold === 1, 5000);
    await watch.started(({ name }) => name === 'b', 5000);
  });
});

describe('supervision', () => {
  it('restarts a process that ends, and stops it for good on request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'squitter-supervised-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const said: string[] = [];
    const logFile = join(folder, 'log');
    const command = join(folder, 'program.mjs');
    const code = "process.on('SIGTERM', () => process.exit(0)); console.log('up'); setInterval(() => {}, 1000);";
    writeFileSync(command, `#!/usr/bin/env node\n${code}`, { mode: 0o700 });
    const supervised = new Supervised({ name: 'it', command, flags: [], env: process.env, logFile, say: (text) => said.push(text) });
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
    expect(said.join('\n')).toMatch(/as requested.*\n.*SIGKILL; restart in/);
    expect(await supervised.stop()).toBe(0);
    expect(await supervised.stop()).toBe(0);
  });
});

describe('the frames are folded', () => {
  const folds = (...offsets: [partition: number, next: number][]) =>
    parseMetrics(offsets.map(([partition, next]) => `squitter_fold_next_offset{partition="${partition}"} ${next}`).join('\n'));

  it('if each partition has one fold that has reached its end', () => {
    expect(isFolded(folds([0, 5], [1, 7]), [5, 7])).toBe(true);
    expect(isFolded(folds([0, 5], [1, 6]), [5, 7])).toBe(false);
    expect(isFolded(folds([0, 5]), [5, 7])).toBe(false);
    expect(isFolded(folds([0, 5], [0, 5], [1, 7]), [5, 7])).toBe(false);
  });
});

describe('metrics', () => {
  const page = ['# HELP a Things', 'a_total{partition="0"} 3', 'a_total{partition="1",other="x y"} 4.5', 'b 1e3', 'nothing'].join('\n');

  it('are read with their labels', () => {
    const samples = parseMetrics(page);
    expect(samples).toHaveLength(3);
    expect(samples[1]).toEqual({ name: 'a_total', labels: { partition: '1', other: 'x y' }, value: 4.5 });
    expect([sumOf(samples, 'a_total'), largestOf(samples, 'a_total'), sumOf(samples, 'b'), sumOf(samples, 'c')]).toEqual([
      7.5, 4.5, 1000, 0,
    ]);
  });
});

describe('the processes of a local cluster', () => {
  const counts = { ingests: 2, folds: 3, flights: 1, projects: 1, exports: 1, queryApis: 2, pushes: 2 };
  const history = { url: 'http://c', user: 'u', password: 'hidden', database: 'd' };
  const surroundings = {
    ...{ brokers: ['b:1'], registry: 'http://r', redis: 'redis://x', bulkDir: '/bulk', secretFile: '/secret', pushSecret: 'x'.repeat(16) },
    ...{ http: '127.0.0.1:8080', simulated: true },
  };
  const plan = (wanted: MemberCounts, store: HistoryAddress | null): readonly Member[] => {
    const ports = Array.from({ length: portCount(wanted) }, (_, i) => 20_000 + i);
    const members = planMembers(wanted, { ...surroundings, history: store }, ports);
    const listening = ['--http', '--listen', '--push', '--grpc'];
    const addresses = members.flatMap(({ flags }) => flags.filter((_, i) => listening.includes(flags[i - 1]!)));
    expect([addresses.length, new Set(addresses).size]).toEqual([ports.length, ports.length]);
    return members;
  };

  it('have addresses of their own', () => {
    const members = plan(counts, history);
    const upstreams = members.map(({ flags }) => flags.filter((_, i) => flags[i - 1] === '--push-upstream'));
    expect(upstreams[8]).toEqual(members.slice(-2).map(({ push }) => String(push)));
    expect(members.map(({ name }) => name)).toEqual([
      ...['ingest-1', 'ingest-2', 'fold-1', 'fold-2', 'fold-3', 'flights-1', 'project-1', 'export-1'],
      ...['query-api-1', 'query-api-2', 'push-1', 'push-2'],
    ]);
  });

  it('have flags that their services take, and secrets in their environment', () => {
    for (const { service, flags, env } of plan(counts, history)) {
      const { problems, options, words } = readOptions(services[service].options as OptionTable, flags.slice(2), env);
      expect([service, ...problems, ...problemsOf(options), ...words]).toEqual([service]);
      const usesStore = service === 'project' || service === 'export' || service === 'query-api';
      expect([service, flags.includes('--clickhouse'), env['SQUITTER_CLICKHOUSE_PASSWORD']]).toEqual([
        ...[service, usesStore, usesStore ? 'hidden' : undefined],
      ]);
      expect(flags.join(' ')).not.toContain('hidden');
    }
  });

  it('are without project stages and the export service where there is no history', () => {
    const names = plan(withoutHistory(counts), null).map(({ service }) => service);
    expect(new Set(names)).toEqual(new Set(['ingest', 'fold', 'flights', 'query-api', 'push']));
  });
});

describe('the history of a local cluster', () => {
  it('is in the server that is named, or there is none, which is said', async () => {
    const said: string[] = [];
    const options = { dataDir: '/nowhere', say: (text: string) => void said.push(text) };
    const server = { url: 'http://c', user: 'u', password: 'p', database: 'd' };
    expect(await startLocalHistory(server, options, [])).toEqual({ address: server, pid: null });
    expect(said).toEqual([]);
    expect(await startLocalHistory(null, options, [])).toEqual({ address: null, pid: null });
    expect(said).toEqual(['no history (--no-history): neither a project stage nor the export service runs']);
  });
});
