// Input of the fold's benchmarks as FrameBatch values: repeated real frames of the shared data, or simulated traffic.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parityRemainder } from '../../pipeline/decode/crc.ts';
import { type FoldTick, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { frameAddress } from '../../pipeline/ingest/partition.ts';
import { sealFrame } from '../../pipeline/simulate/encode/parity.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { type RecordedFrame, readCsvFrames } from '../golden/fold-frames.ts';
import { cut, START_US, trafficOf, trafficSeconds } from '../properties/traffic.ts';
import { sharedDir } from '../support/requirements.ts';

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

/** All real frames in order of the time since the start of their recording; null without the shared data. */
export const realFrames = (): RecordedFrame[] | null => recordedFrames(SETS);

/**
 * The recordings of all formats, with every aircraft copied under new addresses until there are `aircraft`, all at the same time;
 * null without the shared data.
 */
export function crowdedFrames(aircraft: number): RecordedFrame[] | null {
  const recorded = recordedFrames(ALL_FORMATS);
  if (recorded === null) return null;
  const announced = new Set(
    recorded.filter(({ bytes }) => [11, 17].includes(bytes[0]! >> 3)).map(({ bytes }) => frameAddress(bytes, 0, lengthOf(bytes))),
  );
  const copies = Math.ceil(aircraft / announced.size);
  return recorded.flatMap((frame) =>
    Array.from({ length: copies }, (_, copy) => ({ ...frame, bytes: withOtherAddress(frame.bytes, copy) })),
  );
}

const lengthOf = ({ length }: Uint8Array): 7 | 14 => (length === 7 ? 7 : 14);

/** The same frame from an aircraft whose address differs by `mask`: in the address field, or in the parity that is overlaid with it. */
function withOtherAddress(bytes: Uint8Array, mask: number): Uint8Array {
  const out = bytes.slice();
  const isAnnounced = [11, 17, 18].includes(out[0]! >> 3);
  const remainder = parityRemainder(out, 0, lengthOf(out));
  if (isAnnounced) out[3]! ^= mask;
  sealFrame(out, lengthOf(out), isAnnounced ? remainder : remainder ^ mask);
  return out;
}

function recordedFrames(sets: readonly string[]): RecordedFrame[] | null {
  const folder = join(sharedDir, 'data/frames');
  if (!existsSync(folder)) return null;
  const frames: RecordedFrame[] = [];
  for (const set of sets) {
    const recorded = readCsvFrames(join(folder, set));
    for (const { timeUs, bytes } of recorded) frames.push({ timeUs: START_US + timeUs - recorded[0]!.timeUs, bytes });
  }
  return frames.filter(({ bytes }) => bytes.length === 7 || bytes.length === 14).sort((a, b) => a.timeUs - b.timeUs);
}

/** Repeats frames one after another in time until there are at least `framesMin`. */
export function repeated(frames: readonly RecordedFrame[], framesMin: number): RecordedFrame[] {
  const spanUs = frames.at(-1)!.timeUs - START_US + 1_000_000;
  const out: RecordedFrame[] = [];
  for (let round = 0; out.length < framesMin; round += 1)
    for (const frame of frames) out.push({ ...frame, timeUs: frame.timeUs + round * spanUs });
  return out;
}

/** Frames as the fold's benchmarks have them: all of one level. */
const levelled = (frames: readonly RecordedFrame[]): RecordedFrame[] =>
  frames.map(({ timeUs, bytes, receiver }) => ({ timeUs, bytes, receiver: receiver! }));

/** `seconds` of simulated traffic. */
export const simulatedFrames = (aircraft: number, seconds: number, seed = 1): RecordedFrame[] =>
  levelled(trafficOf(seconds, { aircraft, seed }));

/** The airborne positions of simulated traffic and occasional all-call squitters, as if from one receiver. */
export function* positionFrames(aircraft: number, seconds: number): Iterable<RecordedFrame> {
  const traffic = trafficSeconds({ aircraft, seed: 1 });
  for (let second = 0; second < seconds; second += 1)
    for (const { timeUs, bytes } of traffic.next().value) if (isPositionTraffic(bytes)) yield { timeUs, bytes };
}

function isPositionTraffic(bytes: Uint8Array): boolean {
  const df = bytes[0]! >> 3;
  const typeCode = bytes[4]! >> 3;
  return df === 11 || (df === 17 && typeCode >= 9 && typeCode <= 18);
}

/** Packs frames as the ingest does, `framesPerBatch` to a record. */
export const batches = (frames: readonly RecordedFrame[], framesPerBatch = FRAMES_PER_BATCH): FrameBatch[] => cut(frames, [framesPerBatch]);

/** Simulated traffic through a fold: each call folds the next second. */
export function simulatedFold(aircraft: number, onTick: (tick: FoldTick) => void): () => void {
  const traffic = trafficSeconds({ aircraft, seed: 1 });
  const fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  let offset = 0;
  return () => {
    for (const batch of batches(levelled(traffic.next().value))) {
      fold.apply(batch, offset, onTick);
      offset += 1;
    }
  };
}
