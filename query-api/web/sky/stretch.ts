// Stretches of the past in the memory of the worker, and the sky at a time in them.
import type { Aircraft } from './picture.ts';
import type { Seen } from './sky.ts';

/** An aircraft without a position for so long is gone, as it is from live lists. */
const POSITION_MS_MAX = 60_000;
/** Between two positions further apart an aircraft is not moved: its way is unknown. */
const MOVED_MS_MAX = 90_000;

/** A position as a stretch has it. Without a track aircraft point to where they go. */
export interface Row {
  lat: number;
  lon: number;
  altitude: number | 'ground' | undefined;
  speedKt: number | undefined;
  track: number | undefined;
}
const emptyRow = (): Row => ({ lat: 0, lon: 0, altitude: undefined, speedKt: undefined, track: undefined });
/** Positions of an aircraft in the order of time. */
export interface Lane {
  readonly hex: string;
  /** After the start of the stretch, ms. */
  readonly t: readonly number[];
  /** Writes a position to `row`: an object for each would be the work of a collection. */
  readonly read: (n: number, row: Row) => void;
  /** Further values of the aircraft in the stretch. */
  readonly identity?: object;
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

/** A position in a lane; without a lane there is none. */
interface Found {
  lane: Lane | null;
  n: number;
  timeMs: number;
  isSliced: boolean;
}
const notFound = (): Found => ({ lane: null, n: 0, timeMs: 0, isSliced: false });

interface Played {
  readonly seen: { readonly aircraft: Record<string, unknown> & { readonly hex: string }; updatedMs: number; next: Seen['next'] };
  readonly last: Found;
  readonly next: Found;
  /** An exact moment had it. */
  isKnown: boolean;
  /** The call of `at` that found it. */
  call: number;
}

/** The sky of stretches, with what exact moments said of the aircraft: stored positions have no types. Objects of aircraft are used again: new ones took 185 ms for a picture of 15,000. */
export class Replay {
  private readonly played = new Map<string, Played>();
  /** The aircraft of the lanes of a stretch, in their order. */
  private lanes = new WeakMap<Stretch, readonly Played[]>();
  private readonly from = emptyRow();
  private readonly to = emptyRow();
  private call = 0;

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
    this.call += 1;
    const found: Played[] = [];
    for (const stretch of stretches) {
      const played = this.lanesOf(stretch);
      for (const [i, lane] of stretch.lanes.entries()) {
        const each = played[i]!;
        if (each.call !== this.call) {
          each.call = this.call;
          each.last.lane = null;
          each.next.lane = null;
          found.push(each);
        }
        findRows(each, stretch, lane, atMs);
      }
    }
    return found.flatMap((played) => {
      const { last, next, seen } = played;
      if (last.lane === null) return [];
      const isMoved = next.lane !== null && next.timeMs - last.timeMs <= MOVED_MS_MAX;
      if (atMs - last.timeMs > POSITION_MS_MAX && !isMoved) return [];
      if (!isMoved) next.lane = null;
      this.move(played, atMs);
      return seen;
    });
  }

  private lanesOf(stretch: Stretch): readonly Played[] {
    let lanes = this.lanes.get(stretch);
    if (lanes === undefined) {
      lanes = stretch.lanes.map(({ hex, identity }) => {
        const played = this.playedOf(hex);
        Object.assign(played.seen.aircraft, identity);
        return played;
      });
      this.lanes.set(stretch, lanes);
    }
    return lanes;
  }

  private playedOf(hex: string): Played {
    if (this.played.size > KNOWN_MAX) {
      this.played.clear();
      this.lanes = new WeakMap();
    }
    let played = this.played.get(hex);
    if (played === undefined) {
      // Values that change come first: all aircraft have them in one order.
      const aircraft = { hex, lat: 0, lon: 0, seen_pos: 0, seen: 0, alt_baro: undefined, gs: undefined, track: undefined };
      played = { seen: { aircraft, updatedMs: 0, next: undefined }, last: notFound(), next: notFound(), isKnown: false, call: 0 };
      this.played.set(hex, played);
    }
    return played;
  }

  private move({ seen, last, next }: Played, atMs: number): void {
    const { aircraft } = seen;
    const { from, to } = this;
    last.lane!.read(last.n, from);
    let { lat, lon, track } = from;
    let timeMs = last.timeMs;
    seen.next = undefined;
    if (next.lane !== null) {
      next.lane.read(next.n, to);
      const [north, east] = [to.lat - lat, ((to.lon - lon + 540) % 360) - 180];
      if (track === undefined && (north !== 0 || east !== 0))
        track = ((Math.atan2(east * Math.cos((lat * Math.PI) / 180), north) * 180) / Math.PI + 360) % 360;
      if (last.isSliced) {
        const part = (atMs - timeMs) / (next.timeMs - timeMs);
        lat += north * part;
        lon += east * part;
        timeMs = atMs;
      }
      seen.next = { lat: to.lat, lon: to.lon, afterS: (next.timeMs - timeMs) / 1000 };
    }
    aircraft['lat'] = lat;
    aircraft['lon'] = lon;
    aircraft['seen_pos'] = (atMs - timeMs) / 1000;
    aircraft['seen'] = (atMs - timeMs) / 1000;
    aircraft['alt_baro'] = from.altitude;
    aircraft['gs'] = from.speedKt;
    aircraft['track'] = track;
    seen.updatedMs = atMs;
  }
}

/** The rows of a lane around a time, if they are nearer than those of other stretches. */
function findRows({ last, next }: Played, { fromMs, isSliced }: Stretch, lane: Lane, atMs: number): void {
  const n = rowAt(lane.t, atMs - fromMs);
  const [lastMs, nextMs] = [fromMs + (lane.t[n] ?? Number.NaN), fromMs + (lane.t[n + 1] ?? Number.NaN)];
  if (lastMs >= (last.lane === null ? 0 : last.timeMs)) found(last, lane, n, lastMs, isSliced);
  if (nextMs < (next.lane === null ? Number.POSITIVE_INFINITY : next.timeMs)) found(next, lane, n + 1, nextMs, isSliced);
}

function found(into: Found, lane: Lane, n: number, timeMs: number, isSliced: boolean): void {
  into.lane = lane;
  into.n = n;
  into.timeMs = timeMs;
  into.isSliced = isSliced;
}
