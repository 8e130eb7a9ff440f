// The frame of an extended squitter, DF 17 and 18, and its identification and position messages. DO-260B §2.2.3.2. Every function writes 14
// bytes at the start of `target` and allocates nothing.
//
//   bits 1-5 DF   6-8 CA (DF 17) or CF (DF 18)   9-32 AA   33-88 ME   89-112 PI
import { altitudeCode12 } from './codes.ts';
import { type CprCode, encodeCpr } from './cpr.ts';
import { sealFrame } from './parity.ts';

export interface SquitterHeader {
  df: 17 | 18;
  /** DF 17: capability, 4 on the ground, 5 airborne. DF 18: control field CF. */
  capability: number;
  /** 24 bits. */
  address: number;
}

export function writeHeader(target: Uint8Array, header: SquitterHeader): void {
  target[0] = (header.df << 3) | header.capability;
  target[1] = header.address >>> 16;
  target[2] = (header.address >>> 8) & 0xff;
  target[3] = header.address & 0xff;
}

/** Bytes of eight packed 6-bit characters. */
export const PACKED_FLIGHT_BYTES = 6;

/** Packs up to eight letters, digits and spaces as six bytes, padded with spaces: Annex 10 vol. IV table 3-9. */
export function packFlight(flight: string, target: Uint8Array, at: number): void {
  for (let group = 0; group < 2; group += 1) {
    let bits = 0;
    for (let i = 0; i < 4; i += 1) {
      const code = group * 4 + i < flight.length ? flight.charCodeAt(group * 4 + i) : 0x20;
      bits = (bits << 6) | (code & 0x3f);
    }
    target[at + group * 3] = bits >>> 16;
    target[at + group * 3 + 1] = (bits >>> 8) & 0xff;
    target[at + group * 3 + 2] = bits & 0xff;
  }
}

/**
 * TC 1-4 (§2.2.3.2.5): TC 5 bits, category 3 bits, eight 6-bit characters.
 * @param category 0xA0 to 0xD7: set letter and number, as in `A3`.
 * @param packed holds the call sign as `packFlight` wrote it, at `packedAt`.
 */
export function encodeIdentification(
  target: Uint8Array,
  header: SquitterHeader,
  category: number,
  packed: Uint8Array,
  packedAt: number,
): void {
  writeHeader(target, header);
  const typeCode = 0xe - (category >>> 4);
  target[4] = (typeCode << 3) | (category & 7);
  for (let i = 0; i < PACKED_FLIGHT_BYTES; i += 1) target[5 + i] = packed[packedAt + i]!;
  sealFrame(target, 14, 0);
}

export interface AirbornePosition {
  /** 9-18 with barometric altitude, 20-22 with the height above the ellipsoid; 0: an altitude and no position. */
  typeCode: number;
  /** 0-3. */
  surveillanceStatus: number;
  /** ADS-B: NIC supplement B or single antenna. TIS-B and ADS-R: the IMF bit. */
  nicB: number;
  /** NaN: unknown. */
  altitudeFt: number;
  /** 100-ft Gillham code even in the range of 25-ft steps. */
  gillham: boolean;
  odd: boolean;
  latDeg: number;
  lonDeg: number;
}

const cpr: CprCode = { lat: 0, lon: 0 };

/** TC 0, 9-18, 20-22 (§2.2.3.2.3): TC 5, SS 2, NIC-B 1, altitude 12, T 1, F 1, latitude 17, longitude 17 bits. */
export function encodeAirbornePosition(target: Uint8Array, header: SquitterHeader, position: AirbornePosition): void {
  writeHeader(target, header);
  const altitude = altitudeCode12(position.altitudeFt, position.gillham);
  target[4] = (position.typeCode << 3) | (position.surveillanceStatus << 1) | position.nicB;
  target[5] = altitude >>> 4;
  if (position.typeCode === 0) {
    target[6] = (altitude & 0xf) << 4;
    target.fill(0, 7, 11);
  } else {
    encodeCpr(position.latDeg, position.lonDeg, position.odd, false, cpr);
    writeCpr(target, (altitude & 0xf) << 4, position.odd);
  }
  sealFrame(target, 14, 0);
}

export interface SurfacePosition {
  /** 5-8. */
  typeCode: number;
  /** NaN: unknown. */
  groundSpeedKt: number;
  /** ADS-B version of the sender, 2 by default: version 2 changed the coding of slow speeds. */
  version?: number;
  /** The track is invalid while standing. */
  trackValid: boolean;
  trackDeg: number;
  /** TIS-B and ADS-R: the IMF bit; 0 otherwise. */
  imf: number;
  odd: boolean;
  latDeg: number;
  lonDeg: number;
}

/** TC 5-8 (§2.2.3.2.4): TC 5, movement 7, track valid 1, track 7, T 1, F 1, latitude 17, longitude 17 bits. */
export function encodeSurfacePosition(target: Uint8Array, header: SquitterHeader, position: SurfacePosition): void {
  writeHeader(target, header);
  const movement = movementCode(position.groundSpeedKt, position.version);
  const track = position.trackValid ? Math.round((position.trackDeg * 128) / 360) & 0x7f : 0;
  target[4] = (position.typeCode << 3) | (movement >>> 4);
  target[5] = ((movement & 0xf) << 4) | (position.trackValid ? 8 : 0) | (track >>> 4);
  encodeCpr(position.latDeg, position.lonDeg, position.odd, true, cpr);
  writeCpr(target, ((track & 0xf) << 4) | (position.imf << 3), position.odd);
  sealFrame(target, 14, 0);
}

function writeCpr(target: Uint8Array, before: number, odd: boolean): void {
  target[6] = before | (odd ? 4 : 0) | (cpr.lat >>> 15);
  target[7] = (cpr.lat >>> 7) & 0xff;
  target[8] = ((cpr.lat & 0x7f) << 1) | (cpr.lon >>> 16);
  target[9] = (cpr.lon >>> 8) & 0xff;
  target[10] = cpr.lon & 0xff;
}

/**
 * Movement field of a ground speed, 0 for an unknown one (NaN). Each step includes its upper end and begins above the previous step.
 * Version 2: DO-260B table 2-14; earlier versions: DO-260 §2.2.3.2.4.2, with other steps up to 1 kt.
 */
export function movementCode(groundSpeedKt: number, version = 2): number {
  if (Number.isNaN(groundSpeedKt)) return 0;
  if (groundSpeedKt <= 0) return 1;
  if (groundSpeedKt <= 0.125) return version === 2 ? 2 : 1;
  if (groundSpeedKt <= 1)
    return version === 2 ? 2 + Math.ceil((groundSpeedKt - 0.125) / (0.875 / 6)) : 1 + Math.ceil((groundSpeedKt - 0.125) / 0.125);
  if (groundSpeedKt <= 2) return 8 + Math.ceil((groundSpeedKt - 1) / 0.25);
  if (groundSpeedKt <= 15) return 12 + Math.ceil((groundSpeedKt - 2) / 0.5);
  if (groundSpeedKt <= 70) return 38 + Math.ceil(groundSpeedKt - 15);
  if (groundSpeedKt <= 100) return 93 + Math.ceil((groundSpeedKt - 70) / 2);
  if (groundSpeedKt <= 175) return 108 + Math.ceil((groundSpeedKt - 100) / 5);
  return 124;
}
