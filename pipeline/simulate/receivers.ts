// Simulated receivers: their positions, the aircraft that they hear, signal levels and losses.

import { EARTH_RADIUS_M, M_PER_NM } from '../geo/earth.ts';
import { destination, latitudeDeg, longitudeDeg, setPosition } from '../geo/great-circle.ts';
import { vector } from '../geo/vector.ts';
import type { Airport } from './flights/airports.ts';
import { mix, Random } from './flights/random.ts';

/** Maximum number of receivers that hear one transmission. */
export const HEARERS_MAX = 3;

export interface Receiver {
  /** In the form of readsb's receiver id: 16 hex digits. */
  readonly id: string;
  /** The airport it stands near. */
  readonly airport: string;
  readonly latDeg: number;
  readonly lonDeg: number;
  /** Height of the antenna above sea level. */
  readonly heightFt: number;
  /** Reading of its 12 MHz counter at the start, and its deviation from the nominal rate. */
  readonly counterStart: number;
  readonly counterPpm: number;
}

const ANTENNA_FT = 60;
const RANGE_NM_MAX = 250;
const COUNTER_START_MAX = 2 ** 44;
const LIGHT_M_PER_US = 299.792458;

/** One receiver within 3 nm of each airport. */
export function createReceivers(airports: readonly Airport[], seed: number): Receiver[] {
  const random = new Random(seed, 0x2ece, 0);
  return airports.map((airport, i) => {
    random.reseed(seed, 0x2ece, i);
    const position = vector();
    setPosition(airport.latDeg, airport.lonDeg, position);
    destination(position, random.between(0, 360), random.between(0.5, 3) * M_PER_NM, position);
    return {
      id: hex32(mix(seed, 0x1d, i)) + hex32(mix(seed, 0x2d, i)),
      airport: airport.icao,
      latDeg: latitudeDeg(position),
      lonDeg: longitudeDeg(position),
      heightFt: airport.elevationFt + ANTENNA_FT,
      counterStart: Math.floor(random.share() * COUNTER_START_MAX),
      counterPpm: random.between(-15, 15),
    };
  });
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** The receivers that hear each aircraft, in columns. Updated from time to time, read for each frame. */
export class Hearing {
  /** HEARERS_MAX entries per aircraft, nearest first. */
  readonly receivers: Uint16Array;
  /** Probability that the receiver misses a frame. */
  readonly losses: Float32Array;
  /** Mean signal byte. */
  readonly signals: Float32Array;
  /** Propagation time of the signal. */
  readonly delaysUs: Float32Array;
  readonly counts: Uint8Array;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private readonly z: Float64Array;
  private readonly heights: Float64Array;
  private readonly cells: readonly (readonly number[])[];

  constructor(receivers: readonly Receiver[], aircraft: number) {
    this.receivers = new Uint16Array(aircraft * HEARERS_MAX);
    this.losses = new Float32Array(aircraft * HEARERS_MAX);
    this.signals = new Float32Array(aircraft * HEARERS_MAX);
    this.delaysUs = new Float32Array(aircraft * HEARERS_MAX);
    this.counts = new Uint8Array(aircraft);
    this.x = new Float64Array(receivers.length);
    this.y = new Float64Array(receivers.length);
    this.z = new Float64Array(receivers.length);
    this.heights = Float64Array.from(receivers, (receiver) => receiver.heightFt);
    const position = vector();
    for (const [i, receiver] of receivers.entries()) {
      setPosition(receiver.latDeg, receiver.lonDeg, position);
      this.x[i] = position.x;
      this.y[i] = position.y;
      this.z[i] = position.z;
    }
    this.cells = neighbourhoods(receivers);
  }

  /** Finds the nearest receivers in line of sight of an aircraft at a unit vector and altitude. */
  update(aircraft: number, x: number, y: number, z: number, latDeg: number, lonDeg: number, altitudeFt: number): void {
    const base = aircraft * HEARERS_MAX;
    let count = 0;
    for (const receiver of this.cells[cellOf(latDeg, lonDeg)]!) {
      const chord = this.chordNm(receiver, x, y, z);
      if (chord > RANGE_NM_MAX || chord > horizonNm(altitudeFt - this.heights[receiver]! + ANTENNA_FT)) continue;
      let slot = Math.min(count, HEARERS_MAX - 1);
      if (count === HEARERS_MAX && chord >= this.distances[slot]!) continue;
      while (slot > 0 && chord < this.distances[slot - 1]!) {
        this.distances[slot] = this.distances[slot - 1]!;
        this.receivers[base + slot] = this.receivers[base + slot - 1]!;
        slot -= 1;
      }
      this.distances[slot] = chord;
      this.receivers[base + slot] = receiver;
      if (count < HEARERS_MAX) count += 1;
    }
    this.counts[aircraft] = count;
    for (let slot = 0; slot < count; slot += 1) {
      const nm = this.distances[slot]!;
      this.losses[base + slot] = lossShare(nm);
      this.signals[base + slot] = signalByte(nm);
      this.delaysUs[base + slot] = (nm * M_PER_NM) / LIGHT_M_PER_US;
    }
  }

  private readonly distances = new Float64Array(HEARERS_MAX);

  private chordNm(receiver: number, x: number, y: number, z: number): number {
    const dx = this.x[receiver]! - x;
    const dy = this.y[receiver]! - y;
    const dz = this.z[receiver]! - z;
    return (Math.sqrt(dx * dx + dy * dy + dz * dz) * EARTH_RADIUS_M) / M_PER_NM;
  }
}

/** Radio horizon between an aircraft and an antenna, with 4/3 earth refraction. */
function horizonNm(heightFt: number): number {
  return 1.23 * (Math.sqrt(Math.max(12, heightFt)) + Math.sqrt(ANTENNA_FT));
}

/** Share of lost frames: garbled at close range, too weak at long range. */
function lossShare(nm: number): number {
  return 0.03 + 0.55 * (nm / RANGE_NM_MAX) ** 3;
}

/** Signal as in Beast (amplitude, 255 is full scale): about -3 dBFS at 1 nm, 15 dB less for each factor of ten. */
function signalByte(nm: number): number {
  return Math.max(2, 255 * 10 ** ((-3 - 15 * Math.log10(Math.max(1, nm))) / 20));
}

const CELL_DEG = 4;
const CELL_COLUMNS = 360 / CELL_DEG;

function cellOf(latDeg: number, lonDeg: number): number {
  return Math.min(44, Math.floor((latDeg + 90) / CELL_DEG)) * CELL_COLUMNS + (Math.floor((lonDeg + 540) / CELL_DEG) % CELL_COLUMNS);
}

/** For each cell of 4 degrees, the receivers in range of any point in it. */
function neighbourhoods(receivers: readonly Receiver[]): number[][] {
  const cells = Array.from({ length: 45 * CELL_COLUMNS }, (): number[] => []);
  for (const [i, receiver] of receivers.entries()) {
    const rangeDeg = RANGE_NM_MAX / 60 + CELL_DEG;
    for (let row = 0; row < 45; row += 1) {
      const middleDeg = row * CELL_DEG - 90 + CELL_DEG / 2;
      if (Math.abs(middleDeg - receiver.latDeg) > rangeDeg) continue;
      const ring = Math.cos((Math.min(88, Math.max(Math.abs(middleDeg), Math.abs(receiver.latDeg)) + 3) * Math.PI) / 180);
      for (let column = 0; column < CELL_COLUMNS; column += 1) {
        const turn = Math.abs(((column * CELL_DEG - 180 + CELL_DEG / 2 - receiver.lonDeg + 540) % 360) - 180);
        if (turn <= CELL_DEG + RANGE_NM_MAX / 60 / ring) cells[row * CELL_COLUMNS + column]!.push(i);
      }
    }
  }
  return cells;
}
