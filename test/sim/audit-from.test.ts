// An audit that begins at a kept snapshot: it proves a log whose first frames are deleted, finds every difference behind the snapshot, and gives the
// same verdict in threads.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFoldWorker } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { type Audit, audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import { FOLD, foldedAll } from '../support/folded-log.ts';
import { squitter, temporaryFolder } from '../support/service.ts';
import { VARIED_START_US, variedTraffic } from '../support/varied-traffic.ts';

const START_MS = VARIED_START_US / 1000;
const SECONDS = 200;

let data: OpenData;
const folder = temporaryFolder();

/** Appends and folds a part of the records at a time: snapshots are written between reads. */
async function foldAll({ log, codecs }: OpenData, records: readonly OutgoingRecord[]): Promise<void> {
  const worker = await startFoldWorker({ log, codecs, fold: FOLD });
  for (let from = 0; from < records.length; from += 100)
    for (const partition of [0, 1]) {
      await log.append('frames', partition, records.slice(from, from + 100));
      await foldedAll(log, worker);
    }
  await worker.member.leave();
}

const auditFrom = (fromMs: number | null): Promise<Audit> =>
  audit({ ...data, fold: FOLD, fromMs, onProgress: () => {}, signal: new AbortController().signal });

beforeAll(async () => {
  data = await openData(folder.path, 'write', { retention: { frames: { bytesMax: 1_500_000 } } });
  const records = variedTraffic(40, SECONDS).flatMap((batch) => frameRecords(data.codecs, [batch]));
  const unreadable = { key: null, value: Buffer.from('no frames'), timestampMs: START_MS + 1000 * SECONDS };
  await foldAll(data, [...records, unreadable]);
});
afterAll(async () => {
  await data.log.close();
  folder.remove();
});

describe('an audit from a kept snapshot', () => {
  it('compares what was written since the snapshot before the time, and nothing before', async () => {
    const whole = await auditFrom(null);
    const part = await auditFrom(START_MS + 130_000);
    expect(differencesOf(whole), auditReport(whole)).toBe(0);
    expect(differencesOf(part), auditReport(part)).toBe(0);
    expect(part.deadLetters).toMatchObject({ expected: 2, stored: 2 });
    for (const [i, { snapshotMs, frames, topics }] of part.partitions.entries()) {
      expect(snapshotMs).toBeGreaterThan(START_MS + 60_000);
      expect(snapshotMs).toBeLessThanOrEqual(START_MS + 130_000);
      expect(frames).toBeGreaterThan(0);
      expect(frames).toBeLessThan(whole.partitions[i]!.frames);
      expect(topics.every(({ stored }) => stored > 0)).toBe(true);
    }
    expect(auditReport(part)).toMatch(
      /partition 0: begins at the kept snapshot of 2023-.*\n[\s\S]*audit: equal: .*; from the kept snapshots of /,
    );
  });

  it('begins at the first snapshot where the time is before it', async () => {
    const early = await auditFrom(0);
    expect(differencesOf(early)).toBe(0);
    expect(early.partitions.every(({ snapshotMs }) => snapshotMs! < START_MS + 90_000)).toBe(true);
  });

  it('proves a log whose first frames are deleted, in threads as well', { timeout: 60_000 }, async () => {
    await data.log.maintain(Date.now());
    const { earliest } = await data.log.bounds('frames', 0);
    expect(earliest).toBeGreaterThan(0);
    await expect(auditFrom(null)).rejects.toMatchObject({ code: 'audit.frames_expired' });
    const part = await auditFrom(0);
    expect(differencesOf(part), auditReport(part)).toBe(0);
    expect(part.partitions[0]!.fromOffset).toBeGreaterThanOrEqual(earliest);
    const from = new Date(START_MS).toISOString();
    const [one, two] = await Promise.all(
      ['1', '2'].map((threads) => squitter(['audit', '--data', folder.path, '--from', from, '--threads', threads])),
    );
    expect([one!.code, two!.code], two!.stderr).toEqual([0, 0]);
    expect(two!.stdout).toBe(one!.stdout);
  });

  it('finds a difference, and refuses a log without a snapshot', async () => {
    const { log } = data;
    await log.append('positions', 1, [{ key: null, value: Buffer.from('invented'), timestampMs: START_MS + 1000 * SECONDS }]);
    expect(differencesOf(await auditFrom(START_MS + 150_000))).toBeGreaterThan(0);
    await expect(auditFrom(START_MS + 1_000_000_000)).resolves.toBeDefined();
    const other = temporaryFolder();
    const empty = await openData(other.path, 'write');
    await empty.log.append('frames', 0, frameRecords(empty.codecs, variedTraffic(3, 2)));
    const options = { ...empty, fold: FOLD, fromMs: START_MS, onProgress: () => {}, signal: new AbortController().signal };
    await expect(audit(options)).rejects.toMatchObject({ code: 'audit.no_snapshot', details: { partition: 0 } });
    await empty.log.close();
    other.remove();
  });
});
