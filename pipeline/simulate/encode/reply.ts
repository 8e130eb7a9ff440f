// Replies and the acquisition squitter: DF 0, 4, 5, 11, 20, 21. ICAO Annex 10 vol. IV §3.1.2.5, §3.1.2.6, §4.3.8.
//
//   DF 0       DF 5, VS 1, CC 1, - 1, SL 3, - 2, RI 4, - 2, AC 13, AP 24
//   DF 4, 5    DF 5, FS 3, DR 5, UM 6, AC or ID 13, AP 24;   DF 20, 21 have MB 56 before AP
//   DF 11      DF 5, CA 3, AA 24, PI 24
import { altitudeCode13, identityCode13 } from './codes.ts';
import { sealFrame } from './parity.ts';

/** DF 0, short air-air surveillance. */
export function encodeAirAir(
  target: Uint8Array,
  at: number,
  address: number,
  onGround: boolean,
  altitudeFt: number,
  gillham: boolean,
): void {
  const altitude = altitudeCode13(altitudeFt, gillham);
  target[at] = onGround ? 4 : 0;
  // CC 1 (crosslink), SL 5; RI 3: resolution advisories vertical only.
  target[at] |= 2;
  target[at + 1] = (5 << 5) | (3 >>> 1);
  target[at + 2] = ((3 & 1) << 7) | (altitude >>> 8);
  target[at + 3] = altitude & 0xff;
  sealFrame(target, at, 7, address);
}

/**
 * DF 4 and, with `message`, DF 20: altitude.
 * @param flightStatus 0 airborne, 1 on the ground, 2 and 3 the same with an alert, 4 alert and SPI, 5 SPI.
 * @param message 7 bytes of MB, or null for a short reply.
 */
export function encodeAltitudeReply(
  target: Uint8Array,
  at: number,
  address: number,
  flightStatus: number,
  altitudeFt: number,
  gillham: boolean,
  message: Uint8Array | null,
): void {
  writeReply(target, at, message === null ? 4 : 20, flightStatus, altitudeCode13(altitudeFt, gillham), message, address);
}

/** DF 5 and, with `message`, DF 21: identity. `squawk` as a decimal number, 7700 for 7700. */
export function encodeIdentityReply(
  target: Uint8Array,
  at: number,
  address: number,
  flightStatus: number,
  squawk: number,
  message: Uint8Array | null,
): void {
  writeReply(target, at, message === null ? 5 : 21, flightStatus, identityCode13(squawk), message, address);
}

function writeReply(
  target: Uint8Array,
  at: number,
  df: number,
  flightStatus: number,
  code13: number,
  message: Uint8Array | null,
  address: number,
): void {
  target[at] = (df << 3) | flightStatus;
  target[at + 1] = 0;
  target[at + 2] = code13 >>> 8;
  target[at + 3] = code13 & 0xff;
  if (message === null) {
    sealFrame(target, at, 7, address);
    return;
  }
  for (let i = 0; i < 7; i += 1) target[at + 4 + i] = message[i]!;
  sealFrame(target, at, 14, address);
}

/** DF 11, all-call reply or acquisition squitter. `interrogatorId` 0 for the squitter. */
export function encodeAllCall(target: Uint8Array, at: number, address: number, capability: number, interrogatorId: number): void {
  target[at] = (11 << 3) | capability;
  target[at + 1] = address >>> 16;
  target[at + 2] = (address >>> 8) & 0xff;
  target[at + 3] = address & 0xff;
  sealFrame(target, at, 7, interrogatorId);
}
