// Copies the frames of a log into one with other partitions: those of all partitions in order of time, the order in a partition kept, as an ingest
// appends them, with event time as its clock.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedFrame } from '../../../schemas/packed-frame.ts';
import { AvroWriter } from '../../avro/writer.ts';
import { decodeFrames } from '../../fold/worker.ts';
import { Batcher } from '../../ingest/batcher.ts';
import { frameRecords } from '../../ingest/frame-records.ts';
import { ReceiverTable } from '../../ingest/receivers.ts';
import type { Codecs } from '../../log/codec.ts';
import type { EventLog, RecordBatch, StoredRecord } from '../../log/event-log.ts';
import { Counters } from '../../runtime/counters.ts';
import { framesOf } from '../replay/log-frames.ts';

interface OpenLog {
  readonly log: EventLog;
  readonly codecs: Codecs;
}

/** Event time between two looks at the batches: nobody waits for these records, so they are longer than live ones. */
const STEP_US = 200_000;
const WHOLE = { sinceMs: null, untilMs: null };

/** `clock` is moved to the event time. Calls `onRecord` for each record read. Records that cannot be read are left out. Errors: those of the logs. */
export async function copyFrames(
  from: OpenLog,
  { log, codecs }: OpenLog,
  {
    clock,
    onRecord,
    signal,
  }: { readonly clock: { us: number }; readonly onRecord: (frames: number) => void; readonly signal: AbortSignal },
): Promise<void> {
  const partitions = log.partitions('frames');
  const receivers = new ReceiverTable();
  const writers = Array.from({ length: partitions }, () => new AvroWriter());
  let failure: unknown = null;
  const batcher = new Batcher({
    ...{ partitions, receivers, counters: new Counters(), nowUs: () => clock.us },
    append: async (partition, batches) => {
      try {
        await log.append('frames', partition, frameRecords(codecs, batches, writers[partition]));
      } catch (error) {
        // A service waits for free space; a command fails.
        failure ??= error;
        throw new Error('not retried', { cause: error });
      }
    },
    onFailure: () => {},
  });
  const sources = Array.from({ length: from.log.partitions('frames') }, (_, partition) => new PartitionFrames(from, partition, onRecord));
  await Promise.all(sources.map((source) => source.nextRecord()));
  let lookedUs = 0;
  while (!signal.aborted && failure === null) {
    const source = sources.reduce((oldest, each) => (each.timeUs < oldest.timeUs ? each : oldest));
    const { timeUs, frame, receiver } = source;
    if (timeUs === Number.POSITIVE_INFINITY) break;
    clock.us = Math.max(clock.us, timeUs);
    if (timeUs >= lookedUs + STEP_US) {
      lookedUs = timeUs;
      batcher.tick(timeUs);
      batcher.heartbeat(timeUs);
      while (batcher.congested || batcher.isBehind) await sleep(1);
    }
    if (frame !== null) {
      frame.receiver = receivers.acquire(receiver);
      batcher.add(frame);
    }
    if (!source.next()) await source.nextRecord();
  }
  await batcher.drain();
  // Without frames: all partitions close the same ticks.
  const end = { baseTimeUs: clock.us, receivers: [], count: 0, frames: new Uint8Array(0) };
  for (let partition = 0; partition < partitions; partition += 1) await log.append('frames', partition, frameRecords(codecs, [end]));
  if (failure !== null) throw failure;
}

/** The frames of a partition, one after the other. */
class PartitionFrames {
  /** Of the frame, or of a record without frames; infinite behind the last one. */
  timeUs = 0;
  frame: ReceivedFrame | null = null;
  receiver = '';
  private readonly codecs: Codecs;
  private readonly onRecord: (frames: number) => void;
  private readonly batches: AsyncIterator<RecordBatch>;
  private records: Iterator<StoredRecord> = [][Symbol.iterator]();
  private frames: Iterator<readonly [ReceivedFrame, string]> = [][Symbol.iterator]();

  constructor({ log, codecs }: OpenLog, partition: number, onRecord: (frames: number) => void) {
    this.codecs = codecs;
    this.onRecord = onRecord;
    this.batches = log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' })[Symbol.asyncIterator]();
  }

  /** Moves to the next frame of the record; false behind its last one. */
  next(): boolean {
    const next = this.frames.next();
    if (next.done === true) return false;
    [this.frame, this.receiver] = next.value;
    this.timeUs = this.frame.timeUs;
    return true;
  }

  /** Moves to the first frame of the next record that can be read. */
  async nextRecord(): Promise<void> {
    for (;;) {
      let record = this.records.next();
      while (record.done === true) {
        const batch = await this.batches.next();
        if (batch.done === true) {
          this.timeUs = Number.POSITIVE_INFINITY;
          return;
        }
        this.records = batch.value.records[Symbol.iterator]();
        record = this.records.next();
      }
      const frames = decodeFrames(this.codecs, record.value);
      this.onRecord(frames?.count ?? 0);
      if (frames === null) continue;
      this.frame = null;
      this.timeUs = frames.baseTimeUs;
      this.frames = framesOf(frames, WHOLE, (id) => id);
      if (frames.count === 0 || this.next()) return;
    }
  }
}
