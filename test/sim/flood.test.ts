// 200,000 invented addresses in one partition. The table of aircraft stays full; real aircraft keep their positions, heard before or
// during the flood; and the set of aircraft at each moment is the same after a restore.
import { beforeAll, describe, expect, it } from 'vitest';
import { createFrameOutcome, type FrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { frameAddress } from '../../pipeline/ingest/partition.ts';
import { encodeAllCall } from '../../pipeline/simulate/encode/reply.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits/index.ts';
import { simulatedFrames } from '../bench/frames.ts';
import type { RecordedFrame } from '../golden/fold-frames.ts';
import { START_US } from '../properties/traffic.ts';

const FOLD = { tickMs: 1000, receiver: null };
const FALSE_ADDRESSES = 200_000;
const FLOOD_FROM_S = 20;
const SECONDS = 50;
/** Number of a frame, late in the flood. */
const RESTORED_AT = 190_000;
const NEW_FROM_S = 35;
/** Half of them are heard before the flood, the others from its middle on. */
const REAL = simulatedFrames(40, SECONDS).filter(
  (frame) => frame.timeUs > START_US + NEW_FROM_S * 1e6 || (frameAddress(frame.bytes, 0, frame.bytes.length === 7 ? 7 : 14) & 1) === 0,
);

function addressOf({ bytes }: RecordedFrame): number {
  return (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!;
}

/** Real frames, with false ones inserted when they are due. */
function* flooded(): Generator<RecordedFrame> {
  const perUs = FALSE_ADDRESSES / ((SECONDS - FLOOD_FROM_S) * 1e6);
  let sent = 0;
  const bytes = new Uint8Array(14);
  for (const frame of REAL) {
    for (const due = (frame.timeUs - START_US - FLOOD_FROM_S * 1e6) * perUs; sent < due; sent += 1) {
      encodeAllCall(bytes, 0x10_0000 + sent * 7, 5, 0);
      yield { timeUs: frame.timeUs, bytes: bytes.subarray(0, 7) };
    }
    yield frame;
  }
}

/** Folds the frames, late in the flood also in a second fold that is restored from the first. */
function run(frames: Iterable<RecordedFrame>) {
  const fold = new PartitionFold(FOLD);
  let twin: PartitionFold | null = null;
  const outcome = createFrameOutcome();
  const gone: string[] = [];
  /** Times of the last accepted positions. */
  const accepted = new Map<number, number>();
  let number = 0;
  for (const frame of frames) {
    number += 1;
    if (number === RESTORED_AT) twin = PartitionFold.restore(fold.snapshot(), FOLD);
    const { timeUs } = frame;
    twin?.advance(timeUs, () => {});
    if (twin !== null) apply(twin, frame, outcome);
    fold.advance(timeUs, (tick) => gone.push(...tick.gone));
    apply(fold, frame, outcome);
    if (outcome.positionAccepted) accepted.set(addressOf(frame), timeUs);
  }
  return { fold, twin, gone, accepted };
}

function apply(fold: PartitionFold, { bytes, timeUs, receiver }: RecordedFrame, outcome: FrameOutcome): void {
  const number = receiver === undefined ? 0 : fold.receiverNumber(receiver);
  fold.applyFrame({ bytes, at: 0, byteLength: bytes.length === 7 ? 7 : 14, timeUs, signal: 100, flags: 0 }, number, outcome);
}

describe('200,000 false addresses', () => {
  let flood: ReturnType<typeof run>;
  beforeAll(() => {
    flood = run(flooded());
  });

  it('fill the table, but no real aircraft is evicted or refused', () => {
    const { fold, accepted } = flood;
    expect(fold.observed().displaced).toBeGreaterThan(FALSE_ADDRESSES - limits.aircraftPerPartitionMax - 1);
    expect(fold.progress(0).aircraft).toBe(limits.aircraftPerPartitionMax);
    expect(fold.progress(0).rejected[rejectReasons.indexOf('aircraft_limit')]).toBe(0);
    const alone = [...run(REAL).accepted].filter(([, timeUs]) => timeUs > START_US + (SECONDS - 2) * 1e6);
    expect(alone.length).toBeGreaterThan(20);
    expect(alone.filter(([address]) => (accepted.get(address) ?? 0) < (SECONDS - 2) * 1e6)).toEqual([]);
  });

  it('are reported as gone when they are evicted, also in a fold that was restored in the middle', () => {
    expect(flood.gone.length).toBeGreaterThan(FALSE_ADDRESSES - 2 * limits.aircraftPerPartitionMax);
    expect(new Set(flood.gone).size).toBe(flood.gone.length);
    expect(Buffer.from(flood.twin!.snapshot()).equals(flood.fold.snapshot())).toBe(true);
  });
});
