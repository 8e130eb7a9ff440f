// Backup and restore as in docs/operate/backup.md: of a frozen service, and of a running one, whose copy is damaged.
import { cpSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePortFlags } from '../support/free-port-flags.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';

const AIRCRAFT = 50;
const WAIT_MS_MAX = 120_000;
const folder = temporaryFolder();
const data = join(folder.path, 'data');
const copies = {
  frozen: join(folder.path, 'frozen'),
  mixed: join(folder.path, 'mixed'),
};

/** Copies as `cp -a` does, without sockets, which `cpSync` cannot copy. */
const copy = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: (path) => !lstatSync(path).isSocket() });

async function messagesOf(service: RunningService): Promise<number> {
  const { messages: count } = (await (await service.get('/v2/stats')).json()) as { messages: number };
  return count;
}

/** Waits until the service has counted more messages than `count`. */
async function moreThan(service: RunningService, count: number): Promise<number> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const found = await messagesOf(service);
    if (found > count) return found;
    if (Date.now() > deadline) throw new Error(`${found} messages: ${service.output()}`);
    await sleep(100);
  }
}

/** Audits the copy; returns the number of frames compared. */
async function auditedFrames(dataDir: string): Promise<number> {
  const check = await squitter(['log', 'check', '--data', dataDir]);
  expect([check.code, check.stdout], check.stderr).toEqual([0, expect.stringMatching(/^log: whole: /m)]);
  const audit = await squitter(['audit', '--data', dataDir]);
  expect(audit.code, audit.stdout + audit.stderr).toBe(0);
  return Number(/^audit: equal: (\d+) frames/m.exec(audit.stdout)?.[1]);
}

/** Starts on a copy, and stops when it has counted more messages than the copy has frames: some of them are new. */
async function goesOn(dataDir: string, frames: number): Promise<void> {
  const service = await startService(dataDir, ['--simulate', String(AIRCRAFT)]);
  await moreThan(service, frames);
  expect(await service.stop(), service.output()).toBe(0);
  expect(await auditedFrames(dataDir)).toBeGreaterThan(frames);
}

beforeAll(async () => {
  const service = await startService(data, ['--simulate', String(AIRCRAFT)]);
  const frozen = await moreThan(service, 500);
  // No process of the service writes while the files are copied, as the page demands.
  service.child.kill('SIGSTOP');
  copy(data, copies.frozen);
  // The first part of a copy of a running service: its parts are of different times.
  mkdirSync(join(copies.mixed, 'log'), { recursive: true });
  copy(join(data, 'log/segments'), join(copies.mixed, 'log/segments'));
  service.child.kill('SIGCONT');
  await moreThan(service, frozen + 500);
  await sleep(1000);
  copy(join(data, 'log/index'), join(copies.mixed, 'log/index'));
  copy(join(data, 'log/log.json'), join(copies.mixed, 'log/log.json'));
  const inUse = await squitter(['start', '--data', copies.frozen, ...freePortFlags]);
  expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining('[log.in_use]')]);
  expect(await service.stop(), service.output()).toBe(0);
});
afterAll(folder.remove);

describe('a data folder', () => {
  it('copied while the service is frozen can be restored, and continues', async () => {
    await goesOn(copies.frozen, await auditedFrames(copies.frozen));
  });

  it('copied file by file while the service writes is refused, and repair keeps the intact data', async () => {
    const check = await squitter(['log', 'check', '--data', copies.mixed]);
    expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(/^log: damaged: /m)]);
    const audit = await squitter(['audit', '--data', copies.mixed]);
    expect([audit.code, audit.stderr]).toEqual([1, expect.stringMatching(/\[log\.damaged\]$/m)]);
    const repair = await squitter(['log', 'repair', '--data', copies.mixed]);
    expect(repair.code, repair.stderr).toBe(0);
    // The log knows its secret.
    const without = await squitter(['start', '--data', copies.mixed, ...freePortFlags, '--no-simulation']);
    expect([without.code, without.stderr]).toEqual([1, expect.stringMatching(/\[secret\.differs\]$/m)]);
    copy(join(data, 'secret'), join(copies.mixed, 'secret'));
    const service = await startService(copies.mixed, ['--no-simulation']);
    expect(await service.stop(), service.output()).toBe(0);
    expect(await auditedFrames(copies.mixed)).toBeGreaterThan(0);
  });
});
