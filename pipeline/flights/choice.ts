// Chooses an aircraft's route among the candidates: the best source with a leg that fits, and within a source the best leg.
import { type Candidate, isSameLeg } from './candidates.ts';
import { detourNm, type ImplausibleReason, implausibility, type Motion } from './plausibility.ts';
import type { FlightTrack } from './track.ts';

/** How long an accepted route may be contradicted by the direction: holdings, avoided weather. */
const DIRECTION_MS = 180_000;
/** Legs whose detours differ by less count as equal. */
const SAME_NM = 1;
/** How long after its landing an aircraft on the ground keeps its flight. */
export const LANDED_MS_MAX = 20 * 60_000;

/** Sets `believed`, `doubtMs` and `contradiction` of a track from its candidates. An accepted route stays while nothing contradicts it and no better source has one that fits. */
export function chooseRoute(track: FlightTrack, motion: Motion, nowMs: number): void {
  const legs = track.candidates?.legs ?? [];
  track.contradiction = null;
  const { acceptedLeg } = track;
  const current = motion.onGround === 1 || acceptedLeg === null ? undefined : legs.find((leg) => isSameLeg(leg, acceptedLeg));
  const fits = (leg: Candidate): boolean => contradictionOf(leg, track, motion, nowMs) === null;
  // Best source first.
  if (current !== undefined && !legs.slice(0, legs.indexOf(current)).some((leg) => leg.source !== current.source && fits(leg))) {
    track.acceptedLeg = current;
    const reason = contradictionOf(current, track, motion, nowMs);
    if (reason === null) track.doubtMs = Number.NaN;
    else if (reason === 'direction' && !(nowMs - track.doubtMs > DIRECTION_MS)) {
      if (Number.isNaN(track.doubtMs)) track.doubtMs = nowMs;
      return;
    }
    if (reason === null) return;
  }
  track.doubtMs = Number.NaN;
  track.acceptedLeg = null;
  let best = Number.POSITIVE_INFINITY;
  for (const leg of legs) {
    if (track.acceptedLeg !== null && leg.source !== track.acceptedLeg.source) return;
    const reason = contradictionOf(leg, track, motion, nowMs);
    if (reason !== null) {
      track.contradiction ??= reason;
      continue;
    }
    const detour = detourNm(leg, motion.position);
    if (detour > best - SAME_NM) continue;
    best = detour;
    track.acceptedLeg = leg;
  }
}

/** The reason that contradicts a leg: the motion, or the airports where this flight was seen to take off or land. */
function contradictionOf(leg: Candidate, track: FlightTrack, motion: Motion, nowMs: number): ImplausibleReason | null {
  const { takeoffAirport, landingAirport, landingMs } = track;
  if (landingAirport !== null && nowMs - landingMs <= LANDED_MS_MAX) {
    if (leg.destination !== null && leg.destination.code !== landingAirport) return 'destination';
  } else if (takeoffAirport !== null && leg.origin !== null && leg.origin.code !== takeoffAirport) return 'origin';
  return implausibility(leg, motion);
}
