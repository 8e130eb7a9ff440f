// A fold on a log that the version before it wrote: it continues at the committed offset from the old state, stores the state from which it
// begins, and survives a crash on the way. An audit proves its output and lists what it cannot compare. The log of a newer version is
// refused, and so is one from before 0.1.0.
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionName, versionStarts } from '../../pipeline/fold/snapshot-store.ts';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { startFoldWorker } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { framePartition } from '../../pipeline/ingest/partition.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import type { Audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import { topics } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { START_US } from '../properties/traffic.ts';
import { auditOf, emptyLog, expectEqual, FOLD, foldToEnd } from '../support/folded-log.ts';
import { projectDir } from '../support/requirements.ts';

const MODULES = { worker: 'pipeline/fold/worker.ts', audit: 'pipeline/tools/audit/audit.ts', past: 'pipeline/past/partition-past.ts' };

/** The fold of the next version: this code, with the version that follows. It takes over what this version wrote, as after an upgrade. */
async function nextFold() {
  const folder = mkdtempSync(join(projectDir, 'dist/next-fold-'));
  const bundle = await rolldown({
    cwd: projectDir,
    input: MODULES,
    platform: 'node',
    external: /^[a-z@]/,
    plugins: [
      {
        name: 'next-version',
        // Classes of the log and of errors stay those of the test.
        resolveId(source: string, importer?: string) {
          if (importer === undefined || !source.startsWith('.')) return null;
          const file = relative(projectDir, resolve(dirname(importer), source));
          if (/^pipeline\/(fold|tools|past)\//.test(file)) return null;
          return { id: pathToFileURL(join(projectDir, 'dist/modules', file.replace(/\.ts$/, '.js'))).href, external: true };
        },
        transform: {
          filter: { id: /pipeline\/fold\/version\.ts$/ },
          handler: (code: string) => code.replace(`FOLD_VERSION = ${FOLD_VERSION}`, `FOLD_VERSION = ${FOLD_VERSION + 1}`),
        },
      },
    ],
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
  const load = (name: keyof typeof MODULES): Promise<unknown> => import(join(folder, `${name}.js`));
  return {
    version: FOLD_VERSION + 1,
    ...((await load('worker')) as typeof import('../../pipeline/fold/worker.ts')),
    ...((await load('audit')) as typeof import('../../pipeline/tools/audit/audit.ts')),
    ...((await load('past')) as typeof import('../../pipeline/past/partition-past.ts')),
    remove: (): void => rmSync(folder, { recursive: true, force: true }),
  };
}

const PARTITIONS = [0, 1];
const frames = simulatedFrames(8, 185);
/** The old version stops in this second. */
const STOPPED_S = 124.4;
const STOPPED_MS = 1_700_000_124_000;

let next: Awaited<ReturnType<typeof nextFold>>;
beforeAll(async () => {
  next = await nextFold();
});
afterAll(() => next.remove());
async function append({ log, codecs }: OpenData, fromS: number, toS: number): Promise<void> {
  for (const partition of PARTITIONS) {
    const own = frames.filter(
      ({ timeUs, bytes }) =>
        timeUs >= START_US + fromS * 1e6 &&
        timeUs < START_US + toS * 1e6 &&
        framePartition(bytes, 0, bytes.length === 7 ? 7 : 14, 2) === partition,
    );
    await log.append('frames', partition, frameRecords(codecs, batches(own, 20)));
  }
}

/** A log that the old version wrote and crashed on: its newest snapshot is older than its newest tick. */
async function oldLog(): Promise<OpenData> {
  const data = await emptyLog();
  await append(data, 0, 100);
  await foldToEnd(data);
  await append(data, 100, STOPPED_S);
  await foldToEnd(data, { crash: true });
  return data;
}

const foldOn = (data: OpenData, commitsMax?: number) =>
  foldToEnd(data, { start: next.startFoldWorker, ...(commitsMax === undefined ? {} : { commitsMax }) });
const auditNext = (data: OpenData, fromMs: number | null = null): Promise<Audit> => auditOf(data, { by: next.audit, fromMs });

describe('a log of the version before', () => {
  it('continues at the committed offset from the old state, and every aircraft is written again at the first tick', async () => {
    const data = await oldLog();
    const { log, codecs } = data;
    const stats = await foldOn(data);
    expect(stats).toMatchObject({ takeOvers: 2, unreadableSnapshots: 0 });
    // The old snapshot was used: the log was not replayed in full.
    expect(stats.replayedRecords).toBeGreaterThan(0);
    expect(stats.replayedRecords).toBeLessThan((await log.bounds('frames', 0)).next);
    await append(data, STOPPED_S, 185);
    await foldOn(data);
    expect((await foldOn(data)).takeOvers).toBe(0);
    for (const partition of PARTITIONS) {
      const aircraft = await readAll(log, whole('aircraft', partition));
      const keys = (isNew: boolean) =>
        new Set(aircraft.filter(({ timestampMs }) => timestampMs > STOPPED_MS === isNew).map(({ key }) => key));
      expect([...keys(true)].sort()).toEqual([...keys(false)].sort());
      for (const { value, timestampMs } of await readAll(log, whole('progress', partition)))
        expect(codecs.FoldProgress.decode(value!).foldVersion).toBe(timestampMs <= STOPPED_MS ? FOLD_VERSION : next.version);
    }
  });

  it('is audited from the start of the new version; what the old one wrote is counted and reported as not compared', async () => {
    const data = await oldLog();
    expect(auditReport(await auditNext(data))).toContain(`frame records not compared: written by fold version ${FOLD_VERSION}`);
    await append(data, STOPPED_S, 185);
    await foldOn(data);
    const result = await auditNext(data);
    expectEqual(result);
    for (const partition of result.partitions) {
      expect(partition.notCompared).toMatchObject({ versions: [FOLD_VERSION], frameRecords: partition.fromOffset });
      for (const topic of partition.topics) expect(Math.min(topic.expected, topic.others), topic.topic).toBeGreaterThan(40);
    }
    // A wrong output of the new version differs.
    await data.log.append('positions', 0, (await readAll(data.log, whole('positions'))).slice(-1));
    expect(differencesOf(await auditNext(data))).toBe(1);
  });

  it('gives moments of the new version, and says of those before which version gave them; an audit begins at its first snapshot', async () => {
    const data = await oldLog();
    await append(data, STOPPED_S, 185);
    const refused = { code: 'api.moment_of_other_version', details: { found: FOLD_VERSION, own: next.version } };
    await expect(new next.PartitionPast(data.log, data.codecs, 0).at(STOPPED_MS - 5000)).rejects.toMatchObject(refused);
    await foldOn(data);
    for (const partition of PARTITIONS) {
      const past = new next.PartitionPast(data.log, data.codecs, partition);
      for (const atMs of [STOPPED_MS - 60_000, STOPPED_MS - 1000]) await expect(past.at(atMs)).rejects.toMatchObject(refused);
      const { tickMs, ends } = await past.at(STOPPED_MS + 40_000);
      expect([tickMs, ends.length > 0]).toEqual([STOPPED_MS + 40_000, true]);
    }
    // It counts what it cannot compare in the stretch before; behind it, it compares from a snapshot on.
    for (const [fromMs, versions] of [
      [STOPPED_MS - 60_000, [FOLD_VERSION]],
      [STOPPED_MS + 50_000, undefined],
    ] as const) {
      const result = await auditNext(data, fromMs);
      expectEqual(result);
      expect(result.partitions.map(({ notCompared }) => notCompared?.versions)).toEqual([versions, versions]);
      expect(result.partitions.every(({ frames }) => frames > 0)).toBe(true);
    }
  });

  it('begins behind frames that retention deleted before the upgrade, and an audit proves its output', async () => {
    const data = await oldLog();
    await data.log.maintain(Date.now() + 2 * topics.frames.retentionMs);
    const deletedTo = await Promise.all(PARTITIONS.map(async (partition) => (await data.log.bounds('frames', partition)).earliest));
    await append(data, STOPPED_S, 185);
    const gaps: number[] = [];
    const { takeOvers } = await foldToEnd(data, { start: next.startFoldWorker, onGap: ({ earliest }) => gaps.push(earliest) });
    expect([takeOvers, gaps.sort()]).toEqual([2, [...deletedTo].sort()]);
    const result = await auditNext(data);
    expectEqual(result);
    expect(result.partitions.map(({ fromOffset }) => fromOffset)).toEqual(deletedTo);
  });

  it('gives the same records whenever the new fold dies, and stores the state from which it began once', async () => {
    const digests = (result: Audit) => result.partitions.map(({ topics }) => topics.map(({ storedSha256 }) => storedSha256));
    let expected: ReturnType<typeof digests> | null = null;
    // Never, before the initial state is stored, between the two partitions, before the first records, and between those of the partitions.
    for (const died of [null, 0, 1, 2, 3]) {
      const data = await oldLog();
      await append(data, STOPPED_S, 185);
      if (died !== null) await expect(foldOn(data, died)).rejects.toThrow('crashed');
      await foldOn(data);
      const result = await auditNext(data);
      expectEqual(result);
      expected ??= digests(result);
      expect(digests(result), `died at commit ${died}`).toEqual(expected);
      await data.log.maintain(Date.now());
      const starts = await versionStarts(data.log, 0);
      expect(starts.map(({ name, versionBefore }) => [name, versionBefore])).toEqual([[versionName(next.version, 0), FOLD_VERSION]]);
    }
  });
});

it.each([
  ['a newer version', 'fold.newer_version', (): number => next.version],
  ['before 0.1.0', 'log.older_format', (): number => 4],
] as const)('topics of %s are refused, by the fold and by an audit', async (_, code, version) => {
  const data = await oldLog();
  const { codecs } = data;
  const newest = (await readAll(data.log, whole('progress'))).at(-1)!;
  const value = codecs.FoldProgress.encode({ ...codecs.FoldProgress.decode(newest.value!), foldVersion: version() });
  await data.log.append('progress', 0, [{ ...newest, value }]);
  await expect((await startFoldWorker({ ...data, fold: FOLD })).member.done).rejects.toMatchObject({ code });
  await expect(auditOf(data)).rejects.toMatchObject({ code });
});
