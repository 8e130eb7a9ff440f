// Memory of the stage per aircraft. It has exactly two parts: its newest motion, which a restart restores from the aircraft topic,
// and its flight, which is its record in the flights topic.
import type { MovementSource, RouteSource } from '../../schemas/avro/flight.ts';
import { ABSENT } from '../aircraft/columns.ts';
import type { Vector } from '../geo/vector.ts';
import type { Candidate, Candidates } from './candidates.ts';
import type { ImplausibleReason, Motion } from './plausibility.ts';

/** Times are event times in ms since the Unix epoch; NaN when there is none. */
export class FlightTrack {
  readonly key: number;
  readonly hex: string;

  // The newest state. An aircraft restored without one has been silent for longer than motion counts.
  stateMs = Number.NaN;
  /** Time of its last message. */
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
  /** Time of the last position that told it. */
  onGroundMs = Number.NaN;

  // The flight.
  /** Without blanks; null without one. */
  callsign: string | null = null;
  firstSeenMs = Number.NaN;
  /** First seen in the air. */
  airborneMs = Number.NaN;
  /** First position after a long time without one, until a take-off or the ground is seen. */
  appearedMs = Number.NaN;
  takeoffMs = Number.NaN;
  /** Code of the airport. */
  takeoffAirport: string | null = null;
  takeoffSource: MovementSource | null = null;
  landingMs = Number.NaN;
  landingAirport: string | null = null;
  landingSource: MovementSource | null = null;
  /** On the ground since, as far as known; NaN in the air. */
  groundMs = Number.NaN;
  /** Last seen moving on the ground, to the minute. */
  movedMs = Number.NaN;
  acceptedLeg: Candidate | null = null;
  /** Source of the accepted route; without one, of the best contradicted route. */
  routeSource: RouteSource | null = null;
  /** Since when the accepted route is contradicted. */
  doubtMs = Number.NaN;

  // The record.
  /** Tick of the last one. */
  writtenMs = Number.NaN;
  /** The flight differs from its last record. */
  isChanged = false;

  // Derived from the rest.
  candidates: Candidates | null = null;
  contradiction: ImplausibleReason | null = null;
  /** The silence since the newest position is already checked. */
  isSilent = false;

  constructor(key: number, hex: string) {
    this.key = key;
    this.hex = hex;
  }

  /** It was in the air: there is a flight to end. */
  get hasFlown(): boolean {
    return !Number.isNaN(this.airborneMs) || !Number.isNaN(this.takeoffMs);
  }

  /** Last air/ground state; not the state before an assumed landing out of sight. */
  get lastOnGround(): number {
    return this.onGround === 0 && this.groundMs >= this.positionMs ? ABSENT : this.onGround;
  }

  forgetMotion(): void {
    this.stateMs = Number.NaN;
    this.flight = null;
    this.isRotorcraft = false;
    this.positionMs = Number.NaN;
    this.onGround = ABSENT;
    this.onGroundMs = Number.NaN;
  }

  clearLanding(): void {
    if (this.landingAirport === null) return;
    this.landingMs = Number.NaN;
    this.landingAirport = null;
    this.landingSource = null;
    this.isChanged = true;
  }

  /** Begins the next flight of the same aircraft. */
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

/**
 * A state of an aircraft as flights need it, one reused object; units of the view's columns. A class, because V8 allocates a number for each value
 * that is stored into an object made by spreading others.
 */
export class StateSample implements Motion {
  key = -1;
  tickMs = Number.NaN;
  /** Last message. */
  seenMs = Number.NaN;
  /** The form is that of the column. */
  category = ABSENT;
  /** The position is younger than 60 s. */
  isPositionValid = false;
  flight: string | null = null;
  /** Time of the position; NaN without one. */
  timeMs = Number.NaN;
  latDeg = Number.NaN;
  lonDeg = Number.NaN;
  onGround = ABSENT;
  trackCentideg = ABSENT;
  groundSpeedDeciKt = ABSENT;
  altitudeFt = ABSENT;
  rateFpm = ABSENT;
  position: Vector = { x: 0, y: 0, z: 0 };
}
