// A multilateration server. It locates Mode S aircraft from the times at which three receivers hear them, and sends the result as its own
// frames: DF 18 with CF 2, marked as multilaterated. Its positions are off by some 100 m: they are its estimate, not the flown positions.

import { SENT_AIRBORNE_POSITION, SENT_GROUND_VELOCITY } from '../../../pipeline/simulate/contents.ts';
import { encodeGroundVelocity } from '../../../pipeline/simulate/encode/motion.ts';
import { encodeAirbornePosition } from '../../../pipeline/simulate/encode/squitter.ts';
import type { Identity } from '../../../pipeline/simulate/flights/fleet.ts';
import { LINK_MODE_S } from '../../../pipeline/simulate/flights/links.ts';
import { Random } from '../../../pipeline/simulate/flights/random.ts';
import type { Traffic } from '../../../pipeline/simulate/traffic.ts';
import { truthOf } from '../observer/flown.ts';
import { RareContents } from './rare-contents.ts';

const PERIOD_US = 1_100_000;
const ERROR_DEG = 0.0008;
const ERROR_KT = 3;
/** Accuracy unknown. */
const TYPE_CODE = 18;
const HEARERS_MIN = 3;

/** The frame is in `server.bytes`, its content in `server.sent`. */
export type OnMultilaterated = (aircraft: number, atUs: number) => void;

export class MultilaterationServer {
  readonly bytes = new Uint8Array(14);
  readonly sent = new RareContents();
  private readonly traffic: Traffic;
  private readonly random: Random;
  private readonly aircraft: readonly Identity[];
  private nextUs: number;

  constructor(traffic: Traffic, seed: number) {
    this.traffic = traffic;
    this.random = new Random(seed, 0x317a7, 0);
    this.aircraft = traffic.fleet.filter(({ link }) => link === LINK_MODE_S);
    this.nextUs = traffic.startUs + PERIOD_US;
    this.sent.header.df = 18;
    this.sent.header.capability = 2;
  }

  /** Emits the frames up to `toUs`: from time to time a pair of positions and a velocity of each aircraft with enough receivers. */
  advance(toUs: number, onFrame: OnMultilaterated): void {
    for (; this.nextUs <= toUs; this.nextUs += PERIOD_US) {
      for (const [turn, identity] of this.aircraft.entries()) {
        const { index } = identity;
        if (this.traffic.hearing.counts[index]! < HEARERS_MIN || this.random.chance(0.1)) continue;
        // Spreads the positions of one server over the period.
        this.locate(identity, this.nextUs - PERIOD_US + Math.round((PERIOD_US * turn) / this.aircraft.length), onFrame);
      }
    }
  }

  private locate({ index, address, gillham }: Identity, atUs: number, onFrame: OnMultilaterated): void {
    const { random, sent, bytes } = this;
    const { airborne, ground, header } = sent;
    const truth = truthOf(this.traffic, index, atUs);
    if (truth.onGround) return;
    header.address = address;
    airborne.typeCode = TYPE_CODE;
    airborne.altitudeFt = truth.altitudeFt;
    airborne.gillham = gillham;
    airborne.latDeg = truth.latDeg + random.between(-ERROR_DEG, ERROR_DEG);
    airborne.lonDeg = truth.lonDeg + random.between(-ERROR_DEG, ERROR_DEG) / Math.max(0.02, Math.cos((truth.latDeg * Math.PI) / 180));
    sent.kind = SENT_AIRBORNE_POSITION;
    for (const odd of [false, true]) {
      airborne.odd = odd;
      encodeAirbornePosition(bytes, header, airborne);
      onFrame(index, atUs);
    }
    sent.kind = SENT_GROUND_VELOCITY;
    ground.tisb = sent.tisb;
    ground.nacV = 0;
    ground.geomDeltaFt = Number.POSITIVE_INFINITY;
    ground.rateFpm = truth.rateFpm;
    ground.eastKt = truth.east * truth.groundSpeedKt + random.between(-ERROR_KT, ERROR_KT);
    ground.northKt = truth.north * truth.groundSpeedKt + random.between(-ERROR_KT, ERROR_KT);
    encodeGroundVelocity(bytes, header, ground);
    onFrame(index, atUs);
  }
}
