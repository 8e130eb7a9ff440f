// What the stage remembers of one aircraft. Two parts, and nothing else: its newest motion, which the aircraft topic brings back after a restart,
// and its flight, which is what its record in the flights topic holds.
import type { MovementSource, RouteSource } from '../../schemas/avro/flight.ts';
import { ABSENT } from '../view/columns.ts';
import type { Candidate, Candidates } from './candidates.ts';
import type { ImplausibleReason, Motion } from './plausibility.ts';

/** Times are ms since the Unix epoch, of events; NaN where there is none. */
export class FlightTrack {
  readonly key: number;
  readonly hex: string;

  // The newest state. An aircraft that is restored without one has not been heard for longer than counts.
  stateMs = Number.NaN;
  /** Its last message. */
  seenMs = Number.NaN;
  /** Call sign as sent. */
  flight: string | null = null;
  isRotorcraft = false;
  // The newest motion with a position.
  positionMs = Number.NaN;
  latDeg = 0;
  lonDeg = 0;
  altitudeFt = ABSENT;
  rateFpm = ABSENT;
  groundSpeedDeciKt = ABSENT;
  /** 1, 0 or ABSENT. */
  onGround = ABSENT;

  // The flight.
  /** Without blanks; null while there is none. */
  callsign: string | null = null;
  firstSeenMs = Number.NaN;
  /** First seen in the air. */
  airborneMs = Number.NaN;
  /** First position after none for a long time, until a take-off or the ground was seen. */
  appearedMs = Number.NaN;
  takeoffMs = Number.NaN;
  /** Code of the airport. */
  takeoffAirport: string | null = null;
  takeoffSource: MovementSource | null = null;
  landingMs = Number.NaN;
  landingAirport: string | null = null;
  landingSource: MovementSource | null = null;
  /** On the ground since, as far as it is known; NaN in the air. */
  groundMs = Number.NaN;
  /** Last seen moving on the ground, within a minute. */
  movedMs = Number.NaN;
  believed: Candidate | null = null;
  /** Of the believed route; where none is believed, of the best one that is contradicted. */
  routeSource: RouteSource | null = null;
  /** The believed route has been contradicted since. */
  doubtMs = Number.NaN;

  // The record.
  /** Tick of the last one. */
  writtenMs = Number.NaN;
  /** The flight is not what the last one holds. */
  isChanged = false;

  // Found again from the rest.
  candidates: Candidates | null = null;
  contradiction: ImplausibleReason | null = null;
  /** The silence since the newest position was looked at already. */
  isSilent = false;

  constructor(key: number, hex: string) {
    this.key = key;
    this.hex = hex;
  }

  /** It was in the air: there is a flight to end. */
  get hasFlown(): boolean {
    return !Number.isNaN(this.airborneMs) || !Number.isNaN(this.takeoffMs);
  }

  /** Air or ground as last seen, but not where a landing out of sight is assumed since. */
  get lastOnGround(): number {
    return this.onGround === 0 && this.groundMs >= this.positionMs ? ABSENT : this.onGround;
  }

  forgetMotion(): void {
    this.stateMs = Number.NaN;
    this.flight = null;
    this.isRotorcraft = false;
    this.positionMs = Number.NaN;
    this.onGround = ABSENT;
  }

  clearLanding(): void {
    if (this.landingAirport === null) return;
    this.landingMs = Number.NaN;
    this.landingAirport = null;
    this.landingSource = null;
    this.isChanged = true;
  }

  /** The next flight of the same aircraft. */
  begin(tickMs: number): void {
    this.clearLanding();
    this.firstSeenMs = tickMs;
    this.airborneMs = Number.NaN;
    this.takeoffMs = Number.NaN;
    this.takeoffAirport = null;
    this.takeoffSource = null;
    this.isChanged = true;
  }
}

/** A sample of an aircraft's motion, used again for each; units are those of the view's columns. */
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

/** A state of an aircraft as flights need it; `timeMs` is that of its position, NaN where there never was one. */
export interface StateSample extends Sample {
  key: number;
  tickMs: number;
  /** Last message. */
  seenMs: number;
  /** As in the column. */
  category: number;
  /** The position is younger than 60 s. */
  isPositionValid: boolean;
  flight: string | null;
}

export function emptySample(): StateSample {
  return {
    ...{ key: -1, tickMs: Number.NaN, seenMs: Number.NaN, category: ABSENT, isPositionValid: false, flight: null },
    ...{ timeMs: Number.NaN, latDeg: 0, lonDeg: 0, onGround: ABSENT, trackCentideg: ABSENT },
    ...{ groundSpeedDeciKt: ABSENT, altitudeFt: ABSENT, rateFpm: ABSENT, place: { x: 0, y: 0, z: 0 } },
  };
}
