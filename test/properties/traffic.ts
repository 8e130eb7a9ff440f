// Simulated traffic as lists of frames, and helpers to fold it and to inspect the result.
import { AvroWriter } from '../../pipeline/avro/writer.ts';
import type { FoldTick } from '../../pipeline/fold/fold-tick.ts';
import { type FoldOptions, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import { createTraffic, type TrafficOptions } from '../../pipeline/simulate/traffic.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { type PositionBatch, type PositionRow, positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';

const positionsType = avroType(positionBatchSchema);

export type CopiedTick = Omit<FoldTick, 'positions' | 'aircraft'> & {
  readonly positions: readonly PositionRow[];
  readonly aircraft: readonly AircraftState[];
};

export function copiedTick(tick: FoldTick): CopiedTick {
  const writer = new AvroWriter();
  tick.positions.write(writer, tick.tickMs, 0, tick.positions.count);
  const { rows } = positionsType.fromBuffer(writer.bytes.subarray(0, writer.length)) as PositionBatch;
  return { ...tick, positions: rows.map((row) => ({ ...row })), aircraft: tick.aircraft.build() };
}

export const START_US = 1_700_000_000_000_000;
export const TICK_MS = 1000;

export interface TrafficWish {
  readonly aircraft: number;
  readonly seconds: number;
  readonly seed: number;
  /** All frames from one receiver, each once. */
  readonly singleReceiver?: boolean;
}

/** A copy of a frame that traffic reuses, and when it was sent. */
export type SentFrame = Required<RecordedFrame> & { readonly sentUs: number };

/** Simulated traffic from `START_US` on, in the order of arrival, a second at a time. */
export function* trafficSeconds(options: Omit<TrafficOptions, 'startUs'>): Generator<SentFrame[], never> {
  const traffic = createTraffic({ ...options, startUs: START_US });
  for (let second = 1; ; second += 1) {
    const frames: SentFrame[] = [];
    traffic.advance(START_US + second * 1e6, ({ timeUs, bytes, at, byteLength, signal, receiver, flags }, _, sentUs) => {
      frames.push({ timeUs, bytes: bytes.slice(at, at + byteLength), signal, flags, receiver: traffic.receivers[receiver]!.id, sentUs });
    });
    yield frames;
  }
}

/** `seconds` of it. */
export function trafficOf(seconds: number, options: Omit<TrafficOptions, 'startUs'>): SentFrame[] {
  const traffic = trafficSeconds(options);
  return Array.from({ length: seconds }, () => traffic.next().value).flat();
}

/** In the order of arrival. */
export function simulatedFrames({ aircraft, seconds, seed, singleReceiver = false }: TrafficWish): RecordedFrame[] {
  const frames = trafficOf(seconds, { aircraft, seed, extraReceptionShare: singleReceiver ? 0 : 0.6 });
  return singleReceiver ? frames.map((frame) => ({ ...frame, receiver: 'one' })) : frames;
}

/** A record without frames, which only advances event time. */
export function heartbeat(timeUs: number): FrameBatch {
  return { baseTimeUs: timeUs, receivers: [], count: 0, frames: new Uint8Array(0) };
}

/** Divides frames into records of these sizes, repeatedly; 0 gives an empty record at the current time. */
export function cut(frames: readonly RecordedFrame[], sizes: readonly number[]): FrameBatch[] {
  const batches: FrameBatch[] = [];
  let reachedUs = frames[0]!.timeUs;
  for (let from = 0, i = 0; from < frames.length; i += 1) {
    const part = frames.slice(from, from + sizes[i % sizes.length]!);
    if (part.length === 0) batches.push(heartbeat(reachedUs));
    else batches.push(frameBatch(part));
    for (const { timeUs } of part) reachedUs = Math.max(reachedUs, timeUs);
    from += part.length;
  }
  return batches;
}

export interface Folded {
  readonly fold: PartitionFold;
  readonly ticks: CopiedTick[];
}

/** Folds records; the fold is restored from its own snapshot before each record in `restarts`. Up to the record `silentUpTo` nothing is built. */
export function foldAll(
  batches: readonly FrameBatch[],
  options: Partial<FoldOptions> = {},
  restarts: ReadonlySet<number> = new Set(),
  silentUpTo = 0,
): Folded {
  const all: FoldOptions = { tickMs: TICK_MS, receiver: null, ...options };
  let fold = new PartitionFold(all);
  const ticks: CopiedTick[] = [];
  batches.forEach((batch, offset) => {
    if (restarts.has(offset)) fold = PartitionFold.restore(fold.snapshot(), all);
    fold.apply(batch, offset, offset < silentUpTo ? null : (tick) => ticks.push(copiedTick(tick)));
  });
  return { fold, ticks };
}

/** Content of ticks, independent of the order of aircraft and of the offsets of frames. */
export function outcomeOf(ticks: readonly CopiedTick[]): unknown[] {
  return ticks.map(({ tickMs, aircraft, positions, gone, progress }) => {
    const { frameOffset: _, ...counters } = progress;
    return {
      tickMs,
      counters,
      gone: [...gone].sort(),
      aircraft: aircraft.toSorted((a, b) => (a.hex < b.hex ? -1 : 1)),
      positions: positions
        .map((row) => ({ ...row, frameOffset: 0, frameIndex: 0 }))
        .sort((a, b) => (a.hex === b.hex ? a.timeUs - b.timeUs : a.hex < b.hex ? -1 : 1)),
    };
  });
}

/** Items by key; keys in the order of their first item, items in input order. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
