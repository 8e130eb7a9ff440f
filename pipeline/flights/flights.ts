// Flights as a whole: plans followed, routes judged at each tick, observations written.

import type { EventLog } from '../log/event-log.ts';
import type { Reference } from '../reference/reference.ts';
import type { LiveTable } from '../view/table.ts';
import { Fields } from './airports.ts';
import { PlanBook } from './plan-book.ts';
import { followPlans, type PlanCodecs, type PlanStats, PlanWriter } from './plan-follower.ts';
import type { FlightTrack } from './track.ts';
import { FlightTracker, type TrackerStats } from './tracker.ts';

export interface FollowedFlights {
  /** Airports as flights know them. */
  readonly fields: Fields;
  /** What is remembered of an aircraft, by its `hexKey`. */
  readonly trackOf: (key: number) => FlightTrack | undefined;
  /** Sets the routes of a tick: the view calls it before each snapshot. */
  readonly onTick: (table: LiveTable, tickMs: number) => void;
  readonly book: PlanBook;
  readonly stats: TrackerStats;
  readonly planStats: PlanStats;
  /** Settles when the following ended; rejects with what broke it. */
  readonly done: Promise<void>;
  /** Stops following and waits for what is being written. */
  close(): Promise<void>;
}

/** Follows the flight-plan topic of a log. */
export function openFlights(log: EventLog, codecs: PlanCodecs, reference: Reference): FollowedFlights {
  const stop = new AbortController();
  const book = new PlanBook();
  const fields = new Fields(reference);
  const planStats: PlanStats = { malformed: 0, lost: 0 };
  const writer = new PlanWriter(log, codecs, planStats);
  const tracker = new FlightTracker({ book, fields, reference, onObserved: (plan, timeMs) => writer.write(plan, timeMs) });
  const done = followPlans(log, codecs, book, { stats: planStats, signal: stop.signal });
  done.catch(() => {});
  return {
    fields,
    trackOf: (key) => tracker.of(key),
    onTick: tracker.tick,
    book,
    stats: tracker.stats,
    planStats,
    done,
    async close() {
      stop.abort();
      await Promise.all([done.catch(() => {}), writer.stop()]);
    },
  };
}
