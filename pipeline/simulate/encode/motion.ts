// TC 19, airborne velocity: over the ground (subtypes 1, 2) and through the air (3, 4). DO-260B §2.2.3.2.6; TIS-B §2.2.17.3.4.
//
//   ME bits  1-5 TC   6-8 subtype   9 intent change (TIS-B, ADS-R: IMF)   10 IFR   11-13 NACv      TIS-B: 10-13 NACp
//   1, 2:    14 west  15-24 |east|+1     25 south  26-35 |north|+1         subtype 2: in steps of 4 kt
//   3, 4:    14 heading valid  15-24 heading 360/1024°   25 true airspeed  26-35 airspeed+1
//   all:     36 barometric rate  37 down  38-46 |rate|/64+1   47-48 -   49 below  50-56 |GNSS - baro|/25+1
//   TIS-B:   36 1: 49-56 as above; 0: 48-50 NACv  51-52 SIL. The rate is barometric
// An unknown number is NaN.
import { sealFrame } from './parity.ts';
import { type SquitterHeader, writeHeader } from './squitter.ts';

interface VerticalMotion {
  /** Bit 9: intent change in ADS-B, the IMF bit in TIS-B and ADS-R. */
  imf: number;
  nacV: number;
  rateFpm: number;
  /** True when the rate is barometric. */
  rateBaro: boolean;
  /** Geometric minus barometric altitude, ft; beyond ±3137 it is sent as unknown. */
  geomDeltaFt: number;
  /** TIS-B: its accuracy fields. Null, the default, in ADS-B and ADS-R. */
  tisb?: TisbAccuracy | null;
}

export interface TisbAccuracy {
  nacP: number;
  /** Sent, with the NACv, when there is no altitude difference. */
  sil: number;
}

export interface GroundVelocity extends VerticalMotion {
  eastKt: number;
  northKt: number;
}

export interface AirVelocity extends VerticalMotion {
  headingDeg: number;
  airspeedKt: number;
  /** True airspeed; indicated otherwise. */
  airspeedTrue: boolean;
}

const SUBSONIC_KT_MAX = 1022;
const DELTA_FT_MAX = 3137;

/** Subtype 1, or 2 above 1022 kt. */
export function encodeGroundVelocity(target: Uint8Array, header: SquitterHeader, velocity: GroundVelocity): void {
  const { eastKt, northKt } = velocity;
  const supersonic = Math.abs(eastKt) > SUBSONIC_KT_MAX || Math.abs(northKt) > SUBSONIC_KT_MAX;
  const stepKt = supersonic ? 4 : 1;
  writeVelocity(target, header, supersonic ? 2 : 1, signed(eastKt, stepKt, 10), signed(northKt, stepKt, 10), velocity);
}

/** Subtype 3, or 4 above 1022 kt. */
export function encodeAirVelocity(target: Uint8Array, header: SquitterHeader, velocity: AirVelocity): void {
  const { headingDeg, airspeedKt } = velocity;
  const supersonic = airspeedKt > SUBSONIC_KT_MAX;
  const heading = Number.isNaN(headingDeg) ? 0 : 0x400 | (Math.round((headingDeg * 1024) / 360) & 0x3ff);
  const airspeed = ((velocity.airspeedTrue ? 1 : 0) << 10) | signed(airspeedKt, supersonic ? 4 : 1, 10);
  writeVelocity(target, header, supersonic ? 4 : 3, heading, airspeed, velocity);
}

/** Sign, then the magnitude in steps plus one, limited to `width` bits; 0 for NaN. */
function signed(value: number, step: number, width: number): number {
  if (Number.isNaN(value)) return 0;
  const steps = Math.min(2 ** width - 1, Math.round(Math.abs(value) / step) + 1);
  return ((value < 0 ? 1 : 0) << width) | steps;
}

/** `first` is ME bits 14-24, `second` 25-35. */
function writeVelocity(
  target: Uint8Array,
  header: SquitterHeader,
  subtype: number,
  first: number,
  second: number,
  vertical: VerticalMotion,
): void {
  const { tisb = null, geomDeltaFt, nacV } = vertical;
  writeHeader(target, header);
  const rate = signed(vertical.rateFpm, 64, 9);
  const delta = Math.abs(geomDeltaFt) > DELTA_FT_MAX ? 0 : signed(geomDeltaFt, 25, 7);
  const bit36 = tisb === null ? vertical.rateBaro : delta !== 0;
  target[4] = (19 << 3) | subtype;
  target[5] = (vertical.imf << 7) | ((tisb === null ? nacV : tisb.nacP) << 3) | (first >>> 8);
  target[6] = first & 0xff;
  target[7] = second >>> 3;
  target[8] = ((second & 7) << 5) | ((bit36 ? 1 : 0) << 4) | (rate >>> 6);
  target[9] = (rate & 0x3f) << 2;
  target[10] = delta;
  if (tisb !== null && delta === 0) {
    target[9]! |= nacV >>> 2;
    target[10] = ((nacV & 3) << 6) | (tisb.sil << 4);
  }
  sealFrame(target, 14, 0);
}
