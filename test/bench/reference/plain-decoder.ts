// The reference for decode + fold: a straightforward decoder that makes an object per frame and keeps aircraft as objects in a Map.
// Written the way most decoders in scripting languages are: hex text, named fields, a table-driven CRC byte by byte. Not used by the product.

export interface PlainMessage {
  readonly df: number;
  readonly icao: string;
  readonly typeCode?: number;
  readonly callsign?: string;
  readonly altitude?: number | null;
  readonly cpr?: { readonly odd: boolean; readonly lat: number; readonly lon: number };
  readonly velocity?: { readonly gs: number; readonly track: number; readonly rate: number };
  readonly squawk?: string;
}

export interface PlainAircraft {
  icao: string;
  messages: number;
  seen: number;
  callsign?: string | undefined;
  altitude?: number | undefined;
  squawk?: string | undefined;
  gs?: number;
  track?: number;
  rate?: number;
  lat?: number;
  lon?: number;
  even?: { lat: number; lon: number; t: number };
  odd?: { lat: number; lon: number; t: number };
}

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 16;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80_0000 ? ((crc << 1) ^ 0xff_f409) & 0xff_ffff : (crc << 1) & 0xff_ffff;
  return crc;
});
const CHARACTERS = '?ABCDEFGHIJKLMNOPQRSTUVWXYZ????? ???????????????0123456789??????';

function crc24(bytes: Uint8Array): number {
  let crc = 0;
  for (let i = 0; i < bytes.length - 3; i += 1) crc = ((crc << 8) & 0xff_ffff) ^ CRC_TABLE[(crc >>> 16) ^ bytes[i]!]!;
  return crc ^ ((bytes[bytes.length - 3]! << 16) | (bytes[bytes.length - 2]! << 8) | bytes[bytes.length - 1]!);
}

function bitsOf(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i += 1) value = value * 2 + ((bytes[i >> 3]! >> (7 - (i & 7))) & 1);
  return value;
}

function altitude12(code: number): number | null {
  if ((code & 0x10) === 0) return null;
  return (((code & 0xfe0) >> 1) | (code & 0xf)) * 25 - 1000;
}

/** Decodes one frame into a new object; null when its parity is wrong. */
export function decodePlain(bytes: Uint8Array): PlainMessage | null {
  const df = bytes[0]! >> 3;
  const remainder = crc24(bytes);
  if (df === 17 || df === 18) {
    if (remainder !== 0) return null;
    return decodeExtended(bytes, df);
  }
  if (df === 11) {
    if ((remainder & 0xff_ff80) !== 0) return null;
    return { df, icao: hexOf(bitsOf(bytes, 8, 24)) };
  }
  const icao = hexOf(remainder);
  if (df === 5 || df === 21) return { df, icao, squawk: squawkOf(bitsOf(bytes, 19, 13)) };
  const code = bitsOf(bytes, 19, 13);
  return { df, icao, altitude: altitude12(((code & 0x1f80) >> 1) | (code & 0x3f)) };
}

function decodeExtended(bytes: Uint8Array, df: number): PlainMessage {
  const icao = hexOf(bitsOf(bytes, 8, 24));
  const typeCode = bitsOf(bytes, 32, 5);
  if (typeCode >= 1 && typeCode <= 4) {
    let callsign = '';
    for (let i = 0; i < 8; i += 1) callsign += CHARACTERS[bitsOf(bytes, 40 + i * 6, 6)]!;
    return { df, icao, typeCode, callsign };
  }
  if (typeCode >= 9 && typeCode <= 18) {
    const cpr = { odd: bitsOf(bytes, 53, 1) === 1, lat: bitsOf(bytes, 54, 17), lon: bitsOf(bytes, 71, 17) };
    return { df, icao, typeCode, altitude: altitude12(bitsOf(bytes, 40, 12)), cpr };
  }
  if (typeCode === 19) {
    const ew = (bitsOf(bytes, 46, 10) - 1) * (bitsOf(bytes, 45, 1) === 1 ? -1 : 1);
    const ns = (bitsOf(bytes, 57, 10) - 1) * (bitsOf(bytes, 56, 1) === 1 ? -1 : 1);
    const rate = (bitsOf(bytes, 69, 9) - 1) * 64 * (bitsOf(bytes, 68, 1) === 1 ? -1 : 1);
    const velocity = { gs: Math.sqrt(ew * ew + ns * ns), track: (Math.atan2(ew, ns) * (180 / Math.PI) + 360) % 360, rate };
    return { df, icao, typeCode, velocity };
  }
  return { df, icao, typeCode };
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

/** Folds one message into the map of aircraft; `t` in seconds. Addresses from parity count only where the aircraft is known. */
export function foldPlain(aircraft: Map<string, PlainAircraft>, message: PlainMessage, t: number): void {
  let state = aircraft.get(message.icao);
  if (state === undefined) {
    if (message.df !== 17 && message.df !== 18 && message.df !== 11) return;
    state = { icao: message.icao, messages: 0, seen: t };
    aircraft.set(message.icao, state);
  }
  state.messages += 1;
  state.seen = t;
  if (message.callsign !== undefined) state.callsign = message.callsign;
  if (message.altitude !== undefined && message.altitude !== null) state.altitude = message.altitude;
  if (message.squawk !== undefined) state.squawk = message.squawk;
  if (message.velocity !== undefined) Object.assign(state, message.velocity);
  if (message.cpr !== undefined) foldPosition(state, message.cpr, t);
}

function foldPosition(state: PlainAircraft, cpr: { odd: boolean; lat: number; lon: number }, t: number): void {
  const half = { lat: cpr.lat / 131072, lon: cpr.lon / 131072, t };
  if (cpr.odd) state.odd = half;
  else state.even = half;
  const { even, odd } = state;
  if (even === undefined || odd === undefined || Math.abs(even.t - odd.t) > 10) return;
  const j = Math.floor(59 * even.lat - 60 * odd.lat + 0.5);
  let latEven = 6 * (modulo(j, 60) + even.lat);
  let latOdd = (360 / 59) * (modulo(j, 59) + odd.lat);
  if (latEven >= 270) latEven -= 360;
  if (latOdd >= 270) latOdd -= 360;
  const zones = zonesAt(latEven);
  if (zones !== zonesAt(latOdd)) return;
  const lat = cpr.odd ? latOdd : latEven;
  const ni = Math.max(1, zones - (cpr.odd ? 1 : 0));
  const m = Math.floor(even.lon * (zones - 1) - odd.lon * zones + 0.5);
  const lon = (360 / ni) * (modulo(m, ni) + (cpr.odd ? odd.lon : even.lon));
  state.lat = lat;
  state.lon = lon >= 180 ? lon - 360 : lon;
}

function zonesAt(lat: number): number {
  if (Math.abs(lat) >= 87) return lat === 87 || lat === -87 ? 2 : 1;
  const a = 1 - Math.cos(Math.PI / 30);
  const b = Math.cos((Math.PI / 180) * Math.abs(lat)) ** 2;
  return Math.floor((2 * Math.PI) / Math.acos(1 - a / b));
}

function modulo(a: number, n: number): number {
  return ((a % n) + n) % n;
}
