// The reference for decoding: a straightforward decoder that builds an object with named fields per frame, for the message families that the
// product decodes. Written like decoders in scripting languages; plain-fold.ts folds its messages. Not used by the product.

/** Trust in a message: greater is better. */
export const RANK_MODE_S = 1;
export const RANK_ALL_CALL = 2;
export const RANK_TISB = 3;
export const RANK_ADSR = 4;
export const RANK_ADSB = 5;

export interface PlainCpr {
  readonly odd: boolean;
  readonly surface: boolean;
  /** 0 to 1 of a zone. */
  readonly lat: number;
  readonly lon: number;
  readonly nicB: number;
}

/** One frame. Units: ft, kt, degrees, ft/min, hPa; values that the frame does not contain are undefined. */
export interface PlainMessage {
  readonly df: number;
  /** Six hex digits, `~` before a non-ICAO address. */
  readonly icao: string;
  /** The address is in the frame, under parity. */
  readonly confirmed: boolean;
  readonly rank: number;
  readonly capability: number | undefined;
  readonly body: PlainBody;
}

type PlainBody =
  | PlainSurveillance
  | PlainIdentification
  | PlainPositionReport
  | PlainVelocity
  | PlainEmergency
  | PlainTarget
  | PlainOperational
  | { readonly type: 'allCall' }
  | { readonly type: 'other' };

export interface PlainSurveillance {
  readonly type: 'surveillance';
  readonly altitude: number | undefined;
  readonly squawk: string | undefined;
  readonly onGround: boolean | undefined;
  readonly alert: boolean | undefined;
  readonly spi: boolean | undefined;
}

export interface PlainIdentification {
  readonly type: 'identification';
  readonly callsign: string;
  readonly category: string;
}

export interface PlainPositionReport {
  readonly type: 'position';
  readonly typeCode: number;
  readonly cpr: PlainCpr | undefined;
  readonly altitude: number | undefined;
  readonly altitudeGeom: number | undefined;
  readonly onGround: boolean;
  readonly alert: boolean | undefined;
  readonly spi: boolean | undefined;
  readonly groundSpeed: number | undefined;
  readonly track: number | undefined;
}

export interface PlainVelocity {
  readonly type: 'velocity';
  readonly groundSpeed: number | undefined;
  readonly track: number | undefined;
  readonly heading: number | undefined;
  readonly ias: number | undefined;
  readonly tas: number | undefined;
  readonly baroRate: number | undefined;
  readonly geomRate: number | undefined;
  readonly geomDelta: number | undefined;
  readonly nacV: number;
}

export interface PlainEmergency {
  readonly type: 'emergency';
  readonly emergency: number;
  readonly squawk: string | undefined;
}

export interface PlainTarget {
  readonly type: 'target';
  readonly navAltitudeMcp: number | undefined;
  readonly navAltitudeFms: number | undefined;
  readonly navQnh: number | undefined;
  readonly navHeading: number | undefined;
  readonly navModes: readonly string[] | undefined;
  readonly nicBaro: number;
  readonly nacP: number;
  readonly sil: number;
  readonly silType: string;
}

export interface PlainOperational {
  readonly type: 'operational';
  readonly version: number;
  readonly nicA: number | undefined;
  readonly nicC: number | undefined;
  readonly nicBaro: number | undefined;
  readonly nacP: number | undefined;
  readonly nacV: number | undefined;
  readonly sil: number | undefined;
  readonly silType: string | undefined;
  readonly gva: number | undefined;
  readonly sda: number | undefined;
}

const ALL_CALL = { type: 'allCall' } as const;
const OTHER = { type: 'other' } as const;

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 16;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80_0000 ? ((crc << 1) ^ 0xff_f409) & 0xff_ffff : (crc << 1) & 0xff_ffff;
  return crc;
});
const CHARACTERS = '?ABCDEFGHIJKLMNOPQRSTUVWXYZ????? ???????????????0123456789??????';
const NAV_MODES: readonly (readonly [bit: number, name: string])[] = [
  [47, 'autopilot'],
  [48, 'vnav'],
  [49, 'althold'],
  [51, 'approach'],
  [53, 'lnav'],
  [52, 'tcas'],
];

function crc24(bytes: Uint8Array): number {
  let crc = 0;
  for (let i = 0; i < bytes.length - 3; i += 1) crc = ((crc << 8) & 0xff_ffff) ^ CRC_TABLE[(crc >>> 16) ^ bytes[i]!]!;
  return crc ^ ((bytes[bytes.length - 3]! << 16) | (bytes[bytes.length - 2]! << 8) | bytes[bytes.length - 1]!);
}

/** `count` bits, up to 24, from bit `from`; bits count from 0. */
function bitsOf(bytes: Uint8Array, from: number, count: number): number {
  const i = from >> 3;
  const window = (bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!;
  return (window << (from & 7)) >>> (32 - count);
}

/** Decodes one frame into a new object; null when its parity is wrong or its format unknown. */
export function decodePlain(bytes: Uint8Array): PlainMessage | null {
  const df = bytes[0]! >> 3;
  const remainder = crc24(bytes);
  if (df === 17) {
    if (remainder !== 0) return null;
    const icao = hexOf(bitsOf(bytes, 8, 24));
    return { df, icao, confirmed: true, rank: RANK_ADSB, capability: bytes[0]! & 7, body: decodeExtended(bytes) };
  }
  if (df === 18) return remainder === 0 ? decodeNonTransponder(bytes) : null;
  if (df === 11) {
    if ((remainder & 0xff_ff80) !== 0) return null;
    const icao = hexOf(bitsOf(bytes, 8, 24));
    return { df, icao, confirmed: remainder === 0, rank: RANK_ALL_CALL, capability: bytes[0]! & 7, body: ALL_CALL };
  }
  if (df !== 0 && df !== 4 && df !== 5 && df !== 16 && df !== 20 && df !== 21) return null;
  const body = decodeSurveillance(bytes, df);
  return { df, icao: hexOf(remainder), confirmed: false, rank: RANK_MODE_S, capability: undefined, body };
}

function decodeSurveillance(bytes: Uint8Array, df: number): PlainSurveillance {
  const code = bitsOf(bytes, 19, 13);
  const type = 'surveillance';
  if (df === 0 || df === 16) {
    const onGround = (bytes[0]! & 4) !== 0;
    return { type, altitude: altitude13(code), squawk: undefined, onGround, alert: undefined, spi: undefined };
  }
  const status = bytes[0]! & 7;
  const onGround = status === 1 || status === 3 ? true : status === 0 || status === 2 ? false : undefined;
  const alert = status >= 2 && status <= 4;
  const spi = status === 4 || status === 5;
  const identity = df === 5 || df === 21;
  const squawk = identity ? squawkOf(code) : undefined;
  return { type, altitude: identity ? undefined : altitude13(code), squawk, onGround, alert, spi };
}

function decodeNonTransponder(bytes: Uint8Array): PlainMessage {
  const format = bytes[0]! & 7;
  const address = hexOf(bitsOf(bytes, 8, 24));
  const other = format === 1 || format === 5 || format === 7 || (format === 3 && (bytes[4]! & 0x80) !== 0);
  const rank = format <= 1 ? RANK_ADSB : format === 6 ? RANK_ADSR : RANK_TISB;
  const body = format === 3 || format === 4 || format === 7 ? OTHER : decodeExtended(bytes);
  return { df: 18, icao: other ? `~${address}` : address, confirmed: true, rank, capability: undefined, body };
}

function decodeExtended(bytes: Uint8Array): PlainBody {
  const typeCode = bytes[4]! >> 3;
  if (typeCode >= 1 && typeCode <= 4) return decodeIdentification(bytes, typeCode);
  if (typeCode >= 5 && typeCode <= 8) return decodeSurface(bytes, typeCode);
  if (typeCode === 19) return decodeVelocity(bytes);
  if (typeCode === 0 || (typeCode >= 9 && typeCode <= 22)) return decodeAirborne(bytes, typeCode);
  const subtype = bytes[4]! & 7;
  if (typeCode === 28 && subtype === 1) {
    const identity = bitsOf(bytes, 43, 13);
    return { type: 'emergency', emergency: bytes[5]! >> 5, squawk: identity === 0 ? undefined : squawkOf(identity) };
  }
  if (typeCode === 29 && subtype >> 1 === 1) return decodeTarget(bytes);
  if (typeCode === 31 && subtype <= 1) return decodeOperational(bytes, subtype === 1);
  return OTHER;
}

function decodeIdentification(bytes: Uint8Array, typeCode: number): PlainIdentification {
  let callsign = '';
  for (let i = 0; i < 8; i += 1) callsign += CHARACTERS[bitsOf(bytes, 40 + i * 6, 6)]!;
  return { type: 'identification', callsign, category: 'DCBA'[typeCode - 1]! + (bytes[4]! & 7) };
}

function decodeSurface(bytes: Uint8Array, typeCode: number): PlainPositionReport {
  return {
    type: 'position',
    typeCode,
    cpr: decodeCpr(bytes, true),
    altitude: undefined,
    altitudeGeom: undefined,
    onGround: true,
    alert: undefined,
    spi: undefined,
    groundSpeed: surfaceSpeed(bitsOf(bytes, 37, 7)),
    track: bitsOf(bytes, 44, 1) === 1 ? (bitsOf(bytes, 45, 7) * 360) / 128 : undefined,
  };
}

function decodeAirborne(bytes: Uint8Array, typeCode: number): PlainPositionReport {
  const status = bitsOf(bytes, 37, 2);
  return {
    type: 'position',
    typeCode,
    cpr: typeCode === 0 ? undefined : decodeCpr(bytes, false),
    altitude: typeCode < 20 ? altitude12(bitsOf(bytes, 40, 12)) : undefined,
    altitudeGeom: typeCode < 20 ? undefined : Math.round(bitsOf(bytes, 40, 12) * 3.28084),
    onGround: false,
    alert: status === 1 || status === 2,
    spi: status === 3,
    groundSpeed: undefined,
    track: undefined,
  };
}

function decodeCpr(bytes: Uint8Array, surface: boolean): PlainCpr {
  return {
    odd: bitsOf(bytes, 53, 1) === 1,
    surface,
    lat: bitsOf(bytes, 54, 17) / 131072,
    lon: bitsOf(bytes, 71, 17) / 131072,
    nicB: surface ? 0 : bitsOf(bytes, 39, 1),
  };
}

/** Middle of the movement step, kt. */
function surfaceSpeed(movement: number): number | undefined {
  if (movement === 0 || movement > 124) return undefined;
  if (movement === 124) return 180;
  if (movement >= 109) return 100 + (movement - 108.5) * 5;
  if (movement >= 94) return 70 + (movement - 93.5) * 2;
  if (movement >= 39) return 15 + (movement - 38.5);
  if (movement >= 13) return 2 + (movement - 12.5) * 0.5;
  if (movement >= 9) return 1 + (movement - 8.5) * 0.25;
  return movement >= 2 ? 0.125 + (movement - 1.5) * 0.125 : 0;
}

function decodeVelocity(bytes: Uint8Array): PlainBody {
  const subtype = bytes[4]! & 7;
  if (subtype === 0 || subtype > 4) return OTHER;
  const factor = subtype === 2 || subtype === 4 ? 4 : 1;
  const overGround = subtype <= 2 ? groundVector(bytes, factor) : undefined;
  const throughAir = subtype > 2 ? airVector(bytes, factor) : undefined;
  const steps = bitsOf(bytes, 69, 9);
  const rate = steps === 0 ? undefined : (steps - 1) * 64 * (bitsOf(bytes, 68, 1) === 1 ? -1 : 1);
  const barometric = bitsOf(bytes, 67, 1) === 1;
  const difference = bitsOf(bytes, 81, 7);
  return {
    type: 'velocity',
    groundSpeed: overGround?.speed,
    track: overGround?.track,
    heading: throughAir?.heading,
    ias: throughAir?.ias,
    tas: throughAir?.tas,
    baroRate: barometric ? rate : undefined,
    geomRate: barometric ? undefined : rate,
    geomDelta: difference === 0 ? undefined : (difference - 1) * 25 * (bitsOf(bytes, 80, 1) === 1 ? -1 : 1),
    nacV: bitsOf(bytes, 42, 3),
  };
}

function groundVector(bytes: Uint8Array, factor: number): { speed: number; track: number | undefined } | undefined {
  const east = bitsOf(bytes, 46, 10);
  const north = bitsOf(bytes, 57, 10);
  if (east === 0 || north === 0) return undefined;
  const x = (east - 1) * factor * (bitsOf(bytes, 45, 1) === 1 ? -1 : 1);
  const y = (north - 1) * factor * (bitsOf(bytes, 56, 1) === 1 ? -1 : 1);
  const track = x === 0 && y === 0 ? undefined : (Math.atan2(x, y) * (180 / Math.PI) + 360) % 360;
  return { speed: Math.sqrt(x * x + y * y), track };
}

function airVector(bytes: Uint8Array, factor: number): Pick<PlainVelocity, 'heading' | 'ias' | 'tas'> {
  const steps = bitsOf(bytes, 57, 10);
  const speed = steps === 0 ? undefined : (steps - 1) * factor;
  const heading = bitsOf(bytes, 45, 1) === 1 ? (bitsOf(bytes, 46, 10) * 360) / 1024 : undefined;
  const isTrue = bitsOf(bytes, 56, 1) === 1;
  return { heading, ias: isTrue ? undefined : speed, tas: isTrue ? speed : undefined };
}

function decodeTarget(bytes: Uint8Array): PlainTarget {
  const steps = bitsOf(bytes, 41, 11);
  const altitude = steps === 0 ? undefined : (steps - 1) * 32;
  const fms = bitsOf(bytes, 40, 1) === 1;
  const qnh = bitsOf(bytes, 52, 9);
  const valid = bitsOf(bytes, 78, 1) === 1;
  return {
    type: 'target',
    navAltitudeMcp: fms ? undefined : altitude,
    navAltitudeFms: fms ? altitude : undefined,
    navQnh: qnh === 0 ? undefined : 800 + (qnh - 1) * 0.8,
    navHeading: bitsOf(bytes, 61, 1) === 1 ? (bitsOf(bytes, 62, 9) * 180) / 256 : undefined,
    navModes: valid ? NAV_MODES.filter(([bit]) => bitsOf(bytes, 32 + bit, 1) === 1).map(([, name]) => name) : undefined,
    nicBaro: bitsOf(bytes, 75, 1),
    nacP: bitsOf(bytes, 71, 4),
    sil: bitsOf(bytes, 76, 2),
    silType: bitsOf(bytes, 39, 1) === 1 ? 'persample' : 'perhour',
  };
}

function decodeOperational(bytes: Uint8Array, surface: boolean): PlainOperational {
  const version = bitsOf(bytes, 72, 3);
  const known = version >= 1 && version <= 3;
  const second = version >= 2 && version <= 3;
  const silType = bitsOf(bytes, 86, 1) === 1 ? 'persample' : 'perhour';
  return {
    type: 'operational',
    version,
    nicA: known ? bitsOf(bytes, 75, 1) : undefined,
    nicC: second && surface ? bitsOf(bytes, 51, 1) : undefined,
    nicBaro: known && !surface ? bitsOf(bytes, 84, 1) : undefined,
    nacP: known ? bitsOf(bytes, 76, 4) : undefined,
    nacV: second && surface ? bitsOf(bytes, 48, 3) : undefined,
    sil: known ? bitsOf(bytes, 82, 2) : undefined,
    silType: second ? silType : known ? 'unknown' : undefined,
    gva: second && !surface ? bitsOf(bytes, 80, 2) : undefined,
    sda: second && bitsOf(bytes, 56, 2) === 0 ? bitsOf(bytes, 62, 2) : undefined,
  };
}

function altitude13(code: number): number | undefined {
  return code & 0x40 ? undefined : altitude12(((code & 0x1f80) >> 1) | (code & 0x3f));
}

function altitude12(code: number): number | undefined {
  if (code === 0) return undefined;
  return code & 0x10 ? (((code & 0xfe0) >> 1) | (code & 0xf)) * 25 - 1000 : gillham(code);
}

/** C1 A1 C2 A2 C4 A4 B1 Q B2 D2 B4 D4: two Gray codes, of 500 ft and of 100 ft. */
function gillham(code: number): number | undefined {
  const bit = (n: number): number => (code >> n) & 1;
  const fiveHundreds = gray([bit(2), bit(0), bit(10), bit(8), bit(6), bit(5), bit(3), bit(1)]);
  let hundreds = gray([bit(11), bit(9), bit(7)]);
  if (hundreds === 7) hundreds = 5;
  else if (hundreds === 0 || hundreds > 4) return undefined;
  return 500 * fiveHundreds + 100 * (fiveHundreds % 2 === 1 ? 6 - hundreds : hundreds) - 1300;
}

function gray(bits: readonly number[]): number {
  return bits.reduce((value, bit) => value * 2 + ((value % 2) ^ bit), 0);
}

function squawkOf(code: number): string {
  const bit = (n: number): number => (code >> (12 - n)) & 1;
  const a = bit(5) * 4 + bit(3) * 2 + bit(1);
  const b = bit(11) * 4 + bit(9) * 2 + bit(7);
  const c = bit(4) * 4 + bit(2) * 2 + bit(0);
  const d = bit(12) * 4 + bit(10) * 2 + bit(8);
  return `${a}${b}${c}${d}`;
}

function hexOf(address: number): string {
  return address.toString(16).padStart(6, '0');
}
