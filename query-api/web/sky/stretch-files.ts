// Stretches of the service: half-hour files with slices of 30 s (docs/use/web-maps.md, Heat maps), and all positions of a box.
import { ask, ResponseError } from '../page/parts.ts';
import { type Box, hexOf } from './picture.ts';
import type { Lane, Row, Stretch } from './stretch.ts';

export const HALF_HOUR_MS = 1_800_000;
const SLICE_MS = 30_000;
const ENTRY_WORDS = 4;
const HEAD = 0x0e7f_7c9d;
const NAME_BIT = 1 << 30;
const ADDRESS_BITS = 0x1ff_ffff;
const UPPER = 2 ** 32;
const FILE_GROUND = -123;
const FILE_NONE = -124;
const FEET = 25;
const MICRODEG = 1_000_000;
/** The service has all positions that are older. */
const SETTLED_MS = 120_000;

/** The stretch to load. */
export interface Wanted {
  readonly kind: 'slices' | 'positions';
  readonly fromMs: number;
  readonly toMs: number;
  readonly box: Box;
}

/** Path and query of a stretch, below the root of the service. */
export function pathOf({ kind, fromMs, toMs, box: { south, west, north, east } }: Wanted): string {
  if (kind === 'positions')
    return `v2/area/positions?from=${fromMs / 1000}&to=${toMs / 1000}&min_lat=${south}&min_lon=${west}&max_lat=${north}&max_lon=${east}`;
  const day = new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '/');
  const number = Math.floor((fromMs % 86_400_000) / HALF_HOUR_MS);
  return `globe_history/${day}/heatmap/${String(number).padStart(2, '0')}.bin.ttf`;
}

/** Errors: as `ask`. */
export async function loadStretch(base: URL, wanted: Wanted, signal: AbortSignal): Promise<Stretch> {
  const { kind, fromMs, toMs } = wanted;
  const isEnded = toMs < Date.now() - SETTLED_MS;
  try {
    const response = await ask(new URL(pathOf(wanted), base), signal);
    if (kind === 'positions') return areaStretch((await response.json()) as AreaPositions, fromMs, toMs);
    return heatMapStretch(await response.arrayBuffer(), fromMs, isEnded);
  } catch (error) {
    // A half hour in which nothing was received.
    if (error instanceof ResponseError && error.status === 404) return heatMapStretch(new ArrayBuffer(0), fromMs, isEnded);
    throw error;
  }
}

/** A response of `/v2/area/positions`: columns by aircraft. */
interface AreaPositions {
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
export function areaStretch({ stored_to: storedS, aircraft }: AreaPositions, fromMs: number, toMs: number): Stretch {
  const lanes = aircraft.map(({ hex, t, lat, lon, alt, ground, gs, track }): Lane => {
    const read = (n: number, row: Row): void => {
      row.lat = lat[n]!;
      row.lon = lon[n]!;
      row.altitude = ground[n] === 1 ? 'ground' : (alt[n] ?? undefined);
      row.speedKt = gs[n] ?? undefined;
      row.track = track[n] ?? undefined;
    };
    return { hex, t, read };
  });
  return { fromMs, toMs, knownToMs: Math.min(toMs, storedS * 1000), isSliced: false, lanes };
}

/** `isEnded`: the file does not change any more; else nothing is known after its last slice with positions. */
export function heatMapStretch(bytes: ArrayBuffer, fromMs: number, isEnded: boolean): Stretch {
  const words = new Int32Array(bytes, 0, Math.floor(bytes.byteLength / 16) * ENTRY_WORDS);
  const lanes = new Map<number, { hex: string; t: number[]; entries: number[]; identity: object }>();
  let timeMs = fromMs;
  let knownToMs = fromMs;
  // Entries before the first head are the index.
  for (let at = (words[0] ?? 0) * ENTRY_WORDS; at < words.length; at += ENTRY_WORDS) {
    if (words[at] === HEAD) {
      timeMs = words[at + 1]! * UPPER + (words[at + 2]! >>> 0);
      continue;
    }
    const address = words[at]! & ADDRESS_BITS;
    let lane = lanes.get(address);
    if (lane === undefined) {
      lane = { hex: hexOf(address), t: [], entries: [], identity: {} };
      lanes.set(address, lane);
    }
    if (words[at + 1]! >= NAME_BIT) Object.assign(lane.identity, identityOf(words, at));
    else {
      lane.t.push(timeMs - fromMs);
      lane.entries.push(at);
      knownToMs = timeMs + SLICE_MS;
    }
  }
  return {
    ...{ fromMs, toMs: fromMs + HALF_HOUR_MS, isSliced: true },
    knownToMs: isEnded ? fromMs + HALF_HOUR_MS : Math.min(fromMs + HALF_HOUR_MS, knownToMs),
    lanes: [...lanes.values()].map(({ entries, ...lane }) => ({ ...lane, read: (n, row) => readEntry(words, entries[n]!, row) })),
  };
}

function readEntry(words: Int32Array, at: number, row: Row): void {
  const [altitude, speed] = [(words[at + 3]! << 16) >> 16, words[at + 3]! >> 16];
  row.lat = words[at + 1]! / MICRODEG;
  row.lon = words[at + 2]! / MICRODEG;
  row.altitude = altitude === FILE_GROUND ? 'ground' : altitude === FILE_NONE ? undefined : altitude * FEET;
  row.speedKt = speed < 0 ? undefined : speed / 10;
  row.track = undefined;
}

function identityOf(words: Int32Array, at: number): Record<string, string> {
  const bytes = new Uint8Array(words.buffer, (at + 2) * 4, 8);
  const squawk = words[at + 1]! & 0xffff;
  return {
    ...(bytes[0] !== 0 && { flight: String.fromCharCode(...bytes) }),
    ...(squawk !== 0 && { squawk: String(squawk).padStart(4, '0') }),
  };
}
