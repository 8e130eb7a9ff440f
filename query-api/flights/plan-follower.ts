// Follows the flight-plan topic into the book, and writes to it what was observed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog, OutgoingRecord } from '../../pipeline/log/event-log.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import type { PlanBook } from './plan-book.ts';

const RETRY_MS = 1000;

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

/** Observed plans on their way to the log, in order. A log that is away for a while is waited for; beyond the limit they are lost and counted. */
export class PlanWriter {
  private readonly log: EventLog;
  private readonly codecs: PlanCodecs;
  private readonly stats: PlanStats;
  private waiting: OutgoingRecord[] = [];
  private running: Promise<void> | null = null;
  private stopped = false;

  constructor(log: EventLog, codecs: PlanCodecs, stats: PlanStats) {
    this.log = log;
    this.codecs = codecs;
    this.stats = stats;
  }

  write(plan: FlightPlan, timestampMs: number): void {
    if (this.stopped || this.waiting.length >= limits.flightPlansWaitingMax) {
      this.stats.lost += 1;
      return;
    }
    this.waiting.push({ key: plan.callsign, value: this.codecs.FlightPlan.encode(plan), timestampMs });
    this.running ??= this.run();
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const records = this.waiting;
      this.waiting = [];
      try {
        await this.log.append('flightplans', 0, records);
      } catch (error) {
        const isRetriable = error instanceof SquitterError && error.retriable;
        if (!isRetriable || this.stopped) this.stats.lost += records.length;
        else {
          this.waiting.unshift(...records);
          await sleep(RETRY_MS);
        }
      }
    }
    this.running = null;
  }
}
