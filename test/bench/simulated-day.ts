// Positions of a simulated day for benches of the history: straight into columns, half a million rows per second of CPU time and more.
// Aircraft fly straight legs, turn, climb and descend; values have the steps of ADS-B, and times the jitter of receptions.

import type { NativeBlock } from '../../pipeline/project/native-block.ts';
import { addRows, columnIndexes } from '../../pipeline/project/position-projection.ts';
import { PositionReader } from '../../pipeline/project/position-reader.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { ABSENT } from '../../schemas/absent.ts';

/** Where each field is in a row of numbers. */
const reader = new PositionReader({} as never);
const { stride } = reader;
const indexes = columnIndexes(reader);
const US = 1_000_000;
/** Frames per record of the frames topic at 15,000 aircraft. */
const FRAMES_PER_RECORD = 2300;
const FRAMES_PER_POSITION = 5;
const LEG_S = 900;
const CALL_SIGN_LENGTH = 8;
const DEG = Math.PI / 180;
/** Degrees per second at one knot. */
const DEGREES_PER_KNOT_S = 1 / 60 / 3600;

interface Flown {
  readonly key: number;
  latitude: number;
  longitude: number;
  altitudeFt: number;
  rateFpm: number;
  speedKt: number;
  trackDeg: number;
  readonly geomFt: number;
  readonly phase: number;
  readonly squawk: number;
  levelDeciDbfs: number;
}

/** Each aircraft has a position a second: `aircraft` times 86,400 rows a day. */
export class SimulatedDay {
  private readonly startMs: number;
  private readonly aircraft: Flown[];
  private readonly numbers = new Float64Array(stride * 4096);
  /** Eight characters for each aircraft. */
  private readonly texts: Uint8Array;
  private second = 0;
  private next = 0;
  private row = 0;
  private readonly random = new Random(1);

  constructor(aircraft: number, startMs: number) {
    this.startMs = startMs;
    this.aircraft = Array.from({ length: aircraft }, (_, i) => ({
      ...{ key: 0x40_0000 + 97 * i, latitude: 40 + 15 * this.random.share(), longitude: -5 + 20 * this.random.share() },
      ...{ altitudeFt: 30_000 + 1000 * Math.floor(10 * this.random.share()), rateFpm: 0, speedKt: 380 + 100 * this.random.share() },
      ...{
        trackDeg: 360 * this.random.share(),
        geomFt: 25 * Math.floor(60 * this.random.share()) - 500,
        phase: Math.floor(LEG_S * this.random.share()),
      },
      ...{ squawk: 1000 + ((i * 37) % 6000), levelDeciDbfs: 0 },
    }));
    this.texts = Buffer.from(this.aircraft.map((_, i) => `TST${10_000 + (i % 90_000)}`).join(''));
  }

  /** Adds the next rows. */
  fill(block: NativeBlock, rows: number): void {
    const { numbers } = this;
    for (let left = rows; left > 0; ) {
      const count = Math.min(left, numbers.length / stride);
      for (let i = 0; i < count; i += 1) this.write(numbers, i * stride);
      addRows(block, 0, { numbers, stride, texts: this.texts }, indexes, count);
      left -= count;
    }
  }

  private write(numbers: Float64Array, at: number): void {
    const flown = this.aircraft[this.next]!;
    this.fly(flown);
    const frame = this.row * FRAMES_PER_POSITION;
    numbers[at] = flown.key;
    numbers[at + 1] =
      this.startMs * 1000 + this.second * US + Math.floor((US * this.next) / this.aircraft.length + 400 * this.random.share());
    // CPR resolves 5 m.
    numbers[at + 2] = Math.round(Math.round((flown.latitude * 131_072) / 6) * (6 / 131_072) * 1e6);
    numbers[at + 3] = Math.round(Math.round((flown.longitude * 131_072) / 8) * (8 / 131_072) * 1e6);
    numbers[at + 4] = 0;
    numbers[at + 5] = 25 * Math.round(flown.altitudeFt / 25);
    numbers[at + 6] = this.next % 20 === 0 ? ABSENT : 25 * Math.round((flown.altitudeFt + flown.geomFt) / 25);
    numbers[at + 7] = Math.round(10 * flown.speedKt);
    numbers[at + 8] = Math.round(100 * flown.trackDeg) % 36_000;
    numbers[at + 9] = 64 * Math.round(flown.rateFpm / 64);
    numbers[at + 10] = 0;
    numbers[at + 11] = 8;
    numbers[at + 12] = 186;
    numbers[at + 13] = Math.floor(frame / FRAMES_PER_RECORD);
    numbers[at + 14] = frame % FRAMES_PER_RECORD;
    // One aircraft in twenty sends no call sign, one in ten answers no interrogator.
    numbers[at + 15] = CALL_SIGN_LENGTH * this.next;
    numbers[at + 16] = this.next % 20 === 7 ? ABSENT : CALL_SIGN_LENGTH;
    numbers[at + 17] = this.next % 10 === 3 ? ABSENT : flown.squawk;
    // The mean of eight messages whose levels differ by some 3 dB.
    flown.levelDeciDbfs += (60 * (this.random.share() + this.random.share() - 1) - flown.levelDeciDbfs) / 8;
    numbers[at + 18] = Math.round(-180 - (this.next % 150) + flown.levelDeciDbfs);
    this.row += 1;
    this.next += 1;
    if (this.next < this.aircraft.length) return;
    this.next = 0;
    this.second += 1;
  }

  private fly(flown: Flown): void {
    const inLeg = (this.second + flown.phase) % LEG_S;
    if (inLeg === 0) {
      flown.rateFpm = [0, 0, 0, 1800, -1600][Math.floor(5 * this.random.share())]!;
      if (flown.altitudeFt > 39_000 && flown.rateFpm > 0) flown.rateFpm = -1600;
      if (flown.altitudeFt < 25_000) flown.rateFpm = 1800;
    }
    // A turn of 30 s at the start of a leg, a climb of five minutes.
    if (inLeg < 30) flown.trackDeg = (flown.trackDeg + 1) % 360;
    if (inLeg > 300) flown.rateFpm = 0;
    flown.altitudeFt += flown.rateFpm / 60;
    // Speeds change by steps of a knot, every ten seconds or so.
    if (this.random.share() < 0.1) flown.speedKt += Math.floor(3 * this.random.share()) - 1;
    const degrees = flown.speedKt * DEGREES_PER_KNOT_S;
    flown.latitude += degrees * Math.cos(flown.trackDeg * DEG);
    flown.longitude += (degrees * Math.sin(flown.trackDeg * DEG)) / Math.cos(flown.latitude * DEG);
    if (flown.latitude > 60 || flown.latitude < 35) flown.trackDeg = (540 - flown.trackDeg) % 360;
  }
}
