// Replies and the acquisition squitter: DF 0, 4, 5, 11, 20, 21. ICAO Annex 10 vol. IV §3.1.2.5, §3.1.2.6, §4.3.8.
//
//   DF 0       DF 5, VS 1, CC 1, - 1, SL 3, - 2, RI 4, - 2, AC 13, AP 24
//   DF 4, 5    DF 5, FS 3, DR 5, UM 6, AC or ID 13, AP 24;   DF 20, 21 have MB 56 before AP
//   DF 11      DF 5, CA 3, AA 24, PI 24
import { altitudeCode13 } from './codes.ts';
import { sealFrame } from './parity.ts';

/** DF 0, short air-air surveillance. */
export function encodeAirAir(target: Uint8Array, address: number, onGround: boolean, altitudeFt: number, gillham: boolean): void {
  const altitude = altitudeCode13(altitudeFt, gillham);
  target[0] = onGround ? 4 : 0;
  // CC 1 (crosslink), SL 5; RI 3: resolution advisories vertical only.
  target[0] |= 2;
  target[1] = (5 << 5) | (3 >>> 1);
  target[2] = ((3 & 1) << 7) | (altitude >>> 8);
  target[3] = altitude & 0xff;
  sealFrame(target, 7, address);
}

/**
 * DF 4 or 20 with an altitude, DF 5 or 21 with an identity: `code13`, see `codes.ts`.
 * @param flightStatus 0 airborne, 1 on the ground, 2 and 3 the same with an alert, 4 alert and SPI, 5 SPI.
 * @param message 7 bytes of MB for DF 20 and 21, or null for a short reply.
 */
export function encodeReply(
  target: Uint8Array,
  df: number,
  address: number,
  flightStatus: number,
  code13: number,
  message: Uint8Array | null,
): void {
  target[0] = (df << 3) | flightStatus;
  target[1] = 0;
  target[2] = code13 >>> 8;
  target[3] = code13 & 0xff;
  if (message === null) {
    sealFrame(target, 7, address);
    return;
  }
  for (let i = 0; i < 7; i += 1) target[4 + i] = message[i]!;
  sealFrame(target, 14, address);
}

/** DF 11, all-call reply or acquisition squitter. `interrogatorId` 0 for the squitter. */
export function encodeAllCall(target: Uint8Array, address: number, capability: number, interrogatorId: number): void {
  target[0] = (11 << 3) | capability;
  target[1] = address >>> 16;
  target[2] = (address >>> 8) & 0xff;
  target[3] = address & 0xff;
  sealFrame(target, 7, interrogatorId);
}
