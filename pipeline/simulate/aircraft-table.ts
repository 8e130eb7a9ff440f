// All simulated aircraft in columns: identity, current leg and current piece of it. The state at a time is one formula.

import { PACKED_FLIGHT_BYTES, packFlight } from './encode/squitter.ts';
import type { Identity } from './flights/fleet.ts';
import { emptyLeg, type Leg, LegPlanner } from './flights/leg.ts';
import { PIECE_END, PIECE_NUMBERS, pieceState } from './flights/pieces.ts';
import { Random } from './flights/random.ts';
import type { Network } from './flights/routes.ts';
import type { FlightState } from './flights/state.ts';

const FIRST_LEGS = 4;
const NORMAL_CODES_RESERVED = [7500, 7600, 7700, 7000, 1200, 2000];

export class AircraftTable {
  readonly fleet: readonly Identity[];
  readonly network: Network;
  /** The current piece of each aircraft. */
  private readonly pieces: Float64Array;
  /** When the current leg began, s since the start of the traffic, and its number. */
  private readonly legStartS: Float64Array;
  private readonly legNumber: Int32Array;
  /** The leg at the start of the traffic. */
  private readonly firstStartS: Float64Array;
  private readonly firstNumber: Uint8Array;
  readonly cruiseFt: Float32Array;
  readonly destinationFt: Float32Array;
  /** PACKED_FLIGHT_BYTES bytes of call sign each. */
  readonly flights: Uint8Array;
  private readonly squawks: Uint16Array;
  private readonly emergencies: Uint8Array;
  private readonly emergencySquawks: Uint16Array;
  private readonly emergencyFromS: Float64Array;
  private readonly emergencyToS: Float64Array;
  private readonly planner: LegPlanner;
  private readonly scratch: Leg = emptyLeg();
  private readonly firstDurations = new Float64Array(FIRST_LEGS);

  constructor(fleet: readonly Identity[], network: Network, seed: number) {
    const count = fleet.length;
    this.fleet = fleet;
    this.network = network;
    this.planner = new LegPlanner(network, seed);
    this.pieces = new Float64Array(count * PIECE_NUMBERS);
    this.legStartS = new Float64Array(count);
    this.legNumber = new Int32Array(count);
    this.firstStartS = new Float64Array(count);
    this.firstNumber = new Uint8Array(count);
    this.cruiseFt = new Float32Array(count);
    this.destinationFt = new Float32Array(count);
    this.flights = new Uint8Array(count * PACKED_FLIGHT_BYTES);
    this.squawks = new Uint16Array(count);
    this.emergencies = new Uint8Array(count);
    this.emergencySquawks = new Uint16Array(count);
    this.emergencyFromS = new Float64Array(count);
    this.emergencyToS = new Float64Array(count);
    const random = new Random(seed, 0x57a7, 0);
    for (let i = 0; i < count; i += 1) {
      random.reseed(seed, 0x57a7, i);
      this.begin(i, random);
    }
  }

  /** Sets an aircraft at a random point of one of its first legs, in proportion to the length of the legs. */
  private begin(i: number, random: Random): void {
    const durations = this.firstDurations;
    let total = 0;
    for (let number = 0; number < FIRST_LEGS; number += 1) {
      durations[number] = this.planner.durationEstimateS(this.fleet[i]!, number, this.scratch);
      total += durations[number]!;
    }
    let left = random.share() * total;
    let number = 0;
    while (number < FIRST_LEGS - 1 && left >= durations[number]!) {
      left -= durations[number]!;
      number += 1;
    }
    this.planner.plan(this.fleet[i]!, number, this.scratch);
    this.firstNumber[i] = number;
    this.firstStartS[i] = -random.share() * this.scratch.pieces.durationS;
    this.legStartS[i] = this.firstStartS[i]!;
    this.adopt(i, 0);
  }

  /** Makes the leg in `scratch` the current one of an aircraft. */
  private adopt(i: number, seconds: number): void {
    const leg = this.scratch;
    this.legNumber[i] = leg.number;
    this.cruiseFt[i] = leg.cruiseFt;
    this.destinationFt[i] = this.network.airports[leg.destination]!.elevationFt;
    packFlight(callSign(this.fleet[i]!, leg), this.flights, i * PACKED_FLIGHT_BYTES);
    this.squawks[i] = squawkOf(this.fleet[i]!, leg);
    this.emergencies[i] = leg.emergency;
    this.emergencySquawks[i] = leg.emergencySquawk;
    this.emergencyFromS[i] = this.legStartS[i]! + leg.emergencyFromS;
    this.emergencyToS[i] = this.legStartS[i]! + leg.emergencyToS;
    this.setPiece(i, seconds);
  }

  private setPiece(i: number, seconds: number): void {
    const { pieces } = this.scratch;
    const from = pieces.find(seconds - this.legStartS[i]!) * PIECE_NUMBERS;
    const at = i * PIECE_NUMBERS;
    for (let n = 0; n < PIECE_NUMBERS; n += 1) this.pieces[at + n] = pieces.numbers[from + n]!;
  }

  /** State of an aircraft, `seconds` since the start of the traffic. Times of one aircraft must not decrease: use `legAt` for others. */
  state(i: number, seconds: number, state: FlightState): void {
    const at = i * PIECE_NUMBERS;
    if (seconds - this.legStartS[i]! >= this.pieces[at + PIECE_END]!) this.nextPiece(i, seconds);
    pieceState(this.pieces, at, seconds - this.legStartS[i]!, state);
  }

  private nextPiece(i: number, seconds: number): void {
    this.legStartS[i] = this.legAt(i, seconds, this.scratch);
    if (this.scratch.number === this.legNumber[i]) this.setPiece(i, seconds);
    else this.adopt(i, seconds);
  }

  /** Emergency code (TC 28) at a time; 0 for none. */
  emergency(i: number, seconds: number): number {
    return this.emergencies[i] !== 0 && seconds >= this.emergencyFromS[i]! && seconds < this.emergencyToS[i]! ? this.emergencies[i]! : 0;
  }

  /** Squawk at a time, the four octal digits as a decimal number. */
  squawk(i: number, seconds: number): number {
    return this.emergency(i, seconds) !== 0 && this.emergencySquawks[i] !== 0 ? this.emergencySquawks[i]! : this.squawks[i]!;
  }

  /**
   * Plans the leg that an aircraft flies at any time from the start on into `leg`, without changing the columns. Returns the start of that
   * leg, s since the start of the traffic.
   */
  legAt(i: number, seconds: number, leg: Leg): number {
    // From the current leg when possible: the way from the first one grows by the hour.
    const later = seconds >= this.legStartS[i]!;
    let startS = later ? this.legStartS[i]! : this.firstStartS[i]!;
    let number = later ? this.legNumber[i]! : this.firstNumber[i]!;
    this.planner.plan(this.fleet[i]!, number, leg);
    while (seconds - startS >= leg.pieces.durationS) {
      startS += leg.pieces.durationS;
      number += 1;
      this.planner.plan(this.fleet[i]!, number, leg);
    }
    return startS;
  }
}

/** The call sign of a leg: the operator's with a flight number, sometimes with trailing letters; or the registration. */
export function callSign(identity: Identity, leg: Leg): string {
  if (identity.operator === '') return identity.registration;
  const { tag } = leg;
  if (tag % 4 === 0) {
    const suffix = String.fromCharCode(65 + ((tag >>> 10) % 26));
    const number = 1 + ((tag >>> 16) % 99);
    return `${identity.operator}${number}${suffix}${(tag >>> 4) % 2 === 0 ? '' : String.fromCharCode(65 + ((tag >>> 5) % 26))}`;
  }
  return `${identity.operator}${1 + ((tag >>> 8) % 3999)}`;
}

/** The squawk of a leg without an emergency. */
export function squawkOf(identity: Identity, leg: Leg): number {
  if (identity.visual) return identity.country === 'US' || identity.country === 'CA' ? 1200 : 7000;
  const octal = (leg.tag >>> 12) & 0xfff;
  const code = (octal >>> 9) * 1000 + ((octal >>> 6) & 7) * 100 + ((octal >>> 3) & 7) * 10 + (octal & 7);
  return NORMAL_CODES_RESERVED.includes(code) || code < 100 ? 1000 + (code % 8) : code;
}
