// Inputs of the fold's benchmarks: real frames of the shared data repeated, or simulated traffic, as FrameBatch values.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { PACKED_FRAME_BYTES, packFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';

export interface BenchFrame {
  readonly timeUs: number;
  readonly bytes: Uint8Array;
  /** Which receiver heard it. */
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
const FRAMES_PER_BATCH = 1500;
const START_US = 1_700_000_000_000_000;

/** The mixed real frames in order of the time since each recording began; null where the shared data are not there. */
export function realFrames(): BenchFrame[] | null {
  const folder = join(process.env['SQUITTER_SHARED'] ?? resolve('../shared'), 'data/frames');
  if (!existsSync(folder)) return null;
  const frames: BenchFrame[] = [];
  for (const set of SETS) {
    const rows = readFileSync(join(folder, set), 'utf8').trim().split('\n').slice(1);
    const firstS = Number(rows[0]!.split(',')[0]);
    for (const row of rows) {
      const [t, hex] = row.split(',') as [string, string];
      frames.push({ timeUs: Math.round((Number(t) - firstS) * 1e6), bytes: Buffer.from(hex, 'hex'), receiver: 0 });
    }
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

/** `seconds` of simulated traffic. */
export function simulatedFrames(aircraft: number, seconds: number, seed = 1): BenchFrame[] {
  const traffic = createTraffic({ aircraft, seed, startUs: START_US });
  const out: BenchFrame[] = [];
  traffic.advance(START_US + seconds * 1e6, ({ timeUs, bytes, at, byteLength, receiver }) => {
    out.push({ timeUs: timeUs - START_US, bytes: bytes.slice(at, at + byteLength), receiver });
  });
  return out;
}

/** Packs frames as the ingest does, `framesPerBatch` to a record. */
export function batches(frames: readonly BenchFrame[], framesPerBatch = FRAMES_PER_BATCH): FrameBatch[] {
  const out: FrameBatch[] = [];
  const received: ReceivedFrame = {
    timeUs: 0,
    counter: 0,
    signal: 128,
    flags: 0,
    receiver: 0,
    bytes: new Uint8Array(14),
    at: 0,
    byteLength: 14,
  };
  for (let from = 0; from < frames.length; from += framesPerBatch) {
    const part = frames.slice(from, from + framesPerBatch);
    const baseTimeUs = START_US + Math.min(...part.map(({ timeUs }) => timeUs));
    const packed = new Uint8Array(part.length * PACKED_FRAME_BYTES);
    const indexes = new Map<number, number>();
    part.forEach(({ timeUs, bytes, receiver }, i) => {
      if (!indexes.has(receiver)) indexes.set(receiver, indexes.size);
      received.timeUs = START_US + timeUs;
      received.receiver = indexes.get(receiver)!;
      received.bytes = bytes;
      received.byteLength = bytes.length === 7 ? 7 : 14;
      packFrame(packed, i * PACKED_FRAME_BYTES, baseTimeUs, received);
    });
    out.push({ baseTimeUs, receivers: [...indexes.keys()].map((receiver) => `receiver-${receiver}`), count: part.length, frames: packed });
  }
  return out;
}
