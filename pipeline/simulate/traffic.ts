// Simulated traffic: aircraft, their frames and the receivers, frame by frame in order of arrival. The caller sets the pace: `advance`
// emits everything up to a time. The same seed gives the same frames, however the time is divided.
import { limits } from '../../schemas/limits/index.ts';
import { createReceivedFrame, FLAG_LONG, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { decimalYear } from '../geo/magnetic-model.ts';
import { AircraftTable, callSign } from './aircraft-table.ts';
import type { Contents } from './contents.ts';
import { type Airport, airports } from './flights/airports.ts';
import { createFleet, type Identity, type RareIdentity } from './flights/fleet.ts';
import { emptyLeg } from './flights/leg.ts';
import { STREAM_HEARING, STREAMS, streamsOf } from './flights/links.ts';
import { Random } from './flights/random.ts';
import { createNetwork } from './flights/routes.ts';
import { createReceivers, HEARERS_MAX, Hearing, type Receiver } from './receivers.ts';
import { Schedule, SLOT_US } from './schedule.ts';
import { type RareMessages, Transmitter } from './transmit.ts';

/** Links, transponders and messages that are rare on the air. */
export interface RareFormats {
  readonly identity: RareIdentity;
  readonly messages: (aircraft: number) => RareMessages;
}

export interface TrafficOptions {
  readonly aircraft: number;
  readonly seed: number;
  /** Start time, µs since the Unix epoch. */
  readonly startUs: number;
  /** Airports to use instead of the first ones of the list, each with a receiver: for tests. */
  readonly sites?: readonly Airport[];
  /** Number of airports, each with a receiver. Default: 12 and one more for every 100 aircraft, limited by the list. */
  readonly airports?: number;
  /**
   * Probability that a second or third receiver in range also reports a frame. Default 0.15: about 1.2 receptions per received frame. 0
   * gives at most one reception.
   */
  readonly extraReceptionShare?: number;
  /** Adds messages that are rare on the air, and every link and format in about equal parts: for tests, unlike real traffic. */
  readonly everyFormat?: RareFormats;
}

/** `frame` is reused for the next one. `sentUs` is when the aircraft sent it: the truth for its content. */
export type OnTrafficFrame = (frame: ReceivedFrame, aircraft: number, sentUs: number) => void;

/** A leg with its ICAO codes; times in µs since the Unix epoch, from stand to stand. */
export interface TrafficLeg {
  readonly callsign: string;
  readonly origin: string;
  readonly destination: string;
  readonly beginUs: number;
  readonly endUs: number;
}

export interface TrafficCounts {
  /** Frames that aircraft sent. */
  sent: number;
  /** Receptions: calls of `onFrame`. */
  received: number;
  /** Frames that no receiver heard. */
  lost: number;
}

const DAY_US = 86_400e6;
const COUNTER_MHZ = 12;
const COUNTER_LIMIT = 2 ** 48;

export class Traffic {
  readonly receivers: readonly Receiver[];
  readonly fleet: readonly Identity[];
  readonly startUs: number;
  readonly counts: TrafficCounts = { sent: 0, received: 0, lost: 0 };
  readonly table: AircraftTable;
  readonly hearing: Hearing;
  private readonly schedule: Schedule;
  private readonly transmitter: Transmitter;
  private readonly random: Random;
  private readonly extraReceptionShare: number;
  private readonly frame: ReceivedFrame;
  /** µs since the start: emitted up to here; time of the last frame. */
  private nowUs = 0;
  private lastUs = 0;
  private readonly plannedLeg = emptyLeg();

  constructor(options: TrafficOptions) {
    const { aircraft, seed, startUs } = options;
    if (!(aircraft >= 1 && aircraft <= limits.simulatedAircraftMax))
      throw new RangeError(`expected 1 to ${limits.simulatedAircraftMax} aircraft, got ${aircraft}`);
    const used = airportsOf(options);
    this.startUs = startUs;
    this.receivers = createReceivers(used, seed);
    this.fleet = fleetOf(options);
    this.table = new AircraftTable(this.fleet, createNetwork(used), seed);
    this.hearing = new Hearing(this.receivers, aircraft);
    this.random = new Random(seed, 0x7a1f, 0);
    this.transmitter = new Transmitter(
      this.table,
      this.random,
      decimalYear(startUs / DAY_US),
      options.everyFormat?.messages(aircraft) ?? null,
    );
    this.extraReceptionShare = options.extraReceptionShare ?? 0.15;
    this.schedule = new Schedule(aircraft * STREAMS);
    this.frame = createReceivedFrame(this.transmitter.bytes);
    this.begin();
  }

  /** Spreads the first events of all streams over their periods. */
  private begin(): void {
    for (const identity of this.fleet) {
      const i = identity.index;
      for (const stream of streamsOf(identity.link, identity.version, identity.equipped)) {
        this.transmitter.send(i, stream, this.nowUs / 1e6);
        this.schedule.add(i * STREAMS + stream, this.nowUs + this.transmitter.delayUs * this.random.share());
      }
      this.listen(i);
    }
  }

  /** Finds the receivers of the aircraft that has just sent. */
  private listen(i: number): void {
    const { state } = this.transmitter;
    this.hearing.update(i, state.x, state.y, state.z, state.latDeg, state.lonDeg, state.altitudeFt);
  }

  /** Content of the current frame, during `advance`. */
  get sent(): Contents {
    return this.transmitter.sent;
  }

  /**
   * Emits all frames up to `toUs` (µs since the Unix epoch, rounded down to whole ms since the start) and returns their number. Frame times
   * never go back and are at most 3 ms after the sending. The counters of the receivers have the exact time and may be out of order by as
   * much.
   */
  advance(toUs: number, onFrame: OnTrafficFrame): number {
    const { schedule } = this;
    const before = this.counts.received;
    const endSlot = Math.floor((toUs - this.startUs) / SLOT_US);
    while (schedule.slot < endSlot) {
      let event = schedule.emptySlot();
      while (event >= 0) {
        const following = schedule.following(event);
        this.run(event, onFrame);
        event = following;
      }
    }
    this.nowUs = Math.max(this.nowUs, endSlot * SLOT_US);
    return this.counts.received - before;
  }

  /** Skips the frames between now and `toUs`: after a pause of the process, or to start later in the day. */
  skip(toUs: number): void {
    const wantedUs = Math.floor((toUs - this.startUs) / SLOT_US) * SLOT_US;
    if (wantedUs <= this.nowUs) return;
    this.nowUs = wantedUs;
    this.lastUs = wantedUs;
    this.schedule.clear(wantedUs);
    this.begin();
  }

  private run(event: number, onFrame: OnTrafficFrame): void {
    const timeUs = this.schedule.timesUs[event]!;
    const i = Math.floor(event / STREAMS);
    const stream = event - i * STREAMS;
    const byteLength = this.transmitter.send(i, stream, timeUs / 1e6);
    this.schedule.add(event, timeUs + this.transmitter.delayUs);
    if (byteLength !== 0) this.receive(i, timeUs, byteLength, onFrame);
    else if (stream === STREAM_HEARING) this.listen(i);
  }

  private receive(i: number, sentUs: number, byteLength: 7 | 14, onFrame: OnTrafficFrame): void {
    const { hearing, frame, random } = this;
    const base = i * HEARERS_MAX;
    const count = hearing.counts[i]!;
    let receptions = 0;
    for (let slot = 0; slot < count; slot += 1) {
      if (receptions > 0 && !random.chance(this.extraReceptionShare)) continue;
      if (random.chance(hearing.losses[base + slot]!)) continue;
      receptions += 1;
      const number = hearing.receivers[base + slot]!;
      const receiver = this.receivers[number]!;
      const arrivalUs = sentUs + hearing.delaysUs[base + slot]!;
      const ticks = receiver.counterStart + arrivalUs * COUNTER_MHZ * (1 + receiver.counterPpm * 1e-6);
      this.lastUs = Math.max(this.lastUs, Math.floor(arrivalUs));
      frame.timeUs = this.startUs + this.lastUs;
      frame.counter = Math.floor(ticks) % COUNTER_LIMIT;
      frame.signal = Math.min(255, Math.round(hearing.signals[base + slot]! * (0.92 + 0.16 * random.share())));
      frame.flags = byteLength === 14 ? FLAG_LONG : 0;
      frame.receiver = number;
      frame.byteLength = byteLength;
      onFrame(frame, i, this.startUs + sentUs);
    }
    this.counts.sent += 1;
    this.counts.received += receptions;
    if (receptions === 0) this.counts.lost += 1;
  }

  /** The leg that an aircraft flies at a time, as in a flight plan. Plans it again: some 20 µs. */
  leg(aircraft: number, timeUs: number): TrafficLeg {
    const leg = this.plannedLeg;
    const beginS = this.table.legAt(aircraft, (timeUs - this.startUs) / 1e6, leg);
    const { airports: networkAirports } = this.table.network;
    return {
      callsign: callSign(this.fleet[aircraft]!, leg),
      origin: networkAirports[leg.origin]!.icao,
      destination: networkAirports[leg.destination]!.icao,
      beginUs: this.startUs + beginS * 1e6,
      endUs: this.startUs + (beginS + leg.pieces.durationS) * 1e6,
    };
  }
}

/** The aircraft of a traffic, without flights. */
export function fleetOf(options: Pick<TrafficOptions, 'aircraft' | 'seed' | 'airports' | 'everyFormat' | 'sites'>): readonly Identity[] {
  return createFleet(options.aircraft, options.seed, airportsOf(options), options.everyFormat?.identity);
}

function airportsOf({ sites, ...options }: Pick<TrafficOptions, 'aircraft' | 'airports' | 'sites'>): readonly Airport[] {
  if (sites !== undefined) return sites;
  return airports.slice(0, Math.max(2, options.airports ?? 12 + Math.floor(options.aircraft / 100)));
}

/** Creates traffic. Throws RangeError for fewer than 1 or more than `limits.simulatedAircraftMax` aircraft. */
export function createTraffic(options: TrafficOptions): Traffic {
  return new Traffic(options);
}
