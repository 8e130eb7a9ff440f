// Append and read of the embedded log in frames per second, compared with one record per frame in the same log.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { limits } from '../../schemas/limits.ts';
import { PACKED_FRAME_BYTES } from '../../schemas/packed-frame.ts';
import { batches, repeated, simulatedFrames } from './frames.ts';
import { type Bench, rateFigure } from './harness.ts';

const FRAMES_PER_RECORD = Math.floor(limits.frameBatchBytesMax / PACKED_FRAME_BYTES);
/** 336 MB of frames per run. */
const FRAMES = 12_000_000;
/** The reference is slow: it gets fewer frames. */
const REFERENCE_FRAMES = 1_000_000;
const WARM_UP_FRAMES = 600_000;
const RUNS = 3;
/** Records per append, as of a busy ingest. */
const RECORDS_PER_APPEND = 16;
/** Concurrent appends in a partition. */
const APPENDS_PER_PARTITION = 2;

interface Rates {
  /** Frames per second. */
  readonly append: number;
  readonly read: number;
}

/** Appends `frames` frames to all partitions, repeating the records of `source`; resolves when all are acknowledged. */
async function appendFrames({ log, codecs }: OpenData, source: readonly FrameBatch[], perAppend: number, frames: number): Promise<number> {
  const partitions = log.partitions('frames');
  let next = 0;
  let left = frames;
  let appended = 0;
  const appendSome = async (partition: number): Promise<void> => {
    while (left > 0) {
      const values: FrameBatch[] = [];
      while (values.length < perAppend && left > 0) {
        const value = source[next % source.length]!;
        next += 1;
        left -= value.count;
        values.push(value);
      }
      await log.append('frames', partition, frameRecords(codecs, values));
      for (const { count } of values) appended += count;
    }
  };
  const lanes = Array.from({ length: partitions * APPENDS_PER_PARTITION }, (_, lane) => appendSome(lane % partitions));
  await Promise.all(lanes);
  return appended;
}

/** Reads all partitions from start to end, one after another, and decodes every record. */
async function readFrames(log: EventLog, codecs: Codecs): Promise<number> {
  let frames = 0;
  for (let partition = 0; partition < log.partitions('frames'); partition += 1)
    for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
      for (const { value } of records) frames += codecs.FrameBatch.decode(value!).count;
  return frames;
}

async function run(source: readonly FrameBatch[], perAppend: number, frames: number): Promise<Rates> {
  const folder = await mkdtemp(join(tmpdir(), 'squitter-bench-'));
  try {
    const data = await openData(folder, 'write');
    try {
      const start = performance.now();
      const appended = await appendFrames(data, source, perAppend, frames);
      const middle = performance.now();
      const read = await readFrames(data.log, data.codecs);
      const end = performance.now();
      if (read !== appended) throw new Error(`${appended} frames appended, ${read} read`);
      return { append: appended / ((middle - start) / 1000), read: read / ((end - middle) / 1000) };
    } finally {
      await data.log.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Medians of several runs, each in a new log, after a short warm-up. */
async function rates(source: readonly FrameBatch[], perAppend: number, frames: number): Promise<Rates> {
  await run(source, perAppend, WARM_UP_FRAMES);
  const all: Rates[] = [];
  for (let i = 0; i < RUNS; i += 1) all.push(await run(source, perAppend, frames));
  const median = (values: number[]): number => values.sort((a, b) => a - b)[RUNS >> 1]!;
  return { append: median(all.map(({ append }) => append)), read: median(all.map(({ read }) => read)) };
}

export const logBench: Bench = {
  name: 'log',
  summary: 'append (acknowledged: a kill -9 loses nothing) and read of the frames topic through the embedded log',
  async run() {
    const frames = repeated(simulatedFrames(1500, 4), 64 * FRAMES_PER_RECORD);
    const packed = batches(frames, FRAMES_PER_RECORD);
    const single = batches(frames.slice(0, 16 * FRAMES_PER_RECORD), 1);
    const ours = await rates(packed, RECORDS_PER_APPEND, FRAMES);
    // As many frames per append as ours, so that only the form of the records differs.
    const reference = await rates(single, RECORDS_PER_APPEND * FRAMES_PER_RECORD, REFERENCE_FRAMES);
    const megabytes = Math.round((FRAMES * PACKED_FRAME_BYTES) / 1e6);
    const size = `${FRAMES} frames (${megabytes} MB) in FrameBatch records of ${FRAMES_PER_RECORD}, ${RECORDS_PER_APPEND} records per append`;
    const rest = `median of ${RUNS} runs by the clock; reference: the same log and appends, one frame per record, ${REFERENCE_FRAMES} frames`;
    return [
      rateFigure('log-append', 'frames/s', ours.append, reference.append, `${size}, encoded and acknowledged; ${rest}`),
      rateFigure(
        'log-read',
        'frames/s',
        ours.read,
        reference.read,
        `${size}, read from the start (out of the page cache) and decoded; ${rest}`,
      ),
    ];
  },
};
