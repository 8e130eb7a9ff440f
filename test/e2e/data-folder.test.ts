// A data folder: backup and restore as in docs/operate/backup.md, of a frozen service and of a running one, whose copy is damaged; and damaged records, which
// a running service lives through and `log repair` ends. A damaged index: test/contract/log-repair.test.ts.
import { cpSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressPartition } from '../../pipeline/ingest/partition.ts';
import { scanSegment } from '../../pipeline/log/lmdb/scan.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { type TopicId, topicIds, topics } from '../../schemas/topics.ts';
import {
  freePortFlags,
  type RunningService,
  ServiceProgram,
  squitter,
  squitterBin,
  startService,
  TestProgram,
  temporaryFolder,
} from '../support/service.ts';
import { until } from '../support/until.ts';

const SIMULATED = ['--simulate', '50'];
const KILLS = 4;
/** Longer than a change takes on an idle machine. */
const CHANGE_MS = 3000;
const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? (Date.now() % 1_000_000) + 1);
const folder = temporaryFolder();
const data = join(folder.path, 'data');
const frozen = join(folder.path, 'frozen');
const mixed = join(folder.path, 'mixed');

/** Copies as `cp -a` does, without sockets, which `cpSync` cannot copy. */
const copy = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: (path) => !lstatSync(path).isSocket() });

/** Waits until the service has counted more messages than `count`. */
const moreThan = (service: RunningService, count: number): Promise<number> =>
  until(async () => {
    const { messages } = await service.json<{ messages: number }>('/v2/stats');
    return messages > count && messages;
  }, `more than ${count} messages`);

/** Audits the copy; returns the number of frames compared. */
async function auditedFrames(dataDir: string): Promise<number> {
  const check = await squitter(['log', 'check', '--data', dataDir]);
  expect([check.code, check.stdout], check.stderr).toEqual([0, expect.stringMatching(/^log: whole: /m)]);
  const audit = await squitter(['audit', '--data', dataDir]);
  expect(audit.code, audit.stdout + audit.stderr).toBe(0);
  return Number(/^audit: equal: (\d+) frames/m.exec(audit.stdout)?.[1]);
}

beforeAll(async () => {
  const service = await startService(data, SIMULATED);
  const before = await moreThan(service, 500);
  // No process of the service writes while the files are copied, as the page demands.
  service.freeze();
  copy(data, frozen);
  // The first part of a copy of a running service: its parts are of different times.
  mkdirSync(join(mixed, 'log'), { recursive: true });
  copy(join(data, 'log/segments'), join(mixed, 'log/segments'));
  service.thaw();
  await moreThan(service, before + 500);
  await sleep(1000);
  copy(join(data, 'log/index'), join(mixed, 'log/index'));
  copy(join(data, 'log/log.json'), join(mixed, 'log/log.json'));
  const inUse = await squitter(['start', '--data', frozen, ...freePortFlags]);
  expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining('[log.in_use]')]);
  const change = await squitter(['log', 'partitions', '3', '--data', data]);
  expect([change.code, change.stderr]).toEqual([1, expect.stringContaining('[log.in_use]')]);
  expect(await service.stop(), service.output()).toBe(0);
});
afterAll(folder.remove);

describe('a data folder', () => {
  it('copied while the service is frozen can be restored, and continues', async () => {
    const frames = await auditedFrames(frozen);
    const service = await startService(frozen, SIMULATED);
    // More than the copy has: some of them are new.
    await moreThan(service, frames);
    expect(await service.stop(), service.output()).toBe(0);
    expect(await auditedFrames(frozen)).toBeGreaterThan(frames);
  });

  it(`has its old log or the new one when a change of its partitions is killed at any moment, and continues with it (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    const frames = await auditedFrames(frozen);
    const change = ['log', 'partitions', '3', '--data', frozen];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const changing = new TestProgram([process.execPath, squitterBin, ...change]);
      await sleep(random.between(0, CHANGE_MS));
      await changing.kill();
      expect(await auditedFrames(frozen)).toBe(frames);
    }
    const whole = await squitter(change);
    expect([whole.code, whole.stdout], whole.stderr).toEqual([0, expect.stringMatching(/^log: 3 partitions (instead of 2: |as before)/)]);
    expect(await auditedFrames(frozen)).toBe(frames);
    const service = await startService(frozen, [...SIMULATED, '--fold-threads', '5']);
    expect(service.output()).toContain('`squitter log partitions 5` changes that');
    await moreThan(service, frames);
    expect(await service.metric('squitter_fold_partitions')).toBe(3);
    expect(await service.stop(), service.output()).toBe(0);
    expect(await auditedFrames(frozen)).toBeGreaterThan(frames);
  });

  it('copied file by file while the service writes is refused, and repair keeps the intact data', async () => {
    const check = await squitter(['log', 'check', '--data', mixed]);
    expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(/^log: damaged: /m)]);
    const audit = await squitter(['audit', '--data', mixed]);
    expect([audit.code, audit.stderr]).toEqual([1, expect.stringMatching(/\[log\.damaged\]$/m)]);
    const repair = await squitter(['log', 'repair', '--data', mixed]);
    expect(repair.code, repair.stderr).toBe(0);
    // The log knows its secret.
    const without = await squitter(['start', '--data', mixed, ...freePortFlags, '--no-simulation']);
    expect([without.code, without.stderr]).toEqual([1, expect.stringMatching(/\[secret\.differs\]$/m)]);
    copy(join(data, 'secret'), join(mixed, 'secret'));
    const service = await startService(mixed, ['--no-simulation']);
    expect(await service.stop(), service.output()).toBe(0);
    expect(await auditedFrames(mixed)).toBeGreaterThan(0);
  });

  it('damaged inside its segments: what needs the records waits, the rest continues, and `log repair` ends it', async () => {
    const [sound, harmed] = [0, 1];
    for (const topic of topicIds) harm(topic, harmed);
    const command = [process.execPath, squitterBin, 'start', '--data', data, ...SIMULATED, '--no-history', ...freePortFlags];
    // It does not become ready.
    const service = new ServiceProgram(command);
    await service.match(/^Squitter starts at /m);
    // The fold of the other partition continues, and its aircraft are listed.
    const isSound = (hex: string): boolean => addressPartition(Number.parseInt(hex, 16), 2) === sound;
    await until(async () => {
      const { ac = [] } = await service.json<{ ac?: { hex: string; seen: number }[] }>('/v2/all');
      const live = ac.filter(({ hex, seen }) => seen < 5 && !hex.startsWith('~'));
      return live.length > 0 && live.every(({ hex }) => isSound(hex));
    }, 'the aircraft that are live are those of the intact partition');
    const notReady = await service.get('/readyz');
    expect([notReady.status, await notReady.text()]).toEqual([
      503,
      expect.stringMatching(/the log is damaged: \w+\/\d offsets? \d[^"]*, and \d+ more: .*run `squitter log repair`/),
    ]);
    expect(await service.metric('squitter_log_damage_total', { kind: 'batch' })).toBeGreaterThan(0);
    expect(await service.stop(), service.output()).toBe(0);
    expect(service.output()).not.toMatch(/\n\s+at .+:\d+:\d+/);

    const run = (...args: string[]) => squitter([...args, '--data', data]);
    const audit = await run('audit');
    expect([audit.code, audit.stderr]).toEqual([
      1,
      expect.stringMatching(/^squitter: the log .* is damaged: \w+\/\d offset.*\[log\.damaged\]$/m),
    ]);
    expect((await run('log', 'repair')).code).toBe(0);
    expect((await run('log', 'check')).stdout).toMatch(/^log: whole: /m);
  });
});

/** Overwrites a part of a segment with zeros. Snapshots are always harmed, which holds the fold. Other damage: test/contract/log-repair.test.ts. */
function harm(topic: TopicId, partition: number): void {
  const log = join(data, 'log');
  const file = segmentFilesIn(log).find((each) => {
    const head = scanSegment(log, each).head;
    return head?.topic === topic && (head.partition === partition || topics[topic].partitions !== 'frames') && each.bytes > 400;
  });
  if (file === undefined) return;
  const path = join(log, 'segments', file.name);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, Math.floor(bytes.length / 2), Math.min(bytes.length, Math.floor(bytes.length / 2) + 5000)));
}
