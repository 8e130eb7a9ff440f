// Target state and status, TC 29 (BDS 6,2). Subtype 1, version 2: DO-260B §2.2.3.2.7.1. Subtype 0, version 1: DO-260A §2.2.3.2.7.1.
//
//   ME bit  subtype 1                                      subtype 0
//    1-5    TC 29                                          TC 29
//    6-7    subtype                                        subtype
//    8      SIL supplement: 0 per hour, 1 per sample       8-9   vertical source: 0 none, 1 MCP/FCU, 2 holding altitude, 3 FMS
//    9      source of the altitude: 0 MCP/FCU, 1 FMS       10    altitude type
//   10-20   n: 0 none, else (n − 1) * 32 ft                11    0
//                                                          12-13 capability   14-15 vertical mode: 0 none, 1 acquiring, 2 holding
//   21-29   n: 0 none, else 800 + (n − 1) * 0.8 hPa        16-25 n: −1000 + 100 n ft, to 100,000 ft
//   30      1 when the heading is valid                    26-27 horizontal source: 0 none, 1 MCP/FCU, 2 holding heading, 3 FMS
//   31-39   heading, LSB 180/256°                          28-36 heading or track, LSB 1°, 0-359
//                                                          37    heading or track   38-39 horizontal mode as 14-15
//   40-43   NACp                                           40-43 NACp
//   44      NIC baro                                       44    NIC baro
//   45-46   SIL                                            45-46 SIL
//   47      1 when bits 48-50, 52-54 are valid             47-51 reserved
//   48 autopilot 49 VNAV 50 altitude hold
//   52 approach 53 TCAS operational 54 LNAV                52-53 TCAS: 52 not operational, 53 advisory active
//   51      ADS-R: ICAO/Mode A flag                        54-56 emergency state

import { ABSENT, type TargetState } from './message.ts';

const AUTOPILOT = 1;
const VNAV = 2;
const ALTITUDE_HOLD = 4;
const APPROACH = 8;
const LNAV = 16;
const TCAS = 32;
const SOURCE_MCP = 1;
const SOURCE_HOLDING = 2;
const SOURCE_FMS = 3;
const ALTITUDE_V1_STEPS_MAX = 1010;
const SIL_PER_HOUR = 1;
const SIL_PER_SAMPLE = 2;

/** Subtype 1. `me` is the offset of the ME field. */
export function decodeTargetState(bytes: Uint8Array, me: number, out: TargetState): void {
  const b0 = bytes[me]!;
  const b1 = bytes[me + 1]!;
  const b2 = bytes[me + 2]!;
  const b3 = bytes[me + 3]!;
  const altitude = ((b1 & 0x7f) << 4) | (b2 >> 4);
  const altitudeFt = altitude === 0 ? ABSENT : (altitude - 1) * 32;
  const fms = (b1 & 0x80) !== 0;
  out.navAltitudeMcpFt = fms ? ABSENT : altitudeFt;
  out.navAltitudeFmsFt = fms ? altitudeFt : ABSENT;
  const pressure = ((b2 & 0xf) << 5) | (b3 >> 3);
  out.navQnhDeciHpa = pressure === 0 ? ABSENT : 8000 + (pressure - 1) * 8;
  out.navHeadingCentideg = b3 & 4 ? Math.floor((((b3 & 3) << 7) | (bytes[me + 4]! >> 1)) * 70.3125 + 0.5) : ABSENT;
  decodeQuality(bytes, me, out);
  out.silType = b0 & 1 ? SIL_PER_SAMPLE : SIL_PER_HOUR;
  out.navModes = modes(bytes[me + 5]!, bytes[me + 6]!);
  out.emergency = ABSENT;
}

/** Subtype 0. `me` is the offset of the ME field. */
export function decodeTargetStateVersion1(bytes: Uint8Array, me: number, out: TargetState): void {
  const b1 = bytes[me + 1]!;
  const b3 = bytes[me + 3]!;
  const b4 = bytes[me + 4]!;
  const verticalSource = ((bytes[me]! & 1) << 1) | (b1 >> 7);
  const verticalMode = (b1 >> 1) & 3;
  const altitude = ((b1 & 1) << 9) | (bytes[me + 2]! << 1) | (b3 >> 7);
  const altitudeFt = altitude > ALTITUDE_V1_STEPS_MAX ? ABSENT : 100 * altitude - 1000;
  const horizontalSource = (b3 >> 5) & 3;
  const horizontalMode = (b4 >> 1) & 3;
  const heading = ((b3 & 0x1f) << 4) | (b4 >> 4);
  out.navAltitudeMcpFt = verticalSource === SOURCE_MCP ? altitudeFt : ABSENT;
  out.navAltitudeFmsFt = verticalSource === SOURCE_FMS ? altitudeFt : ABSENT;
  out.navQnhDeciHpa = ABSENT;
  out.navHeadingCentideg = horizontalSource !== 0 && heading < 360 ? heading * 100 : ABSENT;
  decodeQuality(bytes, me, out);
  out.silType = 0;
  out.navModes = modesVersion1(verticalSource, verticalMode, horizontalSource, horizontalMode);
  out.emergency = bytes[me + 6]! & 7;
}

/** Bits 40-46 are the same in both subtypes. */
function decodeQuality(bytes: Uint8Array, me: number, out: TargetState): void {
  const b5 = bytes[me + 5]!;
  out.nacP = ((bytes[me + 4]! & 1) << 3) | (b5 >> 5);
  out.nicBaro = (b5 >> 4) & 1;
  out.sil = (b5 >> 2) & 3;
}

/** Bits 47-54. TCAS operational is included, under the same status bit. */
function modes(b5: number, b6: number): number {
  if (!(b5 & 2)) return ABSENT;
  return (
    (b5 & 1 ? AUTOPILOT : 0) |
    (b6 & 0x80 ? VNAV : 0) |
    (b6 & 0x40 ? ALTITUDE_HOLD : 0) |
    (b6 & 0x10 ? APPROACH : 0) |
    (b6 & 0x08 ? TCAS : 0) |
    (b6 & 0x04 ? LNAV : 0)
  );
}

/**
 * Version 1 has no mode bits: the modes follow from what is acquired or held, and from the source of the target. Modes 0 and 3 carry no
 * information.
 */
function modesVersion1(verticalSource: number, verticalMode: number, horizontalSource: number, horizontalMode: number): number {
  let engaged = ABSENT;
  if (verticalMode === 1 || verticalMode === 2) {
    if (verticalSource === SOURCE_FMS) engaged = VNAV;
    else engaged = verticalMode === 2 && verticalSource === SOURCE_HOLDING ? ALTITUDE_HOLD : AUTOPILOT;
  }
  if (horizontalMode === 1 || horizontalMode === 2) {
    engaged = (engaged === ABSENT ? 0 : engaged) | (horizontalSource === SOURCE_FMS ? LNAV : AUTOPILOT);
  }
  return engaged;
}
