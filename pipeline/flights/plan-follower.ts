// Follows the flight-plan topic into the book.

import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { SquitterError } from '../../schemas/errors.ts';
import type { EventLog } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import type { PlanBook } from './plan-book.ts';

/** The part of the codecs that plans need. */
export interface PlanCodecs {
  readonly FlightPlan: { decode(bytes: Uint8Array): FlightPlan };
}

export interface PlanStats {
  /** Unreadable records. */
  malformed: number;
}

export interface PlanFollower {
  /** Settles when every plan that the topic had at the start is in the book. */
  readonly loaded: Promise<void>;
  /** Settles when the follower stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
}

/** Follows until the signal. */
export function followPlans(
  log: EventLog,
  codecs: PlanCodecs,
  book: PlanBook,
  { stats, signal }: { readonly stats: PlanStats; readonly signal: AbortSignal },
): PlanFollower {
  const take = ({ key, value }: OutgoingRecord): void => {
    try {
      if (value !== null) book.put(codecs.FlightPlan.decode(value));
      else if (key !== null) book.remove(key);
    } catch {
      stats.malformed += 1;
    }
  };
  let from: number | 'earliest' = 'earliest';
  const read = async (to: number | 'follow'): Promise<void> => {
    for (;;) {
      try {
        for await (const { records, nextOffset } of log.read({ topic: 'flightplans', partition: 0, from, to, signal })) {
          for (const record of records) take(record);
          from = nextOffset;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        // Compaction removed the records: the remaining ones are still in offset order.
        if (!(error instanceof SquitterError && error.code === 'log.offset_out_of_range')) throw error;
        from = 'earliest';
      }
    }
  };
  const load = async (): Promise<void> => read((await log.bounds('flightplans', 0)).next);
  const loaded = load();
  const done = loaded.then(() => (signal.aborted ? undefined : read('follow')));
  loaded.catch(() => {});
  done.catch(() => {});
  return { loaded, done };
}
