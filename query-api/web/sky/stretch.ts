// A stretch of the past in the memory of the worker: positions of all its aircraft as columns, and the sky at a time in it.
import type { Aircraft } from './picture.ts';
import type { Seen } from './sky.ts';

/** An aircraft without a position for so long is gone, as it is from live lists. */
const POSITION_MS_MAX = 60_000;
/** Between two positions further apart an aircraft is not moved: nobody knows its way. */
const MOVED_MS_MAX = 90_000;
export const MICRODEG = 1_000_000;
export const ALTITUDE_GROUND = -123_456;
export const ALTITUDE_NONE = -123_457;

/** The rows of an aircraft, in the order of time, and what the stretch has of its identity. */
export interface Lane {
  readonly hex: string;
  readonly from: number;
  readonly to: number;
  readonly identity: Readonly<Record<string, unknown>>;
}

/** Rows of `count` positions. NaN is an unknown speed or track. */
export class Columns {
  /** After the start of the stretch, ms. */
  readonly timesMs: Int32Array;
  readonly lat: Int32Array;
  readonly lon: Int32Array;
  /** Feet, ALTITUDE_GROUND or ALTITUDE_NONE. */
  readonly altitudes: Int32Array;
  readonly speeds: Float32Array;
  readonly tracks: Float32Array;

  constructor(count: number) {
    [this.timesMs, this.lat] = [new Int32Array(count), new Int32Array(count)];
    [this.lon, this.altitudes] = [new Int32Array(count), new Int32Array(count)];
    [this.speeds, this.tracks] = [new Float32Array(count).fill(Number.NaN), new Float32Array(count).fill(Number.NaN)];
  }
}

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** Positions after this time may be missing. */
  readonly knownToMs: number;
  /** True if times are those of slices, so that positions between them are interpolated. */
  readonly isSliced: boolean;
  readonly columns: Columns;
  readonly lanes: readonly Lane[];
}

interface Found {
  readonly stretch: Stretch;
  readonly lane: Lane;
  readonly row: number;
  readonly timeMs: number;
}

/** The last row at or before a time; `from - 1` if all are later. */
function rowAt({ timesMs }: Columns, { from, to }: Lane, timeMs: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle]! <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const foundAt = (stretch: Stretch, lane: Lane, row: number): Found => ({
  ...{ stretch, lane, row, timeMs: stretch.fromMs + stretch.columns.timesMs[row]! },
});
const later = (one: Found | undefined, other: Found): Found => (one !== undefined && one.timeMs > other.timeMs ? one : other);
const earlier = (one: Found | undefined, other: Found): Found => (one !== undefined && one.timeMs < other.timeMs ? one : other);

/** All aircraft at a time, ms since the Unix epoch, each between its last position and the next one. `identities`: what is known of aircraft by address. */
export function skyAt(stretches: readonly Stretch[], atMs: number, identities: ReadonlyMap<string, Aircraft>): Seen[] {
  const before = new Map<string, Found>();
  const after = new Map<string, Found>();
  for (const stretch of stretches) {
    for (const lane of stretch.lanes) {
      const { hex, from, to } = lane;
      const row = rowAt(stretch.columns, lane, atMs - stretch.fromMs);
      const last = row >= from ? foundAt(stretch, lane, row) : undefined;
      const next = row + 1 < to ? foundAt(stretch, lane, row + 1) : undefined;
      if (last !== undefined) before.set(hex, later(before.get(hex), last));
      if (next !== undefined) after.set(hex, earlier(after.get(hex), next));
    }
  }
  const seen: Seen[] = [];
  for (const [hex, last] of before) {
    const next = after.get(hex);
    const isMoved = next !== undefined && next.timeMs - last.timeMs <= MOVED_MS_MAX;
    if (atMs - last.timeMs <= POSITION_MS_MAX || isMoved) seen.push(seenAt(last, isMoved ? next : null, atMs, identities.get(hex)));
  }
  return seen;
}

function seenAt(last: Found, next: Found | null, atMs: number, known: Aircraft | undefined): Seen {
  const { columns, isSliced } = last.stretch;
  let [lat, lon, timeMs] = [columns.lat[last.row]! / MICRODEG, columns.lon[last.row]! / MICRODEG, last.timeMs];
  let track = columns.tracks[last.row]!;
  let to: Seen['next'];
  if (next !== null) {
    const { columns: others } = next.stretch;
    const [nextLat, nextLon] = [others.lat[next.row]! / MICRODEG, others.lon[next.row]! / MICRODEG];
    const [north, east] = [nextLat - lat, ((nextLon - lon + 540) % 360) - 180];
    if (Number.isNaN(track) && (north !== 0 || east !== 0))
      track = ((Math.atan2(east * Math.cos((lat * Math.PI) / 180), north) * 180) / Math.PI + 360) % 360;
    if (isSliced) {
      const part = (atMs - timeMs) / (next.timeMs - timeMs);
      [lat, lon, timeMs] = [lat + north * part, lon + east * part, atMs];
    }
    to = { lat: nextLat, lon: nextLon, afterS: (next.timeMs - timeMs) / 1000 };
  }
  const [altitude, speed] = [columns.altitudes[last.row]!, columns.speeds[last.row]!];
  const ageS = (atMs - timeMs) / 1000;
  const aircraft = {
    ...known,
    ...last.lane.identity,
    ...{ hex: last.lane.hex, lat, lon, seen_pos: ageS, seen: ageS },
    ...(altitude === ALTITUDE_NONE ? {} : { alt_baro: altitude === ALTITUDE_GROUND ? 'ground' : altitude }),
    ...(Number.isNaN(speed) ? {} : { gs: speed }),
    ...(Number.isNaN(track) ? {} : { track }),
  };
  return { aircraft, updatedMs: atMs, ...(to === undefined ? {} : { next: to }) };
}

/** Members of an aircraft that stay while it flies. */
const IDENTITY = [
  'hex',
  'type',
  'source',
  'flight',
  'r',
  't',
  'desc',
  'ownOp',
  'year',
  'dbFlags',
  'squawk',
  'emergency',
  'category',
] as const;
const KNOWN_MAX = 60_000;

/** What exact moments said of aircraft: stored positions have no types. */
export class Identities {
  readonly known = new Map<string, Aircraft>();

  remember(aircraft: Iterable<Aircraft>): void {
    if (this.known.size > KNOWN_MAX) this.known.clear();
    for (const each of aircraft) {
      const members = IDENTITY.flatMap((name) => (each[name] === undefined ? [] : [[name, each[name]] as const]));
      this.known.set(each.hex, Object.fromEntries(members) as unknown as Aircraft);
    }
  }

  /** Part of aircraft of whom something is known. */
  partOf(seen: readonly Seen[]): number {
    return seen.length === 0 ? 1 : seen.reduce((sum, { aircraft }) => sum + Number(this.known.has(aircraft.hex)), 0) / seen.length;
  }
}
