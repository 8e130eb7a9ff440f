// What begins at a kept snapshot of the fold: the past at any second, with the values that readers of the aircraft topic had then, byte for byte; and an
// audit of a log whose first frames are deleted, which finds every difference behind the snapshot and gives the same verdict in threads.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestName, snapshotRecords } from '../../pipeline/fold/snapshot-store.ts';
import { startFoldWorker } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { Moments } from '../../pipeline/past/moments.ts';
import { PartitionPast, type PartitionSky } from '../../pipeline/past/partition-past.ts';
import { Sky } from '../../pipeline/past/sky.ts';
import { emptyReference } from '../../pipeline/reference/reference.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';
import { auditOf, emptyLog, expectEqual, FOLD, foldedAll } from '../support/folded-log.ts';
import { squitter, temporaryFolder } from '../support/service.ts';

const VARIED_START_US = 1_700_000_000_000_000;

/** A record each 200 ms, all in one partition. */
function variedTraffic(aircraft: number, seconds: number): FrameBatch[] {
  const startUs = VARIED_START_US;
  const traffic = createTraffic({ aircraft, seed: 3, startUs, airports: 3, extraReceptionShare: 0.6 });
  const out: FrameBatch[] = [];
  for (let atUs = startUs; atUs < startUs + 1e6 * seconds; atUs += 200_000) {
    const frames: RecordedFrame[] = [];
    traffic.advance(atUs + 200_000, (frame) => {
      // Duplicates arrive up to 300 ms later, and each receiver has its own level.
      const receiver = frame.receiver % 3;
      frames.push({
        timeUs: frame.timeUs + 150_000 * receiver,
        bytes: frame.bytes.slice(frame.at, frame.at + frame.byteLength),
        signal: 40 + ((frames.length * 7 + 60 * frame.receiver) % 200),
        flags: frame.flags,
        receiver: 'abc'.charAt(receiver).repeat(16),
      });
    });
    out.push(frameBatch(frames));
  }
  return out;
}

const START_MS = VARIED_START_US / 1000;
const SECONDS = 230;
/** No frame is received in this stretch: ticks are missing. */
const GAP_S = [120, 190] as const;

let data: OpenData;
let folder: ReturnType<typeof temporaryFolder>;
/** Values of the aircraft topic in partition 0, by tick and aircraft. */
const truth = new Map<number, ReadonlyMap<string, string>>();

beforeAll(async () => {
  folder = temporaryFolder();
  data = await openData(folder.path, 'write', { retention: { frames: { bytesMax: 1_500_000 } } });
  const { log, codecs } = data;
  const received = variedTraffic(80, SECONDS).filter(({ baseTimeUs }) => {
    const second = (baseTimeUs - VARIED_START_US) / 1e6;
    return second < GAP_S[0] || second >= GAP_S[1];
  });
  const unreadable = { key: null, value: Buffer.from('no frames'), timestampMs: START_MS + 1000 * SECONDS };
  const records = [...received.flatMap((batch) => frameRecords(codecs, [batch])), unreadable];
  // A restart in between: snapshots of a restored fold must serve as well. They are written between reads.
  for (let from = 0; from < records.length; from += 400) {
    const worker = await startFoldWorker({ log, codecs, fold: FOLD });
    for (let next = from; next < from + 400; next += 10) {
      for (const partition of [0, 1]) await log.append('frames', partition, records.slice(next, next + 10));
      await foldedAll(log, worker);
    }
    await worker.member.leave();
  }
  const values = new Map<string, string>();
  for await (const { records } of log.read({ topic: 'aircraft', partition: 0, from: 'earliest', to: 'end' }))
    for (const { key, value, timestampMs } of records) {
      if (value === null) values.delete(key!);
      else values.set(key!, Buffer.from(value).toString('hex'));
      truth.set(timestampMs, new Map(values));
    }
}, 120_000);
afterAll(async () => {
  await data.log.close();
  folder.remove();
});

function valuesOf({ values, ends }: PartitionSky): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < ends.length; i += 1) {
    const value = Buffer.from(values.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]));
    found.set(data.codecs.AircraftState.decode(value).hex, value.toString('hex'));
  }
  return found;
}

const past = (): PartitionPast => new PartitionPast(data.log, data.codecs, 0);

/** The newest tick up to a second. */
function tickBefore(atMs: number): number {
  return Math.max(...[...truth.keys()].filter((tickMs) => tickMs <= atMs));
}

describe('the past of a partition', () => {
  it('is the same as it was, at any second, folded from a snapshot and gone on from the second before', async () => {
    const ongoing = past();
    for (let second = 70; second < SECONDS; second += second > GAP_S[0] && second < GAP_S[1] ? 9 : 1) {
      const atMs = START_MS + 1000 * second;
      const sky = await ongoing.at(atMs);
      expect(sky.tickMs).toBe(tickBefore(atMs));
      expect(valuesOf(sky)).toEqual(truth.get(sky.tickMs!));
      if (second % 11 !== 0) continue;
      const alone = await past().at(atMs);
      expect({ ...alone, frames: 0 }).toEqual({ ...sky, frames: 0 });
    }
    // Back to an earlier second.
    expect(valuesOf(await ongoing.at(START_MS + 95_000))).toEqual(truth.get(START_MS + 95_000));
  });

  it('is folded from the first frame where there is no snapshot before', async () => {
    const sky = await past().at(START_MS + 20_000);
    expect(valuesOf(sky)).toEqual(truth.get(START_MS + 20_000));
    expect((await past().at(START_MS - 5000)).tickMs).toBeNull();
  });

  it('is that of the last tick before a stretch without frames, and may change while the log does not reach the moment', async () => {
    const sky = await past().at(START_MS + 150_000);
    expect(sky.tickMs).toBe(tickBefore(START_MS + 150_000));
    expect(sky.tickMs).toBeLessThan(START_MS + 1000 * (GAP_S[0] + 1));
    expect(valuesOf(sky)).toEqual(truth.get(sky.tickMs!));
    expect(sky.isWhole).toBe(true);
    const beyond = await past().at(START_MS + 1000 * (SECONDS + 30));
    expect(beyond.isWhole).toBe(false);
    expect(valuesOf(beyond)).toEqual(truth.get(beyond.tickMs!));
  });

  it('is a gap when nothing had been received for a minute, and too old before the log', async () => {
    const { log, codecs } = data;
    const folder = { at: (_folds: number, atMs: number) => [new PartitionPast(log, codecs, 0).at(atMs)], drop: () => {} };
    const sky = new Sky(codecs.AircraftState, emptyReference, () => 0);
    const moments = new Moments(folder, async () => sky);
    const nowOf = (second: number) =>
      moments.show(START_MS + 1000 * second, { isWanted: () => true, use: async ({ times }) => times.nowMs });
    await expect(nowOf(188)).rejects.toMatchObject({ code: 'api.moment_in_gap' });
    await expect(nowOf(-5)).rejects.toMatchObject({ code: 'api.moment_too_old' });
    expect(await nowOf(150)).toBe(tickBefore(START_MS + 150_000));
    expect([await nowOf(200), await nowOf(200), await nowOf(201)]).toEqual([200, 200, 201].map((second) => START_MS + 1000 * second));
    expect(moments.counts.made).toEqual({ folded: 3, continued: 2, remembered: 1, stored: 0 });
  });

  it('is refused where another version folded it', async () => {
    const head = { frameOffset: 1, tickMs: START_MS + 110_500, version: 1, versionBefore: 0, receiver: null };
    const other = await emptyLog();
    await other.log.append('frames', 0, frameRecords(data.codecs, variedTraffic(5, 2)));
    await other.log.append('snapshotsKept', 0, snapshotRecords(newestName(0), head, new Uint8Array(9)));
    const moments = new PartitionPast(other.log, other.codecs, 0);
    await expect(moments.at(START_MS + 111_000)).rejects.toMatchObject({ code: 'api.moment_of_other_version', details: { found: 1 } });
  });
});

describe('an audit from a kept snapshot', () => {
  const auditFrom = (fromMs: number | null) => auditOf(data, { fromMs });

  it('compares what was written since the snapshot before the time, and nothing before', async () => {
    const all = await auditFrom(null);
    const part = await auditFrom(START_MS + 118_000);
    expectEqual(all);
    expectEqual(part);
    expect(part.deadLetters).toMatchObject({ expected: 2, stored: 2 });
    for (const [i, { snapshotMs, frames, topics }] of part.partitions.entries()) {
      expect(snapshotMs).toBeGreaterThan(START_MS + 60_000);
      expect(snapshotMs).toBeLessThanOrEqual(START_MS + 118_000);
      expect(frames).toBeGreaterThan(0);
      expect(frames).toBeLessThan(all.partitions[i]!.frames);
      expect(topics.every(({ stored }) => stored > 0)).toBe(true);
    }
    expect(auditReport(part)).toMatch(
      /partition 0: begins at the kept snapshot of 2023-.*\n[\s\S]*audit: equal: .*; from the kept snapshots of /,
    );
  });

  it('proves a log whose first frames are deleted, in threads as well, from its first snapshot where the time is before that', async () => {
    await data.log.maintain(Date.now());
    const { earliest } = await data.log.bounds('frames', 0);
    expect(earliest).toBeGreaterThan(0);
    await expect(auditFrom(null)).rejects.toMatchObject({ code: 'audit.frames_expired' });
    const part = await auditFrom(0);
    expectEqual(part);
    expect(part.partitions[0]!.fromOffset).toBeGreaterThanOrEqual(earliest);
    const from = new Date(START_MS).toISOString();
    const [one, two] = await Promise.all(
      ['1', '2'].map((threads) => squitter(['audit', '--data', folder.path, '--from', from, '--threads', threads])),
    );
    expect([one!.code, two!.code], two!.stderr).toEqual([0, 0]);
    expect(two!.stdout).toBe(one!.stdout);
  });

  it('finds a difference, and refuses a log without a snapshot', async () => {
    await data.log.append('positions', 1, [{ key: null, value: Buffer.from('invented'), timestampMs: START_MS + 1000 * SECONDS }]);
    expect(differencesOf(await auditFrom(START_MS + 200_000))).toBeGreaterThan(0);
    const other = await emptyLog();
    await other.log.append('frames', 0, frameRecords(other.codecs, variedTraffic(3, 2)));
    await expect(auditOf(other, { fromMs: START_MS })).rejects.toMatchObject({ code: 'audit.no_snapshot', details: { partition: 0 } });
  });
});
