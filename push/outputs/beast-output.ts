// Beast output: the raw frames of the log from its end on, as they arrive, in Beast's binary format. Nothing is read while there is no client.
import { BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import { offsetAfter } from '../../pipeline/log/damage.ts';
import type { EventLog, RecordBatch } from '../../pipeline/log/event-log.ts';
import { failure } from '../../pipeline/runtime/waiting.ts';
import { createReceivedFrame, PACKED_FRAME_BYTES, unpackFrame } from '../../schemas/packed-frame.ts';
import { type OutputOptions, OutputServer } from './output-server.ts';

/** Why frame records were not sent to anybody. `deleted`: how often they were deleted before they were read. */
export type SkipReason = 'unreadable' | 'deleted';

export interface FrameSource {
  readonly log: Pick<EventLog, 'partitions' | 'bounds' | 'read'>;
  readonly codecs: Pick<Codecs, 'FrameBatch'>;
}

/** Errors: `listen.port_in_use`, `listen.failed`. */
export async function openBeastOutput(source: FrameSource, options: OutputOptions) {
  const { failed, fail } = failure();
  const skipped: Record<SkipReason, number> = { unreadable: 0, deleted: 0 };
  let following = new AbortController();
  let followed: Promise<unknown> = Promise.resolve();
  const follow = (): void => {
    following = new AbortController();
    const { signal } = following;
    const partitions = Array.from({ length: source.log.partitions('frames') }, (_, partition) => partition);
    const send = (bytes: Uint8Array): void => server.send(bytes);
    const done = Promise.all(partitions.map((partition) => followPartition(source, { partition, signal, skipped, send })));
    followed = Promise.all([followed, done.catch(fail)]);
  };
  const server = await OutputServer.open({
    ...options,
    name: 'Beast',
    onClients: (hasClients) => (hasClients ? follow() : following.abort()),
  });
  return {
    port: server.port,
    /** Rejects with the error of the log that ended the reading. */
    failed,
    stats: () => ({ ...server.stats(), skipped: { ...skipped } }),
    async close(): Promise<void> {
      await server.close();
      following.abort();
      await followed;
    },
  };
}

interface Following {
  readonly partition: number;
  readonly signal: AbortSignal;
  readonly skipped: Record<SkipReason, number>;
  readonly send: (bytes: Uint8Array) => void;
}

/** Sends the frames of each read in one piece, from the present end of the partition until the signal. */
async function followPartition({ log, codecs }: FrameSource, { partition, signal, skipped, send }: Following): Promise<void> {
  const writer = new BeastWriter(Number.POSITIVE_INFINITY);
  while (!signal.aborted) {
    try {
      const { next } = await log.bounds('frames', partition);
      for await (const batch of log.read({ topic: 'frames', partition, from: next, to: 'follow', signal })) {
        if (signal.aborted) return;
        skipped.unreadable += addFrames(writer, codecs, batch);
        const bytes = writer.takeBytes();
        if (bytes.length > 0) send(bytes);
      }
    } catch (error) {
      if (signal.aborted) return;
      skipped[offsetAfter(error) === 'earliest' ? 'deleted' : 'unreadable'] += 1;
    }
  }
}

/** Returns the number of unreadable records. */
function addFrames(writer: BeastWriter, codecs: FrameSource['codecs'], { records }: RecordBatch): number {
  let unreadable = 0;
  for (const { value } of records) {
    const packed = value === null ? null : packedFrames(codecs, value);
    if (packed === null) {
      unreadable += 1;
      continue;
    }
    if (packed.length === 0) continue;
    const frame = createReceivedFrame(packed);
    for (let at = 0; at < packed.length; at += PACKED_FRAME_BYTES) {
      unpackFrame(packed, at, frame);
      writer.add(frame);
    }
  }
  return unreadable;
}

/** The packed frames of a record, none for a heartbeat; null for one that cannot be read. */
function packedFrames(codecs: FrameSource['codecs'], value: Uint8Array): Uint8Array | null {
  try {
    const { count, frames } = codecs.FrameBatch.decode(value);
    return frames.length === count * PACKED_FRAME_BYTES ? frames : null;
  } catch {
    return null;
  }
}
