// What is remembered of one aircraft between ticks: its last motion, when it took off or landed, and the route that is believed.
import { ABSENT } from '../view/columns.ts';
import type { Field } from './airports.ts';
import type { Candidate, Candidates } from './candidates.ts';
import type { ImplausibleReason, Motion } from './plausibility.ts';

/** Times are ms since the Unix epoch, of events; NaN where there is none. */
export class FlightTrack {
  readonly key: number;
  /** Without blanks; null while there is none. */
  callsign: string | null = null;
  /** As the table has it. */
  flight: string | null = null;
  /** Of the newest state that was looked at. */
  seenMs = Number.NaN;
  // The newest motion with a position.
  positionMs = Number.NaN;
  latDeg = 0;
  lonDeg = 0;
  altitudeFt = ABSENT;
  rateFpm = ABSENT;
  groundSpeedDeciKt = ABSENT;
  /** 1, 0 or ABSENT. */
  onGround = ABSENT;
  isRotorcraft = false;
  /** First position after none for a long time. */
  appearedMs = Number.NaN;
  /** Whether it took off or stood on the ground since. */
  isSettled = false;
  /** A silence was looked at already. */
  isSilent = false;
  takeoffMs = Number.NaN;
  takeoffField: Field | null = null;
  landedMs = Number.NaN;
  landedField: Field | null = null;
  /** On the ground since, as far as it is known. */
  groundMs = Number.NaN;
  /** Last seen moving on the ground. */
  movedMs = Number.NaN;
  candidates: Candidates | null = null;
  believed: Candidate | null = null;
  /** The believed route has been contradicted since. */
  doubtMs = Number.NaN;
  contradiction: ImplausibleReason | null = null;
  /** When the route is judged next. */
  dueMs = Number.NEGATIVE_INFINITY;

  constructor(key: number) {
    this.key = key;
  }
}

/** A sample of an aircraft's motion, used again for each. */
export interface Sample extends Motion {
  timeMs: number;
  latDeg: number;
  lonDeg: number;
  onGround: number;
  trackCentideg: number;
  groundSpeedDeciKt: number;
  altitudeFt: number;
  rateFpm: number;
  place: { x: number; y: number; z: number };
}
