// The routes of all flights, tick by tick: looks at what moved, notes take-offs and landings, judges routes and puts them into the live table.

import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { limits } from '../../schemas/limits.ts';
import { positionVector } from '../geo/sphere.ts';
import type { Reference } from '../reference/reference.ts';
import { ABSENT, categoryCode, FREE } from '../view/columns.ts';
import type { LiveTable } from '../view/table.ts';
import type { Fields } from './airports.ts';
import { candidatesOf } from './candidates.ts';
import { chooseRoute } from './choice.ts';
import { FlightRoutes } from './flight-routes.ts';
import { type Movement, observeSample, observeSilence, SILENT_MS } from './movements.ts';
import { correctionOf } from './observed-plan.ts';
import type { PlanBook } from './plan-book.ts';
import { type ImplausibleReason, implausibleReasons } from './plausibility.ts';
import { FlightTrack, type Sample } from './track.ts';

/** A route is judged anew this often. */
const JUDGE_MS = 5000;
const MICRODEG = 1_000_000;
const ROTORCRAFT = categoryCode('A7');
const SURFACE_CATEGORIES = categoryCode('C0');

export interface TrackerOptions {
  readonly book: PlanBook;
  readonly fields: Fields;
  readonly reference: Reference;
  /** Told of each observed correction, to be written to the log. */
  readonly onObserved: (plan: FlightPlan, timeMs: number) => void;
}

export interface TrackerStats {
  takeoffs: number;
  landings: number;
  /** Routes that were not believed any more, or from the start, by reason. */
  readonly implausible: Record<ImplausibleReason, number>;
  /** Time of the newest tick, ms. */
  lastTickMs: number;
}

export class FlightTracker {
  readonly stats: TrackerStats = {
    takeoffs: 0,
    landings: 0,
    implausible: Object.fromEntries(implausibleReasons.map((reason) => [reason, 0])) as Record<ImplausibleReason, number>,
    lastTickMs: 0,
  };
  private readonly options: TrackerOptions;
  private readonly routes = new FlightRoutes();
  /** By row of the table. */
  private readonly tracks: (FlightTrack | undefined)[] = [];
  private readonly byKey = new Map<number, FlightTrack>();
  private firstRow = 0;
  private readonly sample: Sample = {
    ...{ timeMs: 0, latDeg: 0, lonDeg: 0, onGround: ABSENT, trackCentideg: ABSENT },
    ...{ groundSpeedDeciKt: ABSENT, altitudeFt: ABSENT, rateFpm: ABSENT, place: { x: 0, y: 0, z: 0 } },
  };

  constructor(options: TrackerOptions) {
    this.options = options;
  }

  /** What is remembered of an aircraft, by its `hexKey`. */
  of(key: number): FlightTrack | undefined {
    return this.byKey.get(key);
  }

  /** Brings the routes of the table to a tick. The budget bounds how many are judged; the rest is due at the next tick. */
  readonly tick = (table: LiveTable, tickMs: number): void => {
    const startMs = performance.now();
    this.options.book.sweep(tickMs);
    let budget: number = limits.routesPerTickMax;
    const { highWater } = table;
    const { firstRow } = this;
    for (let n = 0; n < highWater; n += 1) {
      const row = (firstRow + n) % highWater;
      const track = this.trackOf(table, row);
      if (track === null) continue;
      this.look(table, row, track, tickMs);
      if (track.dueMs > tickMs) continue;
      if (budget === 0) {
        if (this.firstRow === firstRow) this.firstRow = row;
        continue;
      }
      budget -= 1;
      // Those that came together are spread over the time between.
      track.dueMs = tickMs + (track.dueMs === Number.NEGATIVE_INFINITY ? 1 + (track.key % JUDGE_MS) : JUDGE_MS);
      this.judge(table, row, track, tickMs);
    }
    this.stats.lastTickMs = performance.now() - startMs;
  };

  /** The track of a row's aircraft; null for a free row, and for vehicles and obstacles on the surface, which are no flights. */
  private trackOf({ columns }: LiveTable, row: number): FlightTrack | null {
    const key = columns.key[row]!;
    let track = this.tracks[row];
    if (track !== undefined && track.key === key) return track;
    if (track !== undefined) {
      if (this.byKey.get(track.key) === track) this.byKey.delete(track.key);
      this.tracks[row] = undefined;
    }
    if (key === FREE || isSurface(columns.category[row]!)) return null;
    track = new FlightTrack(key);
    this.tracks[row] = track;
    this.byKey.set(key, track);
    return track;
  }

  /** Notes a new call sign, and what a new state or a long silence says of take-off and landing. */
  private look(table: LiveTable, row: number, track: FlightTrack, tickMs: number): void {
    const flight = table.flightTexts[row]!;
    if (flight !== track.flight) this.rename(table, row, track, flight);
    if (table.seenMs[row] === track.seenMs) {
      if (track.isSilent || tickMs - track.positionMs < SILENT_MS || track.onGround !== 0) return;
      this.note(track, observeSilence(track, this.options.fields));
      return;
    }
    track.seenMs = table.seenMs[row]!;
    if (!this.read(table, row) || this.sample.timeMs === track.positionMs) return;
    track.isRotorcraft = table.columns.category[row] === ROTORCRAFT;
    this.note(track, observeSample(track, this.sample, this.options.fields));
    // A landing out of sight that was none.
    if (track.onGround === 0 && track.landedField !== null) clearLanding(track);
  }

  /** Another call sign is another flight. One that was only not heard for a while is the same. */
  private rename(table: LiveTable, row: number, track: FlightTrack, flight: string | null): void {
    track.flight = flight;
    if (flight === null) return;
    const callsign = flight.trim();
    if (callsign === track.callsign) return;
    if (track.callsign !== null && track.onGround !== 0) {
      clearLanding(track);
      track.takeoffField = null;
      track.takeoffMs = Number.NaN;
    }
    track.callsign = callsign;
    track.candidates = null;
    track.believed = null;
    track.dueMs = Number.NEGATIVE_INFINITY;
    table.putRoute(row, null);
  }

  private note(track: FlightTrack, movement: Movement | null): void {
    if (movement === null) return;
    if (movement.kind === 'takeoff') {
      this.stats.takeoffs += 1;
      clearLanding(track);
      track.takeoffField = movement.field;
      track.takeoffMs = movement.timeMs;
    } else {
      this.stats.landings += 1;
      track.landedField = movement.field;
      track.landedMs = movement.timeMs;
    }
    track.dueMs = Number.NEGATIVE_INFINITY;
    this.refresh(track, movement.timeMs);
    const correction = correctionOf(track, movement);
    if (correction !== null) this.options.onObserved(correction, movement.timeMs);
    if (movement.kind === 'landing') track.takeoffField = null;
  }

  /** Brings the candidates of a track up to date. */
  private refresh(track: FlightTrack, nowMs: number): void {
    const { callsign, candidates } = track;
    const { book, reference } = this.options;
    if (callsign === null || callsign === '') return;
    const isRight =
      candidates !== null &&
      candidates.plans === book.of(callsign) &&
      candidates.version === reference.version &&
      nowMs <= candidates.untilMs;
    if (!isRight) track.candidates = candidatesOf(callsign, nowMs, this.options);
  }

  private judge(table: LiveTable, row: number, track: FlightTrack, tickMs: number): void {
    this.refresh(track, tickMs);
    const { candidates } = track;
    if (candidates === null || candidates.legs.length === 0) {
      track.believed = null;
      table.putRoute(row, null);
      return;
    }
    // Without a position nothing new speaks for or against.
    if (table.columns.positionValid[row] !== 1 || !this.read(table, row)) return;
    this.sample.place = positionVector(this.sample.latDeg, this.sample.lonDeg);
    const before = track.believed;
    const beforeContradiction = track.contradiction;
    chooseRoute(track, this.sample, tickMs);
    const { believed, contradiction } = track;
    if (believed !== null) {
      if (believed !== before || table.routes[row] === null) table.putRoute(row, this.routes.of(believed, believed.source));
      return;
    }
    if (contradiction !== null && contradiction !== beforeContradiction) this.stats.implausible[contradiction] += 1;
    table.putRoute(row, this.routes.contradictedOf(candidates.legs[0]!.source));
  }

  /** Takes the motion of a row into the sample; false without a place. */
  private read({ columns, positionMs }: LiveTable, row: number): boolean {
    const { sample } = this;
    if (Number.isNaN(positionMs[row]!)) return false;
    sample.timeMs = positionMs[row]!;
    sample.latDeg = columns.latitudeMicrodeg[row]! / MICRODEG;
    sample.lonDeg = columns.longitudeMicrodeg[row]! / MICRODEG;
    sample.onGround = columns.onGround[row]!;
    sample.trackCentideg = columns.trackCentideg[row]!;
    sample.groundSpeedDeciKt = columns.groundSpeedDeciKt[row]!;
    sample.altitudeFt = columns.altitudeBaroFt[row]!;
    const rateFpm = columns.baroRateFpm[row]!;
    sample.rateFpm = rateFpm === ABSENT ? columns.geomRateFpm[row]! : rateFpm;
    return true;
  }
}

function clearLanding(track: FlightTrack): void {
  track.landedField = null;
  track.landedMs = Number.NaN;
}

/** C0 to C7: vehicles and obstacles. */
function isSurface(category: number): boolean {
  return category !== ABSENT && category >> 3 === SURFACE_CATEGORIES >> 3;
}
