// Candidates for the route of a call sign, best source first: observed corrections, then plans, then schedules.
import type { FlightPlan, FlightPlanSource } from '../../schemas/avro/flight-plan.ts';
import type { Reference } from '../reference/reference.ts';
import type { FlightAirport, FlightAirports } from './airports.ts';
import type { PlanBook } from './plan-book.ts';
import type { Leg } from './plausibility.ts';

export interface Candidate extends Leg {
  readonly source: FlightPlanSource;
}

export interface Candidates {
  readonly legs: readonly Candidate[];
  /** Valid until then, unless plans or reference data change. */
  readonly untilMs: number;
  readonly plans: readonly FlightPlan[];
  readonly version: number;
}

const RANK: Readonly<Record<FlightPlanSource, number>> = { observed: 0, plan: 1, schedule: 2 };

/** Routes of a call sign (without blanks) at a time. */
export function candidatesOf(
  callsign: string,
  nowMs: number,
  { book, reference, airports }: { readonly book: PlanBook; readonly reference: Reference; readonly airports: FlightAirports },
): Candidates {
  const plans = book.plansOf(callsign);
  let untilMs = Number.POSITIVE_INFINITY;
  const legs: Candidate[] = [];
  // The later of two equally good legs comes first: on the ground between two legs, the next one is flown.
  for (const { originIcao, destinationIcao, source, validFromMs, validToMs } of plans.toSorted((a, b) => b.validFromMs - a.validFromMs)) {
    if (validToMs < nowMs) continue;
    untilMs = Math.min(untilMs, validFromMs > nowMs ? validFromMs : validToMs);
    if (validFromMs > nowMs) continue;
    const leg = { origin: known(airports, originIcao), destination: known(airports, destinationIcao), source };
    if (leg.origin !== null || leg.destination !== null) legs.push(leg);
  }
  const stops = reference.route(callsign) ?? [];
  for (let i = stops.length - 2; i >= 0; i -= 1) {
    const origin = airports.flightAirport(stops[i]!) ?? null;
    const destination = airports.flightAirport(stops[i + 1]!) ?? null;
    if (origin !== null && destination !== null) legs.push({ origin, destination, source: 'schedule' });
  }
  legs.sort((a, b) => RANK[a.source] - RANK[b.source]);
  return { legs, untilMs, plans, version: reference.version };
}

/** The same airports, from the same source. */
export function isSameLeg(a: Candidate, b: Candidate): boolean {
  return a.source === b.source && a.origin?.code === b.origin?.code && a.destination?.code === b.destination?.code;
}

/** An empty code stands for an unknown airport. */
function known(airports: FlightAirports, code: string): FlightAirport | null {
  return code === '' ? null : (airports.byCode(code) ?? null);
}
