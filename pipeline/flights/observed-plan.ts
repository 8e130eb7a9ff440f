// The flight plan that corrects a route after an observed take-off or landing. It goes to the log, so that it survives a restart and other processes see it.
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import type { Movement } from './movements.ts';
import type { FlightTrack } from './track.ts';

const MINUTE_MS = 60_000;
/** The longest flights take 19 hours. */
const FLIGHT_MS_MAX = 20 * 3_600_000;
/** How long a flight is shown after its landing. */
const LANDED_MS = 30 * MINUTE_MS;

/** The plan for an observation; null when the known routes already agree, or without a call sign. */
export function correctionOf(track: FlightTrack, movement: Movement): FlightPlan | null {
  const { callsign } = track;
  if (callsign === null || callsign === '') return null;
  return movement.kind === 'takeoff' ? takeoffOf(callsign, track, movement) : landingOf(callsign, track, movement);
}

function takeoffOf(callsign: string, { candidates }: FlightTrack, { airport, timeMs }: Movement): FlightPlan | null {
  const legs = candidates?.legs ?? [];
  const fromHere = legs.find(({ origin }) => origin?.key === airport.key);
  // Otherwise an older observation would have precedence over a correct plan.
  const isContradicted = legs.some(({ origin, source }) => source === 'observed' && origin?.key !== airport.key);
  if (fromHere !== undefined && !isContradicted) return null;
  return plan(callsign, [airport.code, fromHere?.destination?.code ?? ''], timeMs, timeMs + FLIGHT_MS_MAX);
}

function landingOf(
  callsign: string,
  { acceptedLeg, takeoffAirport, takeoffMs }: FlightTrack,
  { airport, timeMs }: Movement,
): FlightPlan | null {
  if (acceptedLeg?.destination?.key === airport.key) return null;
  return plan(
    callsign,
    [takeoffAirport ?? acceptedLeg?.origin?.code ?? '', airport.code],
    Number.isNaN(takeoffMs) ? timeMs : takeoffMs,
    timeMs + LANDED_MS,
  );
}

/** Times in whole minutes: observers that differ by a tick write the same plan. */
function plan(
  callsign: string,
  [originIcao, destinationIcao]: readonly [string, string],
  validFromMs: number,
  validToMs: number,
): FlightPlan {
  const minute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  return { callsign, originIcao, destinationIcao, source: 'observed', validFromMs: minute(validFromMs), validToMs: minute(validToMs) };
}
