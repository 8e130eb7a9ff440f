// Frames of a stretch of a log, as a replay sends them: partitions merged by time, each frame with its receiver.
import { createHash } from 'node:crypto';
import type { FrameBatch } from '../../../schemas/avro/frame-batch.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { createReceivedFrame, PACKED_FRAME_BYTES, packedTimeUs, type ReceivedFrame, unpackFrame } from '../../../schemas/packed-frame.ts';
import { decodeFrames } from '../../fold/worker.ts';
import { FILE_RECEIVER } from '../../ingest/file-reader.ts';
import type { Codecs } from '../../log/codec.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readMerged } from '../partition-merge.ts';

const ID_DIGITS = 16;

export interface Stretch {
  readonly sinceMs: number | null;
  /** Exclusive; null: up to the end of the log at the start. */
  readonly untilMs: number | null;
}

export const WHOLE: Stretch = { sinceMs: null, untilMs: null };

/** The records of a stretch in time order. Those that cannot be read are left out. */
export async function* stretchBatches(
  { log, codecs }: { readonly log: EventLog; readonly codecs: Codecs },
  { sinceMs, untilMs }: Stretch,
  signal: AbortSignal,
): AsyncGenerator<FrameBatch> {
  const records = readMerged(log, {
    topic: 'frames',
    async from(partition) {
      const { earliest } = await log.bounds('frames', partition);
      return sinceMs === null ? earliest : Math.max(earliest, await log.offsetAt('frames', partition, sinceMs - limits.replayRecordMsMax));
    },
    to: async (partition) =>
      untilMs === null
        ? (await log.bounds('frames', partition)).next
        : log.offsetAt('frames', partition, untilMs + limits.replayRecordMsMax),
    signal,
  });
  for await (const record of records) {
    const batch = decodeFrames(codecs, record);
    if (batch !== null && batch.count > 0) yield batch;
  }
}

/** The frames of a record within the stretch, one after the other in one object; with their receivers, as `nameOf` names them. */
export function* framesOf(
  batch: FrameBatch,
  { sinceMs, untilMs }: Stretch,
  nameOf: (id: string) => string = beastId,
): Generator<readonly [frame: ReceivedFrame, receiver: string]> {
  const { frames, baseTimeUs, receivers } = batch;
  const [sinceUs, untilUs] = [1000 * (sinceMs ?? Number.NEGATIVE_INFINITY), 1000 * (untilMs ?? Number.POSITIVE_INFINITY)];
  const frame = createReceivedFrame(frames);
  const ids = receivers.map(nameOf);
  const count = Math.min(batch.count, Math.floor(frames.length / PACKED_FRAME_BYTES));
  for (let i = 0, at = 0; i < count; i += 1, at += PACKED_FRAME_BYTES) {
    frame.timeUs = baseTimeUs + packedTimeUs(frames, at);
    if (frame.timeUs < sinceUs || frame.timeUs >= untilUs) continue;
    unpackFrame(frames, at, frame);
    yield [frame, ids[frame.receiver] ?? FILE_RECEIVER];
  }
}

/** A receiver as Beast names it, 16 hex digits: its own id if it is one, else a hash, so that receivers stay different. */
function beastId(id: string): string {
  const digits = id.replaceAll('-', '');
  if (/^[0-9a-f]{16}$/i.test(digits)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, ID_DIGITS);
}
