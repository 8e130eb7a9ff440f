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

/** Members of an aircraft that stay while it flies. */
const IDENTITY = ['type', 'source', 'flight', 'r', 't', 'desc', 'ownOp', 'year', 'dbFlags', 'squawk', 'emergency', 'category'] as const;
const KNOWN_MAX = 60_000;

/** A row of a stretch. */
interface Found {
  stretch: Stretch | null;
  row: number;
  timeMs: number;
}
interface Played {
  readonly seen: { readonly aircraft: Record<string, unknown> & { readonly hex: string }; updatedMs: number; next: Seen['next'] };
  readonly last: Found;
  readonly next: Found;
}

/** The sky of stretches, with what exact moments said of the aircraft: stored positions have no types. Objects of aircraft are used again: 15,000 take 8 ms, new ones for each picture took 185. */
export class Replay {
  private readonly known = new Map<string, Readonly<Record<string, unknown>>>();
  private readonly played = new Map<string, Played>();

  remember(aircraft: Iterable<Aircraft>): void {
    if (this.known.size > KNOWN_MAX) this.known.clear();
    for (const each of aircraft) {
      const identity = Object.fromEntries(IDENTITY.flatMap((name) => (each[name] === undefined ? [] : [[name, each[name]]])));
      this.known.set(each.hex, identity);
      Object.assign(this.played.get(each.hex)?.seen.aircraft ?? {}, identity);
    }
  }

  /** Part of aircraft of whom something is known. */
  knownPart(seen: readonly Seen[]): number {
    return seen.length === 0 ? 1 : seen.reduce((sum, { aircraft }) => sum + Number(this.known.has(aircraft.hex)), 0) / seen.length;
  }

  /** All aircraft at a time, ms since the Unix epoch, each between its last position and the next one. They are valid until the next call. */
  at(stretches: readonly Stretch[], atMs: number): Seen[] {
    const found = new Set<Played>();
    for (const stretch of stretches) {
      for (const lane of stretch.lanes) {
        const played = this.playedOf(lane);
        if (!found.has(played)) {
          found.add(played);
          [played.last.timeMs, played.next.timeMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
        }
        const row = rowAt(stretch.columns, lane, atMs - stretch.fromMs);
        const timeOf = (each: number): number => stretch.fromMs + stretch.columns.timesMs[each]!;
        if (row >= lane.from && timeOf(row) >= played.last.timeMs) setFound(played.last, stretch, row, timeOf(row));
        if (row + 1 < lane.to && timeOf(row + 1) < played.next.timeMs) setFound(played.next, stretch, row + 1, timeOf(row + 1));
      }
    }
    const seen: Seen[] = [];
    for (const { last, next, seen: each } of found) {
      const isMoved = next.timeMs - last.timeMs <= MOVED_MS_MAX;
      if (atMs - last.timeMs > POSITION_MS_MAX && !isMoved) continue;
      move(each, last, isMoved ? next : null, atMs);
      seen.push(each);
    }
    return seen;
  }

  private playedOf({ hex, identity }: Lane): Played {
    let played = this.played.get(hex);
    if (played === undefined) {
      if (this.played.size > KNOWN_MAX) this.played.clear();
      const aircraft = { hex, ...this.known.get(hex), ...identity };
      const nowhere = () => ({ stretch: null, row: 0, timeMs: 0 });
      played = { seen: { aircraft, updatedMs: 0, next: undefined }, last: nowhere(), next: nowhere() };
      this.played.set(hex, played);
    }
    return played;
  }
}

function setFound(found: Found, stretch: Stretch, row: number, timeMs: number): void {
  found.stretch = stretch;
  found.row = row;
  found.timeMs = timeMs;
}

function move(seen: Played['seen'], last: Found, next: Found | null, atMs: number): void {
  const { columns, isSliced } = last.stretch!;
  let [lat, lon, timeMs] = [columns.lat[last.row]! / MICRODEG, columns.lon[last.row]! / MICRODEG, last.timeMs];
  let track = columns.tracks[last.row]!;
  seen.next = undefined;
  if (next !== null) {
    const others = next.stretch!.columns;
    const [nextLat, nextLon] = [others.lat[next.row]! / MICRODEG, others.lon[next.row]! / MICRODEG];
    const [north, east] = [nextLat - lat, ((nextLon - lon + 540) % 360) - 180];
    if (Number.isNaN(track) && (north !== 0 || east !== 0))
      track = ((Math.atan2(east * Math.cos((lat * Math.PI) / 180), north) * 180) / Math.PI + 360) % 360;
    if (isSliced) {
      const part = (atMs - timeMs) / (next.timeMs - timeMs);
      [lat, lon, timeMs] = [lat + north * part, lon + east * part, atMs];
    }
    seen.next = { lat: nextLat, lon: nextLon, afterS: (next.timeMs - timeMs) / 1000 };
  }
  const [altitude, speed] = [columns.altitudes[last.row]!, columns.speeds[last.row]!];
  const { aircraft } = seen;
  aircraft['lat'] = lat;
  aircraft['lon'] = lon;
  aircraft['seen_pos'] = (atMs - timeMs) / 1000;
  aircraft['seen'] = (atMs - timeMs) / 1000;
  aircraft['alt_baro'] = altitude === ALTITUDE_GROUND ? 'ground' : altitude === ALTITUDE_NONE ? undefined : altitude;
  aircraft['gs'] = Number.isNaN(speed) ? undefined : speed;
  aircraft['track'] = Number.isNaN(track) ? undefined : track;
  seen.updatedMs = atMs;
}
