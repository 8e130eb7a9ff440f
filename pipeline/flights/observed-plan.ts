// What an observed take-off or landing corrects: the flight plan that is then written to the log, so that it holds after a restart and for others.
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import type { Movement } from './movements.ts';
import type { FlightTrack } from './track.ts';

const MINUTE_MS = 60_000;
/** The longest flights take 19 hours. */
const FLIGHT_MS_MAX = 20 * 3_600_000;
/** A flight that landed is shown for so long. */
const LANDED_MS = 30 * MINUTE_MS;

/** The plan that says what was observed; null where what is known says it already, or there is no call sign. */
export function correctionOf(track: FlightTrack, movement: Movement): FlightPlan | null {
  const { callsign } = track;
  if (callsign === null || callsign === '') return null;
  return movement.kind === 'takeoff' ? takeoffOf(callsign, track, movement) : landingOf(callsign, track, movement);
}

function takeoffOf(callsign: string, { candidates }: FlightTrack, { airport, timeMs }: Movement): FlightPlan | null {
  const legs = candidates?.legs ?? [];
  const fromHere = legs.find(({ origin }) => origin?.key === airport.key);
  // An older observation would stand before a plan that is right.
  const isContradicted = legs.some(({ origin, source }) => source === 'observed' && origin?.key !== airport.key);
  if (fromHere !== undefined && !isContradicted) return null;
  return plan(callsign, [airport.code, fromHere?.destination?.code ?? ''], timeMs, timeMs + FLIGHT_MS_MAX);
}

function landingOf(
  callsign: string,
  { believed, takeoffAirport, takeoffMs }: FlightTrack,
  { airport, timeMs }: Movement,
): FlightPlan | null {
  if (believed?.destination?.key === airport.key) return null;
  return plan(
    callsign,
    [takeoffAirport ?? believed?.origin?.code ?? '', airport.code],
    Number.isNaN(takeoffMs) ? timeMs : takeoffMs,
    timeMs + LANDED_MS,
  );
}

/** Times in whole minutes: who saw it a tick earlier or later writes the same. */
function plan(
  callsign: string,
  [originIcao, destinationIcao]: readonly [string, string],
  validFromMs: number,
  validToMs: number,
): FlightPlan {
  const minute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  return { callsign, originIcao, destinationIcao, source: 'observed', validFromMs: minute(validFromMs), validToMs: minute(validToMs) };
}
