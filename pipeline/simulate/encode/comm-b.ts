// Comm-B registers as 7 bytes of MB: BDS 1,0 1,7 2,0 4,0 5,0 6,0. ICAO Doc 9871, tables A-2-16 … A-2-96.
// Each function overwrites all 7 bytes of `message`.
import { PACKED_FLIGHT_BYTES } from './squitter.ts';

export const COMM_B_BYTES = 7;

/** Writes `count` bits of `value` from bit `first` (1-56) of a message; these bits must be 0. */
function putBits(message: Uint8Array, first: number, count: number, value: number): void {
  for (let i = 0; i < count; i += 1) {
    if (((value >>> (count - 1 - i)) & 1) === 0) continue;
    const bit = first - 1 + i;
    message[bit >>> 3]! |= 0x80 >>> (bit & 7);
  }
}

/** Status bit, then a two's complement value of `count` bits (sign first). */
function putSigned(message: Uint8Array, first: number, count: number, value: number, step: number): void {
  const limit = 2 ** (count - 1);
  const steps = Math.max(-limit, Math.min(limit - 1, Math.round(value / step)));
  putBits(message, first, 1, 1);
  putBits(message, first + 1, count, steps & (2 * limit - 1));
}

/** Status bit, then a direction in two's complement of `count` bits; south is the border of the two halves. */
function putAngle(message: Uint8Array, first: number, count: number, deg: number, step: number): void {
  putBits(message, first, 1, 1);
  putBits(message, first + 1, count, Math.round(deg / step) & (2 ** count - 1));
}

/** Status bit, then an unsigned value of `count` bits. */
function putUnsigned(message: Uint8Array, first: number, count: number, value: number, step: number): void {
  putBits(message, first, 1, 1);
  putBits(message, first + 1, count, Math.max(0, Math.min(2 ** count - 1, Math.round(value / step))));
}

/** BDS 1,0, data link capability of a level 2 transponder with aircraft identification. */
export function messageDataLink(message: Uint8Array): void {
  message.fill(0);
  message[0] = 0x10;
  message[2] = 0x03;
  message[3] = 0x0a;
  message[4] = 0x80;
  message[5] = 0xf5;
}

/** BDS 1,7, the served registers: 0,5 0,6 0,7 0,8 0,9 2,0 4,0 5,0 6,0. */
export function messageCapability(message: Uint8Array): void {
  message.fill(0);
  for (const bit of [1, 2, 3, 4, 5, 7, 9, 16, 24]) putBits(message, bit, 1, 1);
}

/** BDS 2,0, aircraft identification, from six packed bytes at `packed[packedAt]`. */
export function messageIdentification(message: Uint8Array, packed: Uint8Array, packedAt: number): void {
  message[0] = 0x20;
  for (let i = 0; i < PACKED_FLIGHT_BYTES; i += 1) message[1 + i] = packed[packedAt + i]!;
}

/** BDS 4,0, selected vertical intention. Altitude of the control panel in ft (16-ft steps; negative: absent), QNH in hPa (0.1). */
export function messageVerticalIntention(message: Uint8Array, mcpAltitudeFt: number, qnhHpa: number, navModes: number): void {
  message.fill(0);
  if (mcpAltitudeFt >= 0) putUnsigned(message, 1, 12, mcpAltitudeFt, 16);
  putUnsigned(message, 27, 12, qnhHpa - 800, 0.1);
  // Modes as in the target state: 2 vnav, 4 althold, 8 approach.
  putBits(message, 48, 1, 1);
  putBits(message, 49, 3, ((navModes & 2) << 1) | ((navModes & 4) >>> 1) | ((navModes & 8) >>> 3));
  // Source of the target altitude: 2, the control panel.
  putBits(message, 54, 1, 1);
  putBits(message, 55, 2, 2);
}

/** BDS 5,0, track and turn: degrees, kt, degrees per second. */
export function messageTrackAndTurn(
  message: Uint8Array,
  rollDeg: number,
  trackDeg: number,
  groundSpeedKt: number,
  trackRateDegPerS: number,
  tasKt: number,
): void {
  message.fill(0);
  putSigned(message, 1, 10, rollDeg, 45 / 256);
  putAngle(message, 12, 11, trackDeg, 90 / 512);
  putUnsigned(message, 24, 10, groundSpeedKt, 2);
  putSigned(message, 35, 10, trackRateDegPerS, 8 / 256);
  putUnsigned(message, 46, 10, tasKt, 2);
}

/** BDS 6,0, heading and speed: magnetic heading in degrees, kt, Mach, ft/min. */
export function messageHeadingAndSpeed(
  message: Uint8Array,
  magHeadingDeg: number,
  iasKt: number,
  mach: number,
  baroRateFpm: number,
  inertialRateFpm: number,
): void {
  message.fill(0);
  putAngle(message, 1, 11, magHeadingDeg, 90 / 512);
  putUnsigned(message, 13, 10, iasKt, 1);
  putUnsigned(message, 24, 10, mach, 2.048 / 512);
  putSigned(message, 35, 10, baroRateFpm, 32);
  putSigned(message, 46, 10, inertialRateFpm, 32);
}
