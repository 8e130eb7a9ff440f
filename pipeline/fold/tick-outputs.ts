// What ticks give, as records of the topics: the fold's worker commits them, an audit compares them.
import { limits } from '../../schemas/limits.ts';
import type { Codecs } from '../log/codec.ts';
import type { OutgoingRecord, Output, StoredRecord } from '../log/event-log.ts';
import type { FoldTick } from './partition-fold.ts';

/** Records that wait for the next commit, in the order in which ticks gave them. */
export class TickOutputs {
  private readonly codecs: Codecs;
  private readonly partition: number;
  private positions: OutgoingRecord[] = [];
  private aircraft: OutgoingRecord[] = [];
  private progress: OutgoingRecord[] = [];
  private deadLetters: OutgoingRecord[] = [];

  constructor(codecs: Codecs, partition: number) {
    this.codecs = codecs;
    this.partition = partition;
  }

  isEmpty(): boolean {
    return this.progress.length === 0 && this.deadLetters.length === 0;
  }

  addTick(tick: FoldTick): void {
    const { tickMs, positions, aircraft } = tick;
    for (let from = 0; from < positions.count; from += limits.positionRowsPerBatchMax) {
      const to = Math.min(from + limits.positionRowsPerBatchMax, positions.count);
      const value = this.codecs.PositionBatch.encodeWith((writer) => positions.write(writer, tickMs, from, to));
      this.positions.push({ key: null, value, timestampMs: tickMs });
    }
    const states = this.codecs.AircraftState.encodeEach(aircraft.count, (writer, i) => aircraft.write(writer, i));
    for (const [i, value] of states.entries()) this.aircraft.push({ key: aircraft.hex(i), value, timestampMs: tickMs });
    for (const hex of tick.gone) this.aircraft.push({ key: hex, value: null, timestampMs: tickMs });
    const progress = this.codecs.FoldProgress.encode({ partition: this.partition, ...tick.progress });
    this.progress.push({ key: String(this.partition), value: progress, timestampMs: tickMs });
  }

  /** Keeps a record that cannot be read, with its coordinates in the key, so that the partition moves on. */
  addDeadLetter(partition: number, record: StoredRecord): void {
    const value = record.value === null ? Buffer.alloc(0) : Buffer.from(record.value);
    this.deadLetters.push({ key: `frames/${partition}/${record.offset}`, value, timestampMs: record.timestampMs });
  }

  /** Hands over what waits; progress comes last, so that a reader who sees it can have seen the rest. */
  take(): Output[] {
    const { partition } = this;
    const outputs: Output[] = [
      { topic: 'positions', partition, records: this.positions },
      { topic: 'aircraft', partition, records: this.aircraft },
      { topic: 'progress', partition, records: this.progress },
      { topic: 'deadletter', partition: 0, records: this.deadLetters },
    ];
    this.positions = [];
    this.aircraft = [];
    this.progress = [];
    this.deadLetters = [];
    return outputs.filter((output) => output.records.length > 0);
  }
}
