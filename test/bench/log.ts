// Append and read of the embedded log in frames per second by the clock, beside plain writes and reads of the same bytes.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { limits } from '../../schemas/limits/index.ts';
import { PACKED_FRAME_BYTES } from '../../schemas/packed-frame.ts';
import { withFolder } from './children.ts';
import { batches, repeated, simulatedFrames } from './frames.ts';
import { type Bench, median, rateFigure } from './harness.ts';

const FRAMES_PER_RECORD = Math.floor(limits.frameBatchBytesMax / PACKED_FRAME_BYTES);
/** 336 MB of frames per run. */
const FRAMES = 12_000_000;
const WARM_UP_FRAMES = 600_000;
const RUNS = 3;
/** Records per append, as of a busy ingest. */
const RECORDS_PER_APPEND = 16;
/** Concurrent appends in a partition. */
const APPENDS_PER_PARTITION = 2;

/** Frames per second. */
interface Rates {
  readonly append: number;
  readonly read: number;
}

/** Appends `frames` frames to all partitions, repeating the records of `source`; resolves when all are acknowledged. */
async function appendFrames({ log, codecs }: OpenData, source: readonly FrameBatch[], frames: number): Promise<number> {
  const partitions = log.partitions('frames');
  let next = 0;
  let appended = 0;
  const appendSome = async (partition: number): Promise<void> => {
    while (next * FRAMES_PER_RECORD < frames) {
      const values = Array.from({ length: RECORDS_PER_APPEND }, (_, i) => source[(next + i) % source.length]!);
      next += RECORDS_PER_APPEND;
      await log.append('frames', partition, frameRecords(codecs, values));
      for (const { count } of values) appended += count;
    }
  };
  await Promise.all(Array.from({ length: partitions * APPENDS_PER_PARTITION }, (_, lane) => appendSome(lane % partitions)));
  return appended;
}

/** Reads all partitions from start to end, one after another, and decodes every record. */
export async function readFrames({ log, codecs }: { readonly log: EventLog; readonly codecs: Codecs }): Promise<number> {
  let frames = 0;
  for (let partition = 0; partition < log.partitions('frames'); partition += 1)
    for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
      for (const { value } of records) frames += codecs.FrameBatch.decode(value!).count;
  return frames;
}

async function ours(folder: string, source: readonly FrameBatch[], frames: number): Promise<Rates> {
  const data = await openData(folder, 'write');
  try {
    const start = performance.now();
    const appended = await appendFrames(data, source, frames);
    const middle = performance.now();
    const read = await readFrames(data);
    if (read !== appended) throw new Error(`${appended} frames appended, ${read} read`);
    return { append: (1000 * appended) / (middle - start), read: (1000 * read) / (performance.now() - middle) };
  } finally {
    await data.log.close();
  }
}

/** The same bytes in one file. */
async function plain(folder: string, source: readonly FrameBatch[], frames: number): Promise<Rates> {
  const file = openSync(join(folder, 'plain'), 'w+');
  const records = Math.ceil(frames / FRAMES_PER_RECORD);
  const start = performance.now();
  for (let i = 0; i < records; i += 1) writeSync(file, source[i % source.length]!.frames);
  const middle = performance.now();
  const memory = Buffer.alloc(FRAMES_PER_RECORD * PACKED_FRAME_BYTES);
  for (let i = 0; i < records; i += 1) readSync(file, memory, 0, memory.length, i * memory.length);
  const end = performance.now();
  closeSync(file);
  return { append: (1000 * frames) / (middle - start), read: (1000 * frames) / (end - middle) };
}

/** Medians of several runs, each in a new folder, after a short warm-up. */
async function rates(run: typeof ours, source: readonly FrameBatch[]): Promise<Rates> {
  const all: Rates[] = [];
  for (let i = 0; i <= RUNS; i += 1) {
    const found = await withFolder((folder) => run(folder, source, i === 0 ? WARM_UP_FRAMES : FRAMES));
    if (i > 0) all.push(found);
  }
  return { append: median(all.map(({ append }) => append)), read: median(all.map(({ read }) => read)) };
}

export const logBench: Bench = {
  name: 'log',
  summary: 'append (acknowledged: a kill -9 loses nothing) and read of the frames topic through the embedded log',
  async run() {
    const source = batches(repeated(simulatedFrames(1500, 4), 64 * FRAMES_PER_RECORD), FRAMES_PER_RECORD);
    const own = await rates(ours, source);
    const reference = await rates(plain, source);
    const input = `${FRAMES} frames in FrameBatch records of ${FRAMES_PER_RECORD}, ${RECORDS_PER_APPEND} per append; median of ${RUNS} runs by the clock`;
    return [
      rateFigure('log-append', 'frames/s', own.append, `${input}, encoded and acknowledged`, {
        value: reference.append,
        what: 'writeSync of the same bytes to one file',
      }),
      rateFigure('log-read', 'frames/s', own.read, `${input}, read from the page cache and decoded`, {
        value: reference.read,
        what: 'readSync of the same bytes',
      }),
    ];
  },
};
