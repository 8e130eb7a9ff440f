// Snapshots in the log: cut into chunks, read back whole, never ahead of the committed offset, never mixed.
import { describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import type { EventLog, RecordBatch } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import { latestSnapshot, snapshotChunks, snapshotRecords } from './snapshot-store.ts';

/** The part of a log that snapshots are read from; test/sim uses the real log. */
function logWith(records: readonly OutgoingRecord[]): EventLog {
  const batch: RecordBatch = {
    topic: 'snapshots',
    partition: 1,
    records: records.map((record, offset) => ({ ...record, offset })),
    nextOffset: records.length,
  };
  return {
    async *read() {
      if (records.length > 0) yield batch;
    },
  } as Partial<EventLog> as EventLog;
}

const bytesOf = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);
const TWO_CHUNKS = limits.snapshotChunkBytesMax + 1;

describe('snapshots in the log', () => {
  it('are read back whole from their chunks', async () => {
    const records = snapshotRecords({ name: '1', frameOffset: 42, tickMs: 1000, bytes: bytesOf(TWO_CHUNKS, 7) }, 0);
    expect(records).toHaveLength(2);
    expect(records.map(({ key }) => key)).toEqual(['1/0', '1/1']);
    const snapshot = await latestSnapshot(logWith(records), 1, 42);
    expect(snapshot?.frameOffset).toBe(42);
    expect(Buffer.compare(snapshot!.bytes, bytesOf(TWO_CHUNKS, 7))).toBe(0);
  });

  it('are not used when they are ahead of the committed offset', async () => {
    const records = [
      ...snapshotRecords({ name: '1', frameOffset: 10, tickMs: 1, bytes: bytesOf(10, 1) }, 0),
      ...snapshotRecords({ name: '1', frameOffset: 20, tickMs: 2, bytes: bytesOf(10, 2) }, 1),
    ];
    expect((await latestSnapshot(logWith(records), 1, 19))?.frameOffset).toBe(10);
    expect((await latestSnapshot(logWith(records), 1, 20))?.frameOffset).toBe(20);
    expect(await latestSnapshot(logWith(records), 1, 9)).toBeNull();
  });

  it('are not used when a chunk is missing', async () => {
    const [first] = snapshotRecords({ name: '1', frameOffset: 42, tickMs: 1000, bytes: bytesOf(TWO_CHUNKS, 7) }, 0);
    expect(await latestSnapshot(logWith([first!]), 1, 42)).toBeNull();
  });

  it('never mix chunks of two snapshots', async () => {
    const [oldFirst, oldSecond] = snapshotRecords({ name: '1', frameOffset: 10, tickMs: 1, bytes: bytesOf(TWO_CHUNKS, 1) }, 0);
    const [newFirst] = snapshotRecords({ name: '1', frameOffset: 20, tickMs: 2, bytes: bytesOf(TWO_CHUNKS, 2) }, 2);
    expect((await latestSnapshot(logWith([oldFirst!, oldSecond!, newFirst!]), 1, 20))?.frameOffset).toBe(10);
    expect(await latestSnapshot(logWith([oldSecond!, newFirst!]), 1, 20)).toBeNull();
  });

  it('delete the chunks that a smaller successor does not have', () => {
    const records = snapshotRecords({ name: '1', frameOffset: 30, tickMs: 3, bytes: bytesOf(10, 1) }, snapshotChunks(2 * TWO_CHUNKS));
    expect(records.map(({ key, value }) => [key, value === null])).toEqual([
      ['1/0', false],
      ['1/1', true],
      ['1/2', true],
    ]);
  });
});
