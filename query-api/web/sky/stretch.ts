// Stretches of the past in the memory of the worker, and the sky at a time in them.
import type { Aircraft } from './picture.ts';
import type { Seen } from './sky.ts';

/** An aircraft without a position for so long is gone, as it is from live lists. */
const POSITION_MS_MAX = 60_000;
/** Between two positions further apart an aircraft is not moved: nobody knows its way. */
const MOVED_MS_MAX = 90_000;

/** A position as a stretch has it. Without a track aircraft point to where they go. */
export interface Row {
  readonly lat: number;
  readonly lon: number;
  readonly altitude: number | 'ground' | undefined;
  readonly speedKt: number | undefined;
  readonly track: number | undefined;
}
/** Positions of an aircraft in the order of time. */
export interface Lane {
  readonly hex: string;
  /** After the start of the stretch, ms. */
  readonly t: readonly number[];
  readonly row: (n: number) => Row;
  /** What else the stretch has of the aircraft. */
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

interface Found {
  readonly lane: Lane;
  readonly n: number;
  readonly timeMs: number;
  readonly isSliced: boolean;
}
interface Played {
  readonly seen: { readonly aircraft: Record<string, unknown> & { readonly hex: string }; updatedMs: number; next: Seen['next'] };
  /** An exact moment had it. */
  isKnown: boolean;
  last: Found | null;
  next: Found | null;
}

/** The sky of stretches, with what exact moments said of the aircraft: stored positions have no types. Objects of aircraft are used again: new ones took 185 ms for a picture of 15,000. */
export class Replay {
  private readonly played = new Map<string, Played>();
  /** Stretches whose aircraft have their names. */
  private readonly named = new WeakSet<Stretch>();

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
    for (const stretch of stretches) {
      const isNew = !this.named.has(stretch);
      this.named.add(stretch);
      for (const lane of stretch.lanes) {
        const played = this.playedOf(lane.hex);
        if (isNew) Object.assign(played.seen.aircraft, lane.identity);
        if (!found.has(played)) {
          found.add(played);
          played.last = null;
          played.next = null;
        }
        findRows(played, stretch, lane, atMs);
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

/** The rows of a lane around a time, if they are nearer than those of other stretches. */
function findRows(played: Played, { fromMs, isSliced }: Stretch, lane: Lane, atMs: number): void {
  const n = rowAt(lane.t, atMs - fromMs);
  const last = n < 0 ? null : { lane, n, timeMs: fromMs + lane.t[n]!, isSliced };
  const next = n + 1 >= lane.t.length ? null : { lane, n: n + 1, timeMs: fromMs + lane.t[n + 1]!, isSliced };
  if (last !== null && last.timeMs >= (played.last?.timeMs ?? 0)) played.last = last;
  if (next !== null && next.timeMs < (played.next?.timeMs ?? Number.POSITIVE_INFINITY)) played.next = next;
}

function move(seen: Played['seen'], last: Found, next: Found | null, atMs: number): void {
  const { aircraft } = seen;
  const from = last.lane.row(last.n);
  let { lat, lon, track } = from;
  let timeMs = last.timeMs;
  seen.next = undefined;
  if (next !== null) {
    const to = next.lane.row(next.n);
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
