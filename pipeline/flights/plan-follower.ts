// Follows the flight-plan topic into the book, and writes to it what was observed.

import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import type { EventLog } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import { RecordQueue } from '../log/record-queue.ts';
import type { PlanBook } from './plan-book.ts';

/** The part of the codecs that plans need. */
export interface PlanCodecs {
  readonly FlightPlan: { encode(plan: FlightPlan): Uint8Array; decode(bytes: Uint8Array): FlightPlan };
}

export interface PlanStats {
  /** Records that could not be read. */
  malformed: number;
  /** Observed plans that could not be written. */
  lost: number;
}

/** Reads until the signal. Errors of the log reject. */
export async function followPlans(
  log: EventLog,
  codecs: PlanCodecs,
  book: PlanBook,
  { stats, signal }: { readonly stats: PlanStats; readonly signal: AbortSignal },
): Promise<void> {
  let from: number | 'earliest' = 'earliest';
  while (!signal.aborted) {
    try {
      for await (const { records, nextOffset } of log.read({ topic: 'flightplans', partition: 0, from, to: 'follow', signal })) {
        for (const record of records) take(record, codecs, book, stats);
        from = nextOffset;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      // Compaction was faster: what is left is in the order of its offsets still.
      if (!(error instanceof SquitterError && error.code === 'log.offset_out_of_range')) throw error;
      from = 'earliest';
    }
  }
}

function take({ key, value }: OutgoingRecord, codecs: PlanCodecs, book: PlanBook, stats: PlanStats): void {
  try {
    if (value !== null) book.put(codecs.FlightPlan.decode(value));
    else if (key !== null) book.remove(key);
  } catch {
    stats.malformed += 1;
  }
}

/** Observed plans on their way to the log. Beyond the limit, and when the log does not take them, they are lost and counted. */
export class PlanWriter {
  private readonly queue: RecordQueue;
  private readonly codecs: PlanCodecs;
  private readonly stats: PlanStats;

  constructor(log: EventLog, codecs: PlanCodecs, stats: PlanStats) {
    this.codecs = codecs;
    this.stats = stats;
    this.queue = new RecordQueue({
      log,
      topic: 'flightplans',
      waitingMax: limits.flightPlansWaitingMax,
      onFailure: (_error, records) => {
        stats.lost += records.length;
      },
    });
  }

  write(plan: FlightPlan, timestampMs: number): void {
    const record = { key: plan.callsign, value: this.codecs.FlightPlan.encode(plan), timestampMs };
    if (!this.queue.add(record)) this.stats.lost += 1;
  }

  /** Waits for what is being written. */
  stop(): Promise<void> {
    return this.queue.stop();
  }
}
