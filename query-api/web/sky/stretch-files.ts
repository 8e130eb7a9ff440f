// Responses of the service as stretches: half-hour files with slices of 30 s (docs/use/web-maps.md, Heat maps), and all positions of a box.
import { type Box, hexOf, keyOf } from './picture.ts';
import { ALTITUDE_GROUND, ALTITUDE_NONE, Columns, type Lane, MICRODEG, type Stretch } from './stretch.ts';

export const HALF_HOUR_MS = 1_800_000;
export const SLICE_MS = 30_000;
const ENTRY_WORDS = 4;
const HEAD = 0x0e7f_7c9d;
const NAME_BIT = 1 << 30;
const ADDRESS_BITS = 0x1ff_ffff;
const UPPER = 2 ** 32;
const FILE_GROUND = -123;
const FILE_NONE = -124;
const FEET = 25;

/** A half hour without positions. */
export const emptyStretch = (fromMs: number, knownToMs: number): Stretch => ({
  ...{ fromMs, toMs: fromMs + HALF_HOUR_MS, knownToMs, isSliced: true, columns: new Columns(0), lanes: [] },
});

/** `isEnded`: the file does not change any more; else nothing is known after its last slice with positions. */
export function heatMapStretch(bytes: ArrayBuffer, fromMs: number, isEnded: boolean): Stretch {
  const words = new Int32Array(bytes, 0, Math.floor(bytes.byteLength / 16) * ENTRY_WORDS);
  const shorts = new Int16Array(words.buffer, 0, words.length * 2);
  const counts = new Map<number, number>();
  let lastSliceMs = fromMs;
  const toMs = fromMs + HALF_HOUR_MS;
  readEntries(words, (address, _, timeMs) => {
    counts.set(address, (counts.get(address) ?? 0) + 1);
    lastSliceMs = Math.max(lastSliceMs, timeMs);
  });
  const lanes = new Map<number, { hex: string; from: number; to: number; identity: Record<string, unknown> }>();
  let total = 0;
  for (const [address, count] of counts) {
    lanes.set(address, { hex: hexOf(address), from: total, to: total, identity: {} });
    total += count;
  }
  const columns = new Columns(total);
  readEntries(
    words,
    (address, at, timeMs) => {
      const lane = lanes.get(address)!;
      const row = lane.to++;
      const [altitude, speed] = [shorts[2 * at + 6]!, shorts[2 * at + 7]!];
      columns.timesMs[row] = timeMs - fromMs;
      columns.lat[row] = words[at + 1]!;
      columns.lon[row] = words[at + 2]!;
      columns.altitudes[row] = altitude === FILE_GROUND ? ALTITUDE_GROUND : altitude === FILE_NONE ? ALTITUDE_NONE : altitude * FEET;
      if (speed >= 0) columns.speeds[row] = speed / 10;
    },
    (address, at) => Object.assign(lanes.get(address)?.identity ?? {}, nameOf(words, at)),
  );
  const knownToMs = isEnded ? toMs : Math.min(toMs, lastSliceMs + SLICE_MS);
  return { fromMs, toMs, knownToMs, isSliced: true, columns, lanes: [...lanes.values()] };
}

/** Calls with the address of each position and name, and the number of its first word. Entries before the first head are the index. */
function readEntries(
  words: Int32Array,
  position: (address: number, at: number, timeMs: number) => void,
  name: (address: number, at: number) => void = () => {},
): void {
  let timeMs = 0;
  for (let at = (words[0] ?? 0) * ENTRY_WORDS; at < words.length; at += ENTRY_WORDS) {
    const address = words[at]! & ADDRESS_BITS;
    if (words[at] === HEAD) timeMs = words[at + 1]! * UPPER + (words[at + 2]! >>> 0);
    else if (words[at + 1]! >= NAME_BIT) name(address, at);
    else position(address, at, timeMs);
  }
}

function nameOf(words: Int32Array, at: number): { flight?: string; squawk?: string } {
  const bytes = new Uint8Array(words.buffer, (at + 2) * 4, 8);
  const squawk = words[at + 1]! & 0xffff;
  return {
    ...(bytes[0] === 0 ? {} : { flight: String.fromCharCode(...bytes) }),
    ...(squawk === 0 ? {} : { squawk: String(squawk).padStart(4, '0') }),
  };
}

/** A response of `/v2/area/positions`. */
export interface AreaPositions {
  readonly stored_to: number;
  readonly aircraft: readonly {
    readonly hex: string;
    readonly t: readonly number[];
    readonly lat: readonly number[];
    readonly lon: readonly number[];
    readonly alt: readonly (number | null)[];
    readonly ground: readonly number[];
    readonly gs: readonly (number | null)[];
    readonly track: readonly (number | null)[];
  }[];
}

export function areaStretch({ stored_to, aircraft }: AreaPositions, fromMs: number, toMs: number): Stretch {
  const columns = new Columns(aircraft.reduce((sum, { t }) => sum + t.length, 0));
  let row = 0;
  const lanes = aircraft.map(({ hex, t, lat, lon, alt, ground, gs, track }): Lane => {
    const from = row;
    for (let i = 0; i < t.length; i += 1, row += 1) {
      columns.timesMs[row] = t[i]!;
      columns.lat[row] = Math.round(lat[i]! * MICRODEG);
      columns.lon[row] = Math.round(lon[i]! * MICRODEG);
      columns.altitudes[row] = ground[i] === 1 ? ALTITUDE_GROUND : (alt[i] ?? ALTITUDE_NONE);
      columns.speeds[row] = gs[i] ?? Number.NaN;
      columns.tracks[row] = track[i] ?? Number.NaN;
    }
    return { hex: hexOf(keyOf(hex)), from, to: row, identity: {} };
  });
  return { fromMs, toMs, knownToMs: Math.min(toMs, stored_to * 1000), isSliced: false, columns, lanes };
}

const GRIDS = [1, 2, 5, 10, 30];
/** Boxes are of at most so many cells a side and one more. */
const CELLS = 4;
export const WORLD: Box = { south: -90, west: -180, north: 90, east: 180 };

/** A box of a grid around the box in view: viewers of about the same get the same stretches, and a small move of the map needs none. */
export function gridBox({ south, west, north, east }: Box): Box {
  const width = east >= west ? east - west : east - west + 360;
  const grid = GRIDS.find((each) => Math.max(width, north - south) <= CELLS * each);
  if (grid === undefined) return WORLD;
  const wrapped = (degrees: number): number => (degrees > 180 ? degrees - 360 : degrees);
  return {
    south: Math.max(-90, Math.floor(south / grid) * grid),
    north: Math.min(90, Math.ceil(north / grid) * grid),
    west: Math.floor(west / grid) * grid,
    east: wrapped(Math.ceil((west + width) / grid) * grid),
  };
}

/** True if the outer box has all of the inner one. */
export function hasBox(outer: Box, inner: Box): boolean {
  const from = (degrees: number): number => (degrees - outer.west + 720) % 360;
  const width = outer.west === -180 && outer.east === 180 ? 360 : from(outer.east);
  const isInside = width === 360 || (from(inner.west) <= from(inner.east) && from(inner.east) <= width);
  return isInside && inner.south >= outer.south && inner.north <= outer.north;
}
