// A fold on a log that the version before it wrote: it continues at the committed offset from the old state, stores the state from which it
// begins, and survives a crash on the way. An audit proves its output and lists what it cannot compare. The log of a newer version is
// refused, and so is one from before 0.1.0.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { versionName, versionStarts } from '../../pipeline/fold/snapshot-store.ts';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { type FoldWorker, startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { framePartition } from '../../pipeline/ingest/partition.ts';
import type { StoredRecord } from '../../pipeline/log/event-log.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { type Audit, audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { nextFold } from '../support/next-fold.ts';
import { temporaryFolder } from '../support/service.ts';

const FOLD = { tickMs: TICK_MS, receiver: null };
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
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function append({ log, codecs }: OpenData, fromS: number, toS: number): Promise<void> {
  for (const partition of PARTITIONS) {
    const own = frames.filter(
      ({ timeUs, bytes }) =>
        timeUs >= fromS * 1e6 && timeUs < toS * 1e6 && framePartition(bytes, 0, bytes.length === 7 ? 7 : 14, 2) === partition,
    );
    await log.append('frames', partition, frameRecords(codecs, batches(own, 20)));
  }
}

/** Folds to the end. It dies at the first commit that `mayCommit` forbids, by its number; `crash` ends without the commit of a clean stop. */
async function foldToEnd(
  { log, codecs }: OpenData,
  start = startFoldWorker,
  { mayCommit = (_: number): boolean => true, crash = false } = {},
): Promise<FoldWorker> {
  let commits = 0;
  let isCrashed = false;
  const mortal: typeof log = new Proxy(log, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'join') return target.join.bind(mortal);
      if (name === 'commit' && (isCrashed || !mayCommit(commits++))) return () => Promise.reject(new Error('killed'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const worker = await start({ log: mortal, codecs, fold: FOLD });
  for (const partition of PARTITIONS) {
    const { next: end } = await log.bounds('frames', partition);
    while ((worker.stats.nextOffsets.get(partition) ?? 0) < end)
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), worker.member.done]);
  }
  isCrashed = crash;
  await worker.member.leave();
  await worker.member.done.catch((error: Error) => expect([crash, error.message]).toEqual([true, 'killed']));
  return worker;
}

/** A log that the old version wrote and crashed on: its newest snapshot is older than its newest tick. */
async function oldLog(): Promise<OpenData> {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const data = await openData(folder.path, 'write');
  cleanups.push(() => data.log.close());
  await append(data, 0, 100);
  await foldToEnd(data);
  await append(data, 100, STOPPED_S);
  await foldToEnd(data, startFoldWorker, { crash: true });
  return data;
}

async function recordsOf({ log }: OpenData, topic: TopicId, partition: number): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
    for (const record of records) found.push({ ...record, value: record.value && Buffer.from(record.value) });
  return found;
}

const auditOf = ({ log, codecs }: OpenData, by = next.audit, fromMs: number | null = null): Promise<Audit> =>
  by({ log, codecs, fold: FOLD, fromMs, onProgress: () => {}, signal: new AbortController().signal });

describe('a log of the version before', () => {
  it('continues at the committed offset from the old state, and every aircraft is written again at the first tick', async () => {
    const data = await oldLog();
    const { log, codecs } = data;
    const { stats } = await foldToEnd(data, next.startFoldWorker);
    expect(stats).toMatchObject({ takeOvers: 2, unreadableSnapshots: 0 });
    // The old snapshot was used: the log was not replayed in full.
    expect(stats.replayedRecords).toBeGreaterThan(0);
    expect(stats.replayedRecords).toBeLessThan((await log.bounds('frames', 0)).next);
    await append(data, STOPPED_S, 185);
    await foldToEnd(data, next.startFoldWorker);
    expect((await foldToEnd(data, next.startFoldWorker)).stats.takeOvers).toBe(0);
    for (const partition of PARTITIONS) {
      const aircraft = await recordsOf(data, 'aircraft', partition);
      const keys = (isNew: boolean) =>
        new Set(aircraft.filter(({ timestampMs }) => timestampMs > STOPPED_MS === isNew).map(({ key }) => key));
      expect([...keys(true)].sort()).toEqual([...keys(false)].sort());
      for (const { value, timestampMs } of await recordsOf(data, 'progress', partition))
        expect(codecs.FoldProgress.decode(value!).foldVersion).toBe(timestampMs <= STOPPED_MS ? FOLD_VERSION : next.version);
    }
  });

  it('is audited from the start of the new version; what the old one wrote is counted and reported as not compared', async () => {
    const data = await oldLog();
    expect(auditReport(await auditOf(data))).toContain(`frame records not compared: written by fold version ${FOLD_VERSION}`);
    await append(data, STOPPED_S, 185);
    await foldToEnd(data, next.startFoldWorker);
    const result = await auditOf(data);
    expect(differencesOf(result), auditReport(result)).toBe(0);
    for (const partition of result.partitions) {
      expect(partition.notCompared).toMatchObject({ versions: [FOLD_VERSION], frameRecords: partition.fromOffset });
      for (const topic of partition.topics) expect(Math.min(topic.expected, topic.others), topic.topic).toBeGreaterThan(40);
    }
    // A wrong output of the new version differs.
    await data.log.append('positions', 0, (await recordsOf(data, 'positions', 0)).slice(-1));
    expect(differencesOf(await auditOf(data))).toBe(1);
  });

  it('gives moments of the new version, and says of those before which version gave them; an audit begins at its first snapshot', async () => {
    const data = await oldLog();
    await append(data, STOPPED_S, 185);
    const refused = { code: 'api.moment_of_other_version', details: { found: FOLD_VERSION, own: next.version } };
    await expect(new next.PartitionPast(data.log, data.codecs, 0).at(STOPPED_MS - 5000)).rejects.toMatchObject(refused);
    await foldToEnd(data, next.startFoldWorker);
    for (const partition of PARTITIONS) {
      const past = new next.PartitionPast(data.log, data.codecs, partition);
      for (const atMs of [STOPPED_MS - 60_000, STOPPED_MS - 1000]) await expect(past.at(atMs)).rejects.toMatchObject(refused);
      const { tickMs, ends } = await past.at(STOPPED_MS + 40_000);
      expect([tickMs, ends.length > 0]).toEqual([STOPPED_MS + 40_000, true]);
    }
    // Of the stretch before, it counts what it cannot compare; behind it, it compares from a snapshot on.
    for (const [fromMs, versions] of [
      [STOPPED_MS - 60_000, [FOLD_VERSION]],
      [STOPPED_MS + 50_000, undefined],
    ] as const) {
      const result = await auditOf(data, next.audit, fromMs);
      expect(differencesOf(result), auditReport(result)).toBe(0);
      expect(result.partitions.map(({ notCompared }) => notCompared?.versions)).toEqual([versions, versions]);
      expect(result.partitions.every(({ frames }) => frames > 0)).toBe(true);
    }
  });

  it('gives the same records whenever the new fold dies, and stores the state from which it began once', async () => {
    const digests = (result: Audit) => result.partitions.map(({ topics }) => topics.map(({ storedSha256 }) => storedSha256));
    let expected: ReturnType<typeof digests> | null = null;
    // Never, before the initial state is stored, between the two partitions, before the first records, and between those of the partitions.
    for (const died of [null, 0, 1, 2, 3]) {
      const data = await oldLog();
      await append(data, STOPPED_S, 185);
      if (died !== null)
        await expect(foldToEnd(data, next.startFoldWorker, { mayCommit: (number) => number < died })).rejects.toThrow('killed');
      await foldToEnd(data, next.startFoldWorker);
      const result = await auditOf(data);
      expect(differencesOf(result), auditReport(result)).toBe(0);
      expected ??= digests(result);
      expect(digests(result), `died at commit ${died}`).toEqual(expected);
      await data.log.maintain(Date.now());
      const starts = await versionStarts(data.log, 0);
      expect(starts.map(({ name, versionBefore }) => [name, versionBefore])).toEqual([[versionName(next.version, 0), FOLD_VERSION]]);
    }
  });
});

it('a log of a newer version is refused, by the fold and by an audit', async () => {
  const data = await oldLog();
  await append(data, STOPPED_S, 185);
  await foldToEnd(data, next.startFoldWorker);
  const refused = { code: 'fold.newer_version' };
  await expect((await startFoldWorker({ ...data, fold: FOLD })).member.done).rejects.toMatchObject(refused);
  await expect(auditOf(data, audit)).rejects.toMatchObject(refused);
});

it('topics from before 0.1.0 are refused, by the fold and by an audit', async () => {
  const data = await oldLog();
  const { codecs } = data;
  const newest = (await recordsOf(data, 'progress', 0)).at(-1)!;
  const value = codecs.FoldProgress.encode({ ...codecs.FoldProgress.decode(newest.value!), foldVersion: 4 });
  await data.log.append('progress', 0, [{ ...newest, value }]);
  const refused = { code: 'log.older_format' };
  await expect((await startFoldWorker({ ...data, fold: FOLD })).member.done).rejects.toMatchObject(refused);
  await expect(auditOf(data, audit)).rejects.toMatchObject(refused);
});
