// Outputs of ticks as records of the topics: the fold's worker commits them, an audit compares them.
import { feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Codecs } from '../log/codec.ts';
import type { Output, StoredRecord } from '../log/event-log.ts';
import { type OutgoingRecord, RecordBlock } from '../log/record-block.ts';
import type { FoldTick } from './partition-fold.ts';

/** Records for the next commit, in the order of the ticks. */
export class TickOutputs {
  private readonly codecs: Codecs;
  private readonly partition: number;
  private positions: OutgoingRecord[] = [];
  private readonly aircraft = new RecordBlock();
  private isAircraftTaken = false;
  private feeders: OutgoingRecord[] = [];
  private progress: OutgoingRecord[] = [];
  private deadLetters: OutgoingRecord[] = [];
  /** From records after the one that closed the newest tick. */
  private deadLettersWaiting: OutgoingRecord[] = [];
  private deadLettersWaitingBytes = 0;

  constructor(codecs: Codecs, partition: number) {
    this.codecs = codecs;
    this.partition = partition;
  }

  hasTick(): boolean {
    return this.progress.length > 0;
  }

  /** Dead letters come without ticks, and then need their own commit. */
  hasManyDeadLetters(): boolean {
    return (
      this.deadLettersWaiting.length >= limits.deadLettersWaitingMax || this.deadLettersWaitingBytes >= limits.deadLettersWaitingBytesMax
    );
  }

  addTick(tick: FoldTick): void {
    const { tickMs, positions, aircraft } = tick;
    this.releaseDeadLetters();
    for (let from = 0; from < positions.count; from += limits.positionRowsPerBatchMax) {
      const to = Math.min(from + limits.positionRowsPerBatchMax, positions.count);
      const value = this.codecs.PositionBatch.encodeWith((writer) => positions.write(writer, tickMs, from, to));
      this.positions.push({ key: null, value, timestampMs: tickMs });
    }
    if (this.isAircraftTaken) this.aircraft.clear();
    this.isAircraftTaken = false;
    const { writer } = this.aircraft;
    for (let i = 0; i < aircraft.count; i += 1) {
      aircraft.writeKey(writer, i);
      this.aircraft.endKey();
      this.codecs.AircraftState.writeHead(writer);
      aircraft.write(writer, i);
      this.aircraft.end(tickMs);
    }
    for (const hex of tick.gone) {
      writer.characters(hex);
      this.aircraft.endKey();
      this.aircraft.endTombstone(tickMs);
    }
    for (const { id, record } of tick.feeders) {
      const value = this.codecs.FeederRecord.encode(feederRecord({ receiver: { partition: this.partition, ...record } }));
      this.feeders.push({ key: receiverKey(id, this.partition), value, timestampMs: tickMs });
    }
    const progress = this.codecs.FoldProgress.encode({ partition: this.partition, ...tick.progress });
    this.progress.push({ key: String(this.partition), value: progress, timestampMs: tickMs });
  }

  /** Stores a record that cannot be read, with its coordinates in the key, so that the partition continues. */
  addDeadLetter(partition: number, record: StoredRecord): void {
    const value = record.value === null ? Buffer.alloc(0) : Buffer.from(record.value);
    this.deadLettersWaiting.push({ key: `frames/${partition}/${record.offset}`, value, timestampMs: record.timestampMs });
    this.deadLettersWaitingBytes += value.length;
  }

  /**
   * Returns and clears the outputs of the records up to the newest tick, or `'all'`; the arrays are valid until the next tick is added. Progress
   * comes last, so that a reader who sees it can have seen the rest.
   */
  drain(upTo: 'tick' | 'all'): Output[] {
    const { partition } = this;
    if (upTo === 'all') this.releaseDeadLetters();
    const outputs: Output[] = [
      { topic: 'positions', partition, records: this.positions },
      { topic: 'aircraft', partition, records: this.isAircraftTaken ? [] : this.aircraft },
      { topic: 'feeders', partition: 0, records: this.feeders },
      { topic: 'progress', partition, records: this.progress },
      { topic: 'deadletter', partition: 0, records: this.deadLetters },
    ];
    this.positions = [];
    this.isAircraftTaken = true;
    this.feeders = [];
    this.progress = [];
    this.deadLetters = [];
    return outputs.filter((output) => output.records.length > 0);
  }

  private releaseDeadLetters(): void {
    if (this.deadLettersWaiting.length === 0) return;
    this.deadLetters.push(...this.deadLettersWaiting);
    this.deadLettersWaiting = [];
    this.deadLettersWaitingBytes = 0;
  }
}
