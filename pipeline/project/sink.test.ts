// The sink on a real log, before a store that refuses, confirms too late, or loses the confirmation: every row arrives once, in every case.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { positionRow } from '../../test/support/positions.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import type { EventLog } from '../log/event-log.ts';
import { type OpenData, openData } from '../log/open-data.ts';
import { Random } from '../simulate/flights/random.ts';
import { NativeBlock } from './native-block.ts';
import { readBlocks } from './native-reader.ts';
import { positionProjection } from './position-projection.ts';
import type { HistoryInsert, HistoryWriter, OrderedInsert, StartRequest } from './projection.ts';
import { keysOf } from './row-keys.ts';
import { planGroupOf, type Sink, type SinkOptions, sinkGroup, startSink } from './sink.ts';

const PARTITIONS = 2;

const folder = temporaryFolder();
let data: OpenData;
beforeEach(async () => {
  data = await openData(folder.path, 'write');
});
afterEach(async () => {
  await data.log.close();
  folder.remove();
});

/** A store that keeps the blocks by token, as ClickHouse does within its window. */
class Rows implements HistoryWriter {
  readonly blocks = new Map<string, readonly (readonly [partition: number, frameOffset: number])[]>();
  repeated = 0;
  /** Number of inserts whose token stayed and whose rows did not. */
  forgotten = 0;
  /** The outcome of an insert: taken, refused, taken while the confirmation is lost, or only its token. */
  next: () => 'taken' | 'refused' | 'unconfirmed' | 'frozen' | 'forgotten' = () => 'taken';
  tookMs = 1;
  begun = 0;

  async start({ first }: StartRequest): Promise<number> {
    return first;
  }

  async insert({ token, block: given }: HistoryInsert, signal: AbortSignal): Promise<void> {
    const { rows } = given;
    // The bytes as they are now: the sink may use them again after the confirmation.
    const [block] = readBlocks(Buffer.concat(given.pieces()));
    const outcome = this.next();
    this.begun += 1;
    await sleep(this.tookMs);
    if (outcome === 'frozen') await sleep(60_000, undefined, { signal });
    if (outcome === 'refused') throw new Error('refused');
    expect(block!.rows).toBe(rows);
    const column = (name: string) => block!.columns.find((found) => found.name === name)!.values as number[];
    const [partition, offset] = [column('partition'), column('frameOffset')];
    const content = partition.map((p, i) => [p, offset[i]!] as const);
    const before = this.blocks.get(token);
    if (before !== undefined) {
      this.repeated += 1;
      if (before.length > 0) expect(content).toEqual(before);
    } else if (outcome === 'forgotten') {
      this.forgotten += 1;
      this.blocks.set(token, []);
      throw new Error('the store was killed');
    } else this.blocks.set(token, content);
    if (outcome === 'unconfirmed') throw new Error('the connection was lost');
  }

  async missing({ block, rowOrder }: OrderedInsert): Promise<NativeBlock | null> {
    const read = readBlocks(Buffer.concat(block.pieces()))[0]!;
    const stored = new Set(this.offsets(rowOrder.partition));
    const rows = new NativeBlock(block.columns.map(({ name, type }) => ({ name, type: type.name })));
    keysOf(rowOrder, read).forEach(({ order }, row) => {
      if (stored.has(order[0]!)) return;
      rows.columns.forEach((column, i) => {
        column.add(read.columns[i]!.values[row]!);
      });
    });
    return rows.rows === 0 ? null : rows;
  }

  /** Frame offsets of a partition in the order of arrival. */
  offsets(partition: number): number[] {
    return [...this.blocks.values()].flat().flatMap(([p, offset]) => (p === partition ? [offset] : []));
  }
}

const row = (frameOffset: number): PositionRow => ({ ...positionRow(0, frameOffset, 0, 1.7e12 + frameOffset), frameIndex: 0 });

/** Appends records of `rows` rows; their frame offsets continue. */
async function append(partition: number, from: number, sizes: readonly number[]): Promise<number> {
  let at = from;
  const records = sizes.map((size) => {
    const rows = Array.from({ length: size }, (_, i) => row(at + i));
    at += size;
    const tickMs = 1.7e12 + 1000 * at;
    return { key: null, value: data.codecs.PositionBatch.encode({ tickMs, rows }), timestampMs: tickMs };
  });
  await data.log.append('positions', partition, records);
  return at;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const projection = () => positionProjection(data.codecs.PositionBatch);
const start = (writer: HistoryWriter, options: Partial<SinkOptions> = {}): Promise<Sink> =>
  startSink({ log: data.log, projection: projection(), writer, size: { rowsMax: 20, ageMsMax: 5, plannedRowsMax: 200 }, ...options });
const committed = (partition: number, group = sinkGroup(projection())) => data.log.committed(group, 'positions', partition);

it('writes what the log has, in order, counts what it cannot read, and commits what the store confirmed', async () => {
  const rows = new Rows();
  await append(0, 0, [3, 30, 1, 0, 7]);
  await append(1, 0, [5]);
  const sink = await start(rows);
  await until(() => sink.stats.rows === 46);
  await data.log.append('positions', 1, [{ key: null, value: Buffer.from('no position'), timestampMs: 1 }]);
  await append(1, 5, [4, 4]);
  await until(() => rows.offsets(1).length === 13);
  await until(async () => (await committed(1)) === 4 && (await committed(0)) === 5);
  await sink.stop();
  expect(rows.offsets(0)).toEqual(numbers(41));
  expect(rows.offsets(1)).toEqual(numbers(13));
  expect(rows.repeated).toBe(0);
  expect(sink.stats.malformed).toBe(1);
});

it('makes the same batches again after the confirmation, the commit or the process was lost', async () => {
  const rows = new Rows();
  const total = [0, 0];
  const drawn = new Random(7);
  const random = (below: number): number => drawn.below(below);
  for (let round = 0; round < 15; round += 1) {
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      total[partition] = await append(
        partition,
        total[partition]!,
        Array.from({ length: random(12) }, () => random(15)),
      );
    // Other limits each time: a restart under another configuration repeats the planned batch all the same.
    rows.next = () => (['taken', 'refused', 'unconfirmed', 'forgotten', 'frozen'] as const)[random(round % 3 === 0 ? 5 : 4)]!;
    const sink = await start(rows, { size: { rowsMax: 5 + random(60), ageMsMax: 1 + random(5), plannedRowsMax: 200 } });
    await sleep(random(40));
    // It is not drained, as after a kill: the store may have accepted a batch without saying so.
    await sink.member.leave();
  }
  rows.next = () => 'taken';
  const sink = await start(rows);
  await until(() => PARTITIONS === [0, 1].filter((p) => rows.offsets(p).length >= total[p]!).length);
  await sink.stop();
  for (const partition of [0, 1]) expect(rows.offsets(partition)).toEqual(numbers(total[partition]!));
  // The test had its faults.
  expect(rows.repeated).toBeGreaterThan(0);
  expect(rows.forgotten).toBeGreaterThan(0);
});

it('sends a batch whose timer ended too early by the clock, while the one before was sent', async () => {
  const rows = new Rows();
  rows.tookMs = 40;
  await append(0, 0, [5]);
  const sink = await start(rows, { steadyMs: () => performance.now() / 100 });
  await until(() => rows.begun === 1);
  await append(0, 5, [3]);
  await until(() => rows.offsets(0).length === 8);
  await sink.stop();
});

it('gives a partition back at once while the store is frozen; waits with bounded memory while it is away, loses nothing and says so', async () => {
  const rows = new Rows();
  rows.next = () => 'frozen';
  await append(0, 0, new Array<number>(40).fill(10));
  const frozen = await start(rows);
  await until(() => rows.begun === 1);
  await frozen.member.leave();
  expect([frozen.stats.owned.size, rows.blocks.size]).toEqual([0, 0]);
  rows.next = () => 'refused';
  const sink = await start(rows);
  await until(() => (sink.stats.retries.get('other') ?? 0) > 1);
  // Two blocks of a read of the log at most: the one in flight and the next one.
  expect(sink.stats.rows).toBe(0);
  expect(sink.stats.problem()).toBe('refused');
  expect(sink.stats.owned.get(0)).toMatchObject({ nextOffset: 0, timestampMs: 1.7e12 + 10_000 });
  expect(await committed(0)).toBeNull();
  rows.next = () => 'taken';
  await until(() => rows.offsets(0).length === 400);
  await until(async () => (await committed(0)) === 40);
  expect(sink.stats.problem()).toBeNull();
  await sink.stop();
  expect(rows.offsets(0)).toEqual(numbers(400));
});

it('says which records the topic has lost, and continues with the rest under the planned token', async () => {
  const rows = new Rows();
  await append(0, 0, [5, 5, 5]);
  const lost: unknown[] = [];
  const onExpired = (gap: unknown) => lost.push(gap);
  const sink = await start(rows, { log: bounded(data, 2, 3), onExpired });
  await until(() => rows.offsets(0).length === 5);
  await sink.stop();
  expect(lost).toEqual([]);
  expect(rows.offsets(0)).toEqual([10, 11, 12, 13, 14]);
  expect(await committed(0, planGroupOf(sinkGroup(projection())))).toBe(3);
  await append(0, 15, [5, 5]);
  const second = await start(rows, { log: bounded(data, 4, 5), onExpired });
  await until(() => rows.offsets(0).length === 10);
  await second.stop();
  expect(lost).toEqual([{ topic: 'adsb.positions.v1', partition: 0, from: 3, earliest: 4 }]);
  expect(second.stats.expired).toBe(1);
});

it('begins again when group and plan are beyond the end of the topic, which is a new one; fails when another worker has its partition', async () => {
  const rows = new Rows();
  await append(0, 0, [5, 5]);
  const group = sinkGroup(projection());
  const moved = (own: string, fromOffset: number, nextOffset: number) =>
    data.log.commit({ group: own, topic: 'positions', partition: 0, fromOffset, nextOffset, outputs: [] });
  for (const own of [group, planGroupOf(group)]) await moved(own, 70, 77);
  const sink = await start(rows);
  await until(async () => rows.offsets(0).length === 10 && (await committed(0)) === 2);
  await moved(group, 2, 1);
  await append(0, 10, [2]);
  await expect(sink.done).rejects.toMatchObject({ code: 'log.commit_conflict' });
  await sink.stop();
});

/** The log with other bounds of its topic. */
const bounded = ({ log }: OpenData, earliest: number, next: number): EventLog =>
  Object.assign(Object.create(log) as EventLog, { bounds: async () => ({ earliest, next }) });
