// The flights of one partition: from aircraft states and flight plans to changes. Pure: event time only, no clock, no I/O.
//
// Per aircraft it keeps the newest motion and the flight (track.ts). A restart restores the motion from the newest minutes of the aircraft
// topic, and the flight from its last record. So a stage that continues from its committed offset has the state of the one that stopped.

import type { EndedFlight, FlightEnd } from '../../schemas/avro/ended-flight.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { ABSENT, categoryCode } from '../aircraft/columns.ts';
import { keyHex } from '../aircraft/hex-key.ts';
import { positionVector } from '../geo/sphere.ts';
import type { Reference } from '../reference/reference.ts';
import type { FlightAirports } from './airports.ts';
import { candidatesOf } from './candidates.ts';
import { chooseRoute, LANDED_MS_MAX } from './choice.ts';
import { endedFlightOf, flightOf, trackOf } from './flight-record.ts';
import {
  expireAirGround,
  isAirGroundKnown,
  type Movement,
  observeSample,
  observeSilence,
  remember,
  SILENT_MS,
  UNHEARD_MS,
} from './movements.ts';
import { correctionOf } from './observed-plan.ts';
import type { PlanBook } from './plan-book.ts';
import { type ImplausibleReason, implausibleReasons } from './plausibility.ts';
import { FlightTrack, type StateSample } from './track.ts';

/** Interval between checks of a route. */
const CHOICE_MS = 5000;
/** Interval between checks for silent aircraft. */
const SCAN_MS = 5000;
/** Interval between records of an aircraft that is heard: the newest record proves the progress of the stage. */
const REFRESH_MS = 60_000;
/** The fold removes an aircraft after an hour. A flight without a state for this long belongs to an aircraft whose end this stage has not seen. */
const FORGOTTEN_MS = 2 * 3_600_000;
/** Spreads neighbouring addresses over different seconds. */
const SPREAD = 1009;
const ROTORCRAFT = categoryCode('A7');
const SURFACE_CATEGORIES = categoryCode('C0') >> 3;

export interface PartitionFlightsOptions {
  readonly book: PlanBook;
  readonly airports: FlightAirports;
  readonly reference: Reference;
}

/** A record to write, made from the aircraft record at `offset`; a null flight is a tombstone. */
export type FlightChange = { readonly key: string; readonly timeMs: number; readonly offset: number } & (
  | { readonly topic: 'flights'; readonly value: Flight | null }
  | { readonly topic: 'flightsEnded'; readonly value: EndedFlight }
  | { readonly topic: 'flightplans'; readonly value: FlightPlan }
);

export interface FlightCounts {
  takeoffs: number;
  landings: number;
  readonly ended: Record<FlightEnd, number>;
  /** Routes that became implausible, or were so from the start, by reason. */
  readonly implausible: Record<ImplausibleReason, number>;
}

export function noFlightCounts(): FlightCounts {
  const implausible = Object.fromEntries(implausibleReasons.map((reason) => [reason, 0])) as Record<ImplausibleReason, number>;
  return { takeoffs: 0, landings: 0, ended: { departed: 0, renamed: 0, parked: 0, gone: 0 }, implausible };
}

export class PartitionFlights {
  readonly counts = noFlightCounts();
  /** Event time of the newest record. */
  tickMs = Number.NEGATIVE_INFINITY;
  /** The same of the records that a restart reads again. */
  private recalledMs = Number.NEGATIVE_INFINITY;
  /** In order; the writer takes them. */
  changes: FlightChange[] = [];
  private readonly options: PartitionFlightsOptions;
  private readonly tracks = new Map<number, FlightTrack>();

  constructor(options: PartitionFlightsOptions) {
    this.options = options;
  }

  /** Number of flights. */
  get size(): number {
    return this.tracks.size;
  }

  /** Last call sign of an aircraft as sent. */
  flightText(key: number): string | null {
    return this.tracks.get(key)?.flight ?? null;
  }

  /** Restores a flight from its record. */
  restore(flight: Flight): void {
    const track = trackOf(flight, this.options.airports);
    this.tracks.set(track.key, track);
    this.tickMs = Math.max(this.tickMs, flight.tickMs);
  }

  /** Restores the motion of a state from before the starting offset. */
  recall(sample: StateSample): void {
    this.recallTime(sample.tickMs);
    const track = this.tracks.get(sample.key);
    if (track === undefined) return;
    if (hasNewPosition(track, sample)) {
      expireAirGround(track, sample.timeMs);
      track.isRotorcraft = sample.category === ROTORCRAFT;
      remember(track, sample);
    }
    if (sample.flight !== null) track.flight = sample.flight;
    takeState(track, sample);
  }

  /** The same for a tombstone: motion restored before it belongs to an earlier life of the aircraft. */
  recallGone(key: number, timeMs: number): void {
    this.recallTime(timeMs);
    this.tracks.get(key)?.forgetMotion();
  }

  /** Event time before the starting offset: the silences that were checked then are not checked again. */
  private recallTime(timeMs: number): void {
    this.tickMs = Math.max(this.tickMs, timeMs);
    if (timeMs <= this.recalledMs) return;
    const isScan = isNextScan(this.recalledMs, timeMs);
    this.recalledMs = timeMs;
    if (!isScan) return;
    for (const track of this.tracks.values()) track.isSilent ||= timeMs - track.positionMs >= SILENT_MS;
  }

  /** Takes one aircraft state. Changes get its offset. */
  apply(sample: StateSample, offset: number): void {
    this.advance(sample.tickMs, offset);
    let track = this.tracks.get(sample.key);
    if (track === undefined) {
      if (isSurface(sample.category)) return;
      track = new FlightTrack(sample.key, keyHex(sample.key));
      track.begin(sample.tickMs);
      this.tracks.set(sample.key, track);
    }
    const isDue = isInOtherSlot(track, track.stateMs, sample.tickMs, CHOICE_MS);
    const isMet = this.observe(track, sample, offset);
    takeState(track, sample);
    if (isDue || isMet) this.chooseRoute(track, sample);
    if (track.isChanged || isInOtherSlot(track, track.writtenMs, sample.tickMs, REFRESH_MS)) this.write(track, offset);
  }

  /** Removes an aircraft. */
  remove(key: number, timeMs: number, offset: number): void {
    this.advance(timeMs, offset);
    const track = this.tracks.get(key);
    if (track !== undefined) this.forget(track, timeMs, offset);
  }

  /** Advances event time and checks aircraft that are silent. */
  private advance(timeMs: number, offset: number): void {
    if (timeMs <= this.tickMs) return;
    const isScan = isNextScan(this.tickMs, timeMs);
    this.tickMs = timeMs;
    if (!isScan) return;
    for (const track of this.tracks.values()) this.scan(track, offset);
  }

  private scan(track: FlightTrack, offset: number): void {
    const { tickMs } = this;
    if (!track.isSilent && tickMs - track.positionMs >= SILENT_MS) this.note(track, observeSilence(track, this.options.airports), offset);
    if (tickMs - track.landingMs > LANDED_MS_MAX) this.end(track, 'parked', offset);
    if (tickMs - track.writtenMs > FORGOTTEN_MS) this.forget(track, tickMs, offset);
    // The last record of a silent aircraft has its last state.
    else if (track.isChanged || (tickMs - track.stateMs >= SILENT_MS && track.stateMs > track.writtenMs)) this.write(track, offset);
  }

  /** Takes a new call sign, and the take-off or landing that a new position shows. True when the route must be checked at once. */
  private observe(track: FlightTrack, sample: StateSample, offset: number): boolean {
    const isOther = sample.flight !== null && sample.flight !== track.flight && this.rename(track, sample, offset);
    let movement: Movement | null = null;
    if (hasNewPosition(track, sample)) {
      track.isRotorcraft = sample.category === ROTORCRAFT;
      movement = observeSample(track, sample, this.options.airports);
      this.note(track, movement, offset);
      // An assumed landing out of sight was wrong.
      if (track.onGround === 0) track.clearLanding();
    }
    // An aircraft that is known to be on the ground takes off with a position.
    if (sample.onGround === 0 && Number.isNaN(track.airborneMs) && Number.isNaN(track.groundMs)) {
      track.airborneMs = sample.tickMs;
      track.isChanged = true;
    }
    return isOther || movement !== null;
  }

  /** Another call sign is another flight, unless the aircraft is known to be in the air. A call sign that was only missing for a while is the same. */
  private rename(track: FlightTrack, { flight, tickMs }: StateSample, offset: number): boolean {
    track.flight = flight;
    const callsign = flight!.trim();
    if (callsign === track.callsign) return false;
    const isAirborne = track.onGround === 0 && isAirGroundKnown(track, tickMs);
    if (track.callsign !== null && !isAirborne) this.end(track, 'renamed', offset);
    track.callsign = callsign;
    track.candidates = null;
    track.acceptedLeg = null;
    track.routeSource = null;
    track.doubtMs = Number.NaN;
    track.isChanged = true;
    return true;
  }

  private note(track: FlightTrack, movement: Movement | null, offset: number): void {
    if (movement === null) return;
    const { kind, airport, timeMs, source } = movement;
    if (kind === 'takeoff') {
      this.counts.takeoffs += 1;
      this.departFrom(track, movement, offset);
      track.takeoffMs = timeMs;
      track.takeoffAirport = airport.code;
      track.takeoffSource = source;
      track.appearedMs = Number.NaN;
    } else {
      this.counts.landings += 1;
      track.landingMs = timeMs;
      track.landingAirport = airport.code;
      track.landingSource = source;
    }
    track.isChanged = true;
    this.refresh(track, timeMs);
    const plan = correctionOf(track, movement);
    if (plan === null) return;
    // Put into the book now, not when it returns through the topic: results must not depend on that delay.
    this.options.book.put(plan);
    this.changes.push({ topic: 'flightplans', key: plan.callsign, value: plan, timeMs, offset });
  }

  /** A take-off ends the previous flight, unless the aircraft was first seen climbing out and this is that flight. */
  private departFrom(track: FlightTrack, { source }: Movement, offset: number): void {
    const isOther = source === 'transition' || track.landingAirport !== null || track.airborneMs < track.appearedMs;
    if (isOther) this.end(track, 'departed', offset);
    track.clearLanding();
    if (Number.isNaN(track.airborneMs)) track.airborneMs = this.tickMs;
  }

  /** Begins the next flight of the aircraft; emits the previous one if it was a flight. */
  private end(track: FlightTrack, end: FlightEnd, offset: number): void {
    if (!track.hasFlown && end !== 'parked') return;
    this.emitEnd(track, end, this.tickMs, offset);
    track.begin(this.tickMs);
  }

  private emitEnd(track: FlightTrack, end: FlightEnd, timeMs: number, offset: number): void {
    if (!track.hasFlown) return;
    this.counts.ended[end] += 1;
    const value = endedFlightOf(track, offset, timeMs, end);
    this.changes.push({ topic: 'flightsEnded', key: track.hex, value, timeMs, offset });
  }

  private forget(track: FlightTrack, timeMs: number, offset: number): void {
    this.emitEnd(track, 'gone', timeMs, offset);
    this.tracks.delete(track.key);
    this.changes.push({ topic: 'flights', key: track.hex, value: null, timeMs, offset });
  }

  private write(track: FlightTrack, offset: number): void {
    // A flight whose aircraft was not heard since a restart keeps the tick of its record.
    if (Number.isNaN(track.stateMs)) track.stateMs = track.writtenMs;
    track.isChanged = false;
    track.writtenMs = track.stateMs;
    this.changes.push({ topic: 'flights', key: track.hex, value: flightOf(track, offset), timeMs: this.tickMs, offset });
  }

  /** Updates the candidates of a track. */
  private refresh(track: FlightTrack, nowMs: number): void {
    const { callsign, candidates } = track;
    const { book, reference } = this.options;
    if (callsign === null || callsign === '') return;
    const isRight =
      candidates !== null &&
      candidates.plans === book.plansOf(callsign) &&
      candidates.version === reference.version &&
      nowMs <= candidates.untilMs;
    if (!isRight) track.candidates = candidatesOf(callsign, nowMs, this.options);
  }

  private chooseRoute(track: FlightTrack, sample: StateSample): void {
    this.refresh(track, sample.tickMs);
    const { candidates, acceptedLeg, routeSource, doubtMs, contradiction } = track;
    const [first] = candidates?.legs ?? [];
    if (first === undefined) {
      track.acceptedLeg = null;
      track.routeSource = null;
      track.doubtMs = Number.NaN;
    } else {
      // Without a position there is no new evidence.
      if (!sample.isPositionValid) return;
      sample.position = positionVector(sample.latDeg, sample.lonDeg);
      chooseRoute(track, sample, sample.tickMs);
      track.routeSource = track.acceptedLeg?.source ?? first.source;
      const isContradicted = track.acceptedLeg === null && track.contradiction !== null && track.contradiction !== contradiction;
      if (isContradicted) this.counts.implausible[track.contradiction!] += 1;
    }
    const isSame =
      acceptedLeg?.origin?.code === track.acceptedLeg?.origin?.code &&
      acceptedLeg?.destination?.code === track.acceptedLeg?.destination?.code &&
      (acceptedLeg === null) === (track.acceptedLeg === null) &&
      routeSource === track.routeSource &&
      Object.is(doubtMs, track.doubtMs);
    track.isChanged ||= !isSame;
  }
}

/** True for a new position. One older than UNHEARD_MS has no meaning, and a restart would not restore it. */
function hasNewPosition(track: FlightTrack, { timeMs, tickMs }: StateSample): boolean {
  return timeMs !== track.positionMs && tickMs - timeMs <= UNHEARD_MS;
}

function takeState(track: FlightTrack, { tickMs, seenMs }: StateSample): void {
  track.stateMs = tickMs;
  track.seenMs = seenMs;
}

/** True when a periodic check is due; the address spreads aircraft that appeared together. */
function isInOtherSlot({ key }: FlightTrack, beforeMs: number, nowMs: number, everyMs: number): boolean {
  const shiftMs = (key * SPREAD) % everyMs;
  return !(Math.floor((beforeMs + shiftMs) / everyMs) === Math.floor((nowMs + shiftMs) / everyMs));
}

/** True when silent aircraft are due between two event times. */
function isNextScan(beforeMs: number, nowMs: number): boolean {
  return Math.floor(beforeMs / SCAN_MS) !== Math.floor(nowMs / SCAN_MS);
}

/** C0 to C7: vehicles and obstacles. */
function isSurface(category: number): boolean {
  return category !== ABSENT && category >> 3 === SURFACE_CATEGORIES;
}
