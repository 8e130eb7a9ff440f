// Stretches of the past in the memory of the worker, and the sky at a time in them.
import type { Aircraft } from './picture.ts';
import type { Seen } from './sky.ts';

/** An aircraft without a position for so long is gone, as it is from live lists. */
const POSITION_MS_MAX = 60_000;
/** Between two positions further apart an aircraft is not moved: nobody knows its way. */
const MOVED_MS_MAX = 90_000;

/** Positions of an aircraft in the order of time, a row of each list per position, as `/v2/area/positions` has them. */
export interface Lane {
  readonly hex: string;
  /** After the start of the stretch, ms. */
  readonly t: number[];
  /** Degrees. */
  readonly lat: number[];
  readonly lon: number[];
  /** Feet. */
  readonly alt: (number | null)[];
  /** 1 on the ground. */
  readonly ground: number[];
  /** Knots. */
  readonly gs: (number | null)[];
  /** Degrees; without it aircraft point to where they go. */
  readonly track?: (number | null)[];
  /** What else the stretch has of the aircraft. */
  readonly identity?: Record<string, string>;
}

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** Positions after this time may be missing. */
  readonly knownToMs: number;
  /** True if times are those of slices, so that positions between them are interpolated. */
  readonly isSliced: boolean;
  readonly lanes: readonly Lane[];
}

/** The last row at or before a time; -1 if all are later. */
function rowAt(times: readonly number[], timeMs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Members of an aircraft that stay while it flies. */
const IDENTITY = ['type', 'source', 'flight', 'r', 't', 'desc', 'ownOp', 'year', 'dbFlags', 'squawk', 'emergency', 'category'] as const;
const KNOWN_MAX = 60_000;

/** A row of a lane. */
interface Found {
  readonly lane: Lane;
  readonly isSliced: boolean;
  readonly row: number;
  readonly timeMs: number;
}
interface Played {
  readonly seen: { readonly aircraft: Record<string, unknown> & { readonly hex: string }; updatedMs: number; next: Seen['next'] };
  /** An exact moment had it. */
  isKnown: boolean;
  last: Found | null;
  next: Found | null;
}

/** The sky of stretches, with what exact moments said of the aircraft: stored positions have no types. Objects of aircraft are used again: 15,000 take 8 ms, new ones for each picture took 185. */
export class Replay {
  private readonly played = new Map<string, Played>();

  remember(aircraft: readonly Aircraft[]): void {
    for (const each of aircraft) {
      const played = this.playedOf(each.hex);
      played.isKnown = true;
      for (const name of IDENTITY) if (each[name] !== undefined) played.seen.aircraft[name] = each[name];
    }
  }

  /** Part of aircraft that an exact moment had. */
  knownPart(seen: readonly Seen[]): number {
    return seen.length === 0 ? 1 : seen.filter(({ aircraft }) => this.played.get(aircraft.hex)?.isKnown).length / seen.length;
  }

  /** All aircraft at a time, ms since the Unix epoch, each between its last position and the next one. They are valid until the next call. */
  at(stretches: readonly Stretch[], atMs: number): Seen[] {
    const found = new Set<Played>();
    for (const { fromMs, isSliced, lanes } of stretches) {
      for (const lane of lanes) {
        const played = this.playedOf(lane.hex);
        if (!found.has(played)) [played.last, played.next] = [null, null];
        found.add(played);
        Object.assign(played.seen.aircraft, lane.identity);
        const row = rowAt(lane.t, atMs - fromMs);
        const [lastMs, nextMs] = [fromMs + (lane.t[row] ?? Number.NaN), fromMs + (lane.t[row + 1] ?? Number.NaN)];
        if (lastMs >= (played.last?.timeMs ?? 0)) played.last = { lane, isSliced, row, timeMs: lastMs };
        if (nextMs < (played.next?.timeMs ?? Number.POSITIVE_INFINITY)) played.next = { lane, isSliced, row: row + 1, timeMs: nextMs };
      }
    }
    const seen: Seen[] = [];
    for (const { last, next, seen: each } of found) {
      if (last === null) continue;
      const isMoved = next !== null && next.timeMs - last.timeMs <= MOVED_MS_MAX;
      if (atMs - last.timeMs > POSITION_MS_MAX && !isMoved) continue;
      move(each, last, isMoved ? next : null, atMs);
      seen.push(each);
    }
    return seen;
  }

  private playedOf(hex: string): Played {
    let played = this.played.get(hex);
    if (played === undefined) {
      if (this.played.size > KNOWN_MAX) this.played.clear();
      played = { seen: { aircraft: { hex }, updatedMs: 0, next: undefined }, isKnown: false, last: null, next: null };
      this.played.set(hex, played);
    }
    return played;
  }
}

function move(seen: Played['seen'], { lane, row, isSliced, timeMs: lastMs }: Found, next: Found | null, atMs: number): void {
  let [lat, lon, timeMs] = [lane.lat[row]!, lane.lon[row]!, lastMs];
  let track = lane.track?.[row] ?? undefined;
  seen.next = undefined;
  if (next !== null) {
    const [nextLat, nextLon] = [next.lane.lat[next.row]!, next.lane.lon[next.row]!];
    const [north, east] = [nextLat - lat, ((nextLon - lon + 540) % 360) - 180];
    if (track === undefined && (north !== 0 || east !== 0))
      track = ((Math.atan2(east * Math.cos((lat * Math.PI) / 180), north) * 180) / Math.PI + 360) % 360;
    if (isSliced) {
      const part = (atMs - timeMs) / (next.timeMs - timeMs);
      [lat, lon, timeMs] = [lat + north * part, lon + east * part, atMs];
    }
    seen.next = { lat: nextLat, lon: nextLon, afterS: (next.timeMs - timeMs) / 1000 };
  }
  const ageS = (atMs - timeMs) / 1000;
  const altitude = lane.ground[row] === 1 ? 'ground' : (lane.alt[row] ?? undefined);
  Object.assign(seen.aircraft, { lat, lon, seen_pos: ageS, seen: ageS, alt_baro: altitude, gs: lane.gs[row] ?? undefined, track });
  seen.updatedMs = atMs;
}
