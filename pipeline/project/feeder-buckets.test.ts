// Rows of five minutes from records of each minute: sums over partitions, records that are read again, limits. In the store: test/contract/feeder-history.
import { expect, it } from 'vitest';
import type { ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import { FEEDER_ROW_MS } from '../../schemas/feeder-history.ts';
import { FeederBuckets } from './feeder-buckets.ts';

const START_MS = 1_700_000_100_000;
const ID = '0123456789abcdef';
const MINUTE_MS = 60_000;

it('sums frames over minutes and partitions, each record once; leaves out buckets from before its start, and forgets the oldest', () => {
  /** The record at the end of a minute, in which 100 more frames came. */
  const record = (minute: number, partition: number): ReceiverRecord => ({
    ...{ partition, timeMs: START_MS + MINUTE_MS * minute, frames: 100 * minute, messages: 0, duplicates: 0, positions: 10 * minute },
    ...{ disagreements: minute, cleanDf17: 0, aircraft: minute, signalDecidb: partition === 0 ? -100 : -200 },
    rangeNm: Array.from({ length: 16 }, (_, i) => (i === partition ? 10 * minute : 0)),
    ...{ lateMs: 0, heardMs: 0, contributorUntilMs: 0 },
  });
  const buckets = new FeederBuckets(START_MS);
  for (let minute = 1; minute <= 6; minute += 1) for (const partition of [0, 1]) buckets.add(ID, record(minute, partition));
  expect(buckets.rows()).toEqual([]);
  buckets.add(ID, record(7, 0));
  const expected = {
    ...{ feeder: ID, timeMs: START_MS, frames: 1000, positions: 100, disagreements: 10, aircraft: 10, signalDecidb: -150 },
    rangeNm: [50, 50, ...new Array(14).fill(0)],
  };
  expect(buckets.rows()).toEqual([expected]);
  buckets.add(ID, record(5, 1));
  expect(buckets.rows()).toEqual([expected]);
  const late = new FeederBuckets(START_MS + FEEDER_ROW_MS);
  for (let minute = 1; minute <= 100; minute += 1) late.add(ID, record(minute, 0));
  const rows = late.rows().map(({ timeMs, frames }) => [(timeMs - START_MS) / FEEDER_ROW_MS, frames]);
  expect(rows).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18].map((bucket) => [bucket, 500]));
});
