// Which of the candidates is the route of an aircraft: the best source whose leg fits, within a source the one that fits best.
import { type Candidate, isSameLeg } from './candidates.ts';
import { detourNm, type ImplausibleReason, implausibility, type Motion } from './plausibility.ts';
import type { FlightTrack } from './track.ts';

/** A route that was believed may be headed away from for so long: holdings, avoided weather. */
const PATIENCE_MS = 180_000;
/** Legs whose detours differ by less fit as well as each other. */
const SAME_NM = 1;
/** On the ground after a landing the flight is still the one that landed. */
export const LANDED_MS_MAX = 20 * 60_000;

/** Sets `believed`, `doubtMs` and `contradiction` of a track by its candidates. A believed route stays while nothing speaks against it and no better source has one that fits. */
export function chooseRoute(track: FlightTrack, motion: Motion, nowMs: number): void {
  const legs = track.candidates?.legs ?? [];
  track.contradiction = null;
  const { believed } = track;
  const kept = motion.onGround === 1 || believed === null ? undefined : legs.find((leg) => isSameLeg(leg, believed));
  const fits = (leg: Candidate): boolean => contradictionOf(leg, track, motion, nowMs) === null;
  // Best source first.
  if (kept !== undefined && !legs.slice(0, legs.indexOf(kept)).some((leg) => leg.source !== kept.source && fits(leg))) {
    track.believed = kept;
    const reason = contradictionOf(kept, track, motion, nowMs);
    if (reason === null) track.doubtMs = Number.NaN;
    else if (reason === 'direction' && !(nowMs - track.doubtMs > PATIENCE_MS)) {
      if (Number.isNaN(track.doubtMs)) track.doubtMs = nowMs;
      return;
    }
    if (reason === null) return;
  }
  track.doubtMs = Number.NaN;
  track.believed = null;
  let best = Number.POSITIVE_INFINITY;
  for (const leg of legs) {
    if (track.believed !== null && leg.source !== track.believed.source) return;
    const reason = contradictionOf(leg, track, motion, nowMs);
    if (reason !== null) {
      track.contradiction ??= reason;
      continue;
    }
    const detour = detourNm(leg, motion.place);
    if (detour > best - SAME_NM) continue;
    best = detour;
    track.believed = leg;
  }
}

/** What speaks against a leg: the motion, or the airports at which this flight was seen to take off or land. */
function contradictionOf(leg: Candidate, track: FlightTrack, motion: Motion, nowMs: number): ImplausibleReason | null {
  const { takeoffAirport, landingAirport, landingMs } = track;
  if (landingAirport !== null && nowMs - landingMs <= LANDED_MS_MAX) {
    if (leg.destination !== null && leg.destination.code !== landingAirport) return 'destination';
  } else if (takeoffAirport !== null && leg.origin !== null && leg.origin.code !== takeoffAirport) return 'origin';
  return implausibility(leg, motion);
}
