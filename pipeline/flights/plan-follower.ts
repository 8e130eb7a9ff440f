// Follows the flight-plan topic into the book.

import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { SquitterError } from '../../schemas/errors.ts';
import type { EventLog } from '../log/event-log.ts';
import { type FollowedTopic, followTopic } from '../log/follow-topic.ts';
import type { PlanBook } from './plan-book.ts';

/** The part of the codecs that plans need. */
export interface PlanCodecs {
  readonly FlightPlan: { decode(bytes: Uint8Array): FlightPlan };
}

export interface PlanStats {
  /** Unreadable records. */
  malformed: number;
}

/** Follows until the signal. */
export function followPlans(
  log: EventLog,
  codecs: PlanCodecs,
  book: PlanBook,
  { stats, signal }: { readonly stats: PlanStats; readonly signal: AbortSignal },
): FollowedTopic {
  return followTopic({
    ...{ log, topic: 'flightplans', signal },
    onRecord({ key, value }) {
      try {
        if (value !== null) book.put(codecs.FlightPlan.decode(value));
        else if (key !== null) book.remove(key);
      } catch {
        stats.malformed += 1;
      }
    },
    // Compaction removed the records: the remaining ones are still in offset order.
    after(error) {
      if (error instanceof SquitterError && error.code === 'log.offset_out_of_range') return 'earliest';
      throw error;
    },
  });
}
