// TC 19, airborne velocity: over the ground (subtypes 1, 2) and through the air (3, 4). DO-260B §2.2.3.2.6.
//
//   ME bits  1-5 TC   6-8 subtype   9 intent change (TIS-B, ADS-R: IMF)   10 IFR   11-13 NACv
//   1, 2:    14 west  15-24 |east|+1     25 south  26-35 |north|+1         subtype 2: in steps of 4 kt
//   3, 4:    14 heading valid  15-24 heading 360/1024°   25 true airspeed  26-35 airspeed+1
//   all:     36 barometric rate  37 down  38-46 |rate|/64+1   47-48 -   49 below  50-56 |GNSS - baro|/25+1
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

/** Subtype 1, or 2 above 1022 kt. */
export function encodeGroundVelocity(target: Uint8Array, at: number, header: SquitterHeader, velocity: GroundVelocity): void {
  const eastKt = Math.abs(velocity.eastKt);
  const northKt = Math.abs(velocity.northKt);
  const supersonic = eastKt > SUBSONIC_KT_MAX || northKt > SUBSONIC_KT_MAX;
  const stepKt = supersonic ? 4 : 1;
  const east = ((velocity.eastKt < 0 ? 1 : 0) << 10) | Math.min(1023, Math.round(eastKt / stepKt) + 1);
  const north = ((velocity.northKt < 0 ? 1 : 0) << 10) | Math.min(1023, Math.round(northKt / stepKt) + 1);
  writeVelocity(target, at, header, supersonic ? 2 : 1, east, north, velocity);
}

/** Subtype 3, or 4 above 1022 kt. */
export function encodeAirVelocity(target: Uint8Array, at: number, header: SquitterHeader, velocity: AirVelocity): void {
  const supersonic = velocity.airspeedKt > SUBSONIC_KT_MAX;
  const heading = 0x400 | (Math.round((velocity.headingDeg * 1024) / 360) & 0x3ff);
  const steps = Math.min(1023, Math.round(velocity.airspeedKt / (supersonic ? 4 : 1)) + 1);
  const airspeed = ((velocity.airspeedTrue ? 1 : 0) << 10) | steps;
  writeVelocity(target, at, header, supersonic ? 4 : 3, heading, airspeed, velocity);
}

/** `first` is ME bits 14-24, `second` 25-35. */
function writeVelocity(
  target: Uint8Array,
  at: number,
  header: SquitterHeader,
  subtype: number,
  first: number,
  second: number,
  vertical: VerticalMotion,
): void {
  writeHeader(target, at, header);
  const rate = Math.min(511, Math.round(Math.abs(vertical.rateFpm) / 64) + 1);
  const delta = Math.round(Math.abs(vertical.geomDeltaFt) / 25) + 1;
  target[at + 4] = (19 << 3) | subtype;
  target[at + 5] = (vertical.imf << 7) | (vertical.nacV << 3) | (first >>> 8);
  target[at + 6] = first & 0xff;
  target[at + 7] = second >>> 3;
  target[at + 8] = ((second & 7) << 5) | ((vertical.rateBaro ? 1 : 0) << 4) | ((vertical.rateFpm < 0 ? 1 : 0) << 3) | (rate >>> 6);
  target[at + 9] = (rate & 0x3f) << 2;
  target[at + 10] = delta > 126 ? 0 : ((vertical.geomDeltaFt < 0 ? 1 : 0) << 7) | delta;
  sealFrame(target, at, 14, 0);
}
