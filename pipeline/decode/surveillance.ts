// Surveillance replies: altitude (DF 0, 4, 16, 20), identity (DF 5, 21), flight status, vertical status.
// ICAO Annex 10 vol. IV §3.1.2.6.5 (DF 4), §3.1.2.6.7 (DF 5), §3.1.2.8.2 (DF 0), §3.1.2.8.3 (DF 16), §3.1.2.6.6 (DF 20), §3.1.2.6.8 (DF 21).
//
//   bits   1-5   DF
//   DF 0, 16     6    VS    vertical status: 0 airborne, 1 on the ground
//   DF 4,5,20,21 6-8  FS    flight status, below
//                9-13 DR, 14-19 UM   not used here
//         20-32  AC (altitude.ts) or ID (identity.ts)
//         33-88  DF 16: MV; DF 20, 21: MB
//         last 24 address overlaid on parity
//
//   FS   alert  SPI  state            FS   alert  SPI  state
//   0    no     no   airborne         4    yes    yes  either
//   1    no     no   on the ground    5    no     yes  either
//   2    yes    no   airborne         6, 7 not defined
//   3    yes    no   on the ground

import { altitude13Ft } from './altitude.ts';
import { squawkOfIdentity } from './identity.ts';
import { ABSENT, type Surveillance } from './message.ts';

/** DF 4 and 20. */
export function decodeAltitudeReply(bytes: Uint8Array, at: number, out: Surveillance): void {
  out.altitudeBaroFt = altitude13Ft(code13(bytes, at));
  out.squawk = ABSENT;
  flightStatus(bytes[at]! & 7, out);
}

/** DF 5 and 21. */
export function decodeIdentityReply(bytes: Uint8Array, at: number, out: Surveillance): void {
  out.altitudeBaroFt = ABSENT;
  out.squawk = squawkOfIdentity(code13(bytes, at));
  flightStatus(bytes[at]! & 7, out);
}

/** DF 0 and 16: air-air surveillance. */
export function decodeAirAirReply(bytes: Uint8Array, at: number, out: Surveillance): void {
  out.altitudeBaroFt = altitude13Ft(code13(bytes, at));
  out.squawk = ABSENT;
  out.onGround = (bytes[at]! >> 2) & 1;
  out.alert = ABSENT;
  out.spi = ABSENT;
}

function code13(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 2]! & 0x1f) << 8) | bytes[at + 3]!;
}

function flightStatus(status: number, out: Surveillance): void {
  out.onGround = status <= 3 ? status & 1 : ABSENT;
  out.alert = status <= 5 ? (status >= 2 && status <= 4 ? 1 : 0) : ABSENT;
  out.spi = status <= 5 ? (status >= 4 ? 1 : 0) : ABSENT;
}
