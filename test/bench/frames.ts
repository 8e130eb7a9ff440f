// Input of the fold's benchmarks as FrameBatch values: repeated real frames of the shared data, or simulated traffic.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parityRemainder } from '../../pipeline/decode/crc.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch, readCsvFrames } from '../golden/fold-frames.ts';
import { sharedDir } from '../support/requirements.ts';

export interface BenchFrame {
  readonly timeUs: number;
  readonly bytes: Uint8Array;
  /** Index of the receiver. */
  readonly receiver: number;
}

const SETS = [
  'rs1090_short_flights.csv',
  'pymodes_sample_adsb.csv',
  'twuillemin_example1.csv',
  'twuillemin_example2.csv',
  'pymodes_sample_commb_df20.csv',
  'pymodes_sample_commb_df21.csv',
];
/** Recordings of all formats, each by one noisy receiver. */
const ALL_FORMATS = ['twuillemin_example1.csv', 'twuillemin_example2.csv'];
const FRAMES_PER_BATCH = 1500;
const START_US = 1_700_000_000_000_000;

/** All real frames in order of the time since the start of their recording; null without the shared data. */
export function realFrames(): BenchFrame[] | null {
  return recordedFrames(SETS);
}

/**
 * The recordings of all formats, with every aircraft copied under new addresses until there are `aircraft`, all at the same time;
 * null without the shared data.
 */
export function crowdedFrames(aircraft: number): BenchFrame[] | null {
  const recorded = recordedFrames(ALL_FORMATS);
  if (recorded === null) return null;
  const announced = new Set(recorded.filter(({ bytes }) => [11, 17].includes(bytes[0]! >> 3)).map(({ bytes }) => announcedAddress(bytes)));
  const copies = Math.ceil(aircraft / announced.size);
  return recorded.flatMap((frame) =>
    Array.from({ length: copies }, (_, copy) => ({ ...frame, bytes: withOtherAddress(frame.bytes, copy) })),
  );
}

function announcedAddress(bytes: Uint8Array): number {
  return (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!;
}

/** The same frame from an aircraft whose address differs by `mask`: in the address field, or in the parity that is overlaid with it. */
function withOtherAddress(bytes: Uint8Array, mask: number): Uint8Array {
  const out = bytes.slice();
  const { length } = out;
  if (![11, 17, 18].includes(out[0]! >> 3)) {
    out[length - 1]! ^= mask;
    return out;
  }
  const before = parityRemainder(out, 0, length === 7 ? 7 : 14);
  out[3]! ^= mask;
  const change = before ^ parityRemainder(out, 0, length === 7 ? 7 : 14);
  out[length - 3]! ^= change >> 16;
  out[length - 2]! ^= (change >> 8) & 0xff;
  out[length - 1]! ^= change & 0xff;
  return out;
}

function recordedFrames(sets: readonly string[]): BenchFrame[] | null {
  const folder = join(sharedDir, 'data/frames');
  if (!existsSync(folder)) return null;
  const frames: BenchFrame[] = [];
  for (const set of sets) {
    const recorded = readCsvFrames(join(folder, set));
    for (const { timeUs, bytes } of recorded) frames.push({ timeUs: timeUs - recorded[0]!.timeUs, bytes, receiver: 0 });
  }
  return frames.filter(({ bytes }) => bytes.length === 7 || bytes.length === 14).sort((a, b) => a.timeUs - b.timeUs);
}

/** Repeats frames one after another in time until there are at least `framesMin`. */
export function repeated(frames: readonly BenchFrame[], framesMin: number): BenchFrame[] {
  const spanUs = frames.at(-1)!.timeUs + 1_000_000;
  const out: BenchFrame[] = [];
  for (let round = 0; out.length < framesMin; round += 1)
    for (const frame of frames) out.push({ ...frame, timeUs: frame.timeUs + round * spanUs });
  return out;
}

/** Simulated traffic, a second at a time. */
export function* trafficSeconds(aircraft: number, seed = 1): Generator<BenchFrame[], never> {
  const traffic = createTraffic({ aircraft, seed, startUs: START_US });
  for (let second = 1; ; second += 1) {
    const out: BenchFrame[] = [];
    traffic.advance(START_US + second * 1e6, ({ timeUs, bytes, at, byteLength, receiver }) => {
      out.push({ timeUs: timeUs - START_US, bytes: bytes.slice(at, at + byteLength), receiver });
    });
    yield out;
  }
}

/** `seconds` of simulated traffic. */
export function simulatedFrames(aircraft: number, seconds: number, seed?: number): BenchFrame[] {
  const traffic = trafficSeconds(aircraft, seed);
  return Array.from({ length: seconds }, () => traffic.next().value).flat();
}

/** The airborne positions of simulated traffic and occasional all-call squitters, as if from one receiver. */
export function* positionFrames(aircraft: number, seconds: number): Iterable<BenchFrame> {
  const traffic = trafficSeconds(aircraft);
  for (let second = 0; second < seconds; second += 1)
    for (const frame of traffic.next().value) if (isPositionTraffic(frame.bytes)) yield { ...frame, receiver: 0 };
}

function isPositionTraffic(bytes: Uint8Array): boolean {
  const df = bytes[0]! >> 3;
  const typeCode = bytes[4]! >> 3;
  return df === 11 || (df === 17 && typeCode >= 9 && typeCode <= 18);
}

/** Packs frames as the ingest does, `framesPerBatch` to a record. */
export function batches(frames: readonly BenchFrame[], framesPerBatch = FRAMES_PER_BATCH): FrameBatch[] {
  const out: FrameBatch[] = [];
  for (let from = 0; from < frames.length; from += framesPerBatch) {
    const part = frames.slice(from, from + framesPerBatch);
    out.push(
      frameBatch(
        part.map((frame) => ({ ...frame, timeUs: START_US + frame.timeUs, receiver: frame.receiver.toString(16).padStart(16, '0') })),
      ),
    );
  }
  return out;
}
