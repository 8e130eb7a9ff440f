// The aircraft of a moment and what the page wants of them: one pass makes the picture, the objects of the selection and the visible rows of the table.
import { colourOf, EMERGENCY } from './colours.ts';
import { nameOf, routeOf, sorted } from './columns.ts';
import { testOf } from './filters.ts';
import { unitsPerMetre, wrapped, xOf, yOf } from './mercator.ts';
import { outlineOf } from './outlines.ts';
import {
  type Aircraft,
  BYTES,
  type Clock,
  type Details,
  flags,
  GROUND,
  keyOf,
  LIVE,
  type Names,
  NONE,
  offsets,
  type Picture,
  type ToSky,
} from './picture.ts';
import { altitudeOf, heightOf, numberOf, positionOf, textOf, trackOf } from './values.ts';

/** An aircraft, and when what it says was true, ms since the Unix epoch. */
export interface Seen {
  readonly aircraft: Aircraft;
  readonly updatedMs: number;
  /** The next known position, which an aircraft of the past moves to, and the seconds from its position to that one. */
  readonly next?: { readonly lat: number; readonly lon: number; readonly afterS: number } | undefined;
}
type Located = Seen & { readonly position: Position };
type Want = Extract<ToSky, { kind: 'want' }>;
type TableWant = Extract<ToSky, { kind: 'table' }>;

/** Older positions are not on the map; the table has their aircraft. */
const POSITION_S_MAX = 300;
const KT_IN_M_PER_S = 1852 / 3600;
const FOUND_MAX = 8;
const EMERGENCY_SQUAWKS = ['7500', '7600', '7700'];

interface Position {
  readonly lat: number;
  readonly lon: number;
  readonly ageS: number;
  /** True for a position that the service no longer shows as current. */
  readonly isLast: boolean;
}
function newestOf(aircraft: Aircraft): Position | null {
  const current = positionOf(aircraft);
  if (current !== undefined) return { lat: current.lat, lon: current.lon, ageS: numberOf(aircraft['seen_pos']) ?? 0, isLast: false };
  const last = aircraft['lastPosition'] as { lat: number; lon: number; seen_pos: number } | null | undefined;
  return last ? { lat: last.lat, lon: last.lon, ageS: last.seen_pos, isLast: true } : null;
}
export function isEmergency({ squawk, emergency }: Aircraft): boolean {
  return EMERGENCY_SQUAWKS.includes(String(squawk)) || (typeof emergency === 'string' && emergency !== 'none' && emergency !== 'reserved');
}

/** The aircraft with the ages of its values at a time. */
function aged({ aircraft, updatedMs }: Seen, nowMs: number): Aircraft {
  const ages = (['seen', 'seen_pos'] as const).filter((name) => typeof aircraft[name] === 'number');
  return { ...aircraft, ...Object.fromEntries(ages.map((name) => [name, Number(aircraft[name]) + (nowMs - updatedMs) / 1000])) };
}

export class Sky {
  private want: Want = { kind: 'want', filters: {}, colour: 'altitude', isDark: false, selected: [], isolated: false };
  private test = testOf({});
  table: TableWant = { kind: 'table', sort: '', from: 0, count: 0 };
  private seen: readonly Seen[] = [];
  private nowMs = 0;
  private clock = LIVE;
  /** The page's rows, by key. */
  private names = new Map<number, string>();

  wanted(want: Want): void {
    this.want = want;
    this.test = testOf(want.filters);
  }

  update(nowMs: number, seen: readonly Seen[], clock: Clock): void {
    [this.nowMs, this.seen, this.clock] = [nowMs, seen, clock];
  }

  /** Changes for the page. */
  messages(): [Names, Picture, Details] {
    const { selected, isolated } = this.want;
    const chosen = new Set(selected);
    const matching = this.seen.filter(({ aircraft }) => chosen.has(aircraft.hex) || (!isolated && this.test(aircraft)));
    const located = matching.flatMap((each) => {
      const position = newestOf(each.aircraft);
      return position === null || position.ageS > POSITION_S_MAX ? [] : [{ ...each, position }];
    });
    return [this.changedNames(located), this.picture(located, matching.length, chosen), this.details(matching, selected)];
  }

  /** Aircraft by what people may call them. */
  find(query: string): Aircraft[] {
    const text = query.trim().toUpperCase();
    if (text === '') return [];
    const score = (aircraft: Aircraft): number => {
      const texts = ['flight', 'r', 'hex', 'squawk', 't'].map((name) => textOf(aircraft[name])?.toUpperCase());
      if (texts.includes(text)) return 0;
      if (texts.some((each) => each?.startsWith(text))) return 1;
      return routeOf(aircraft)?.includes(text) ? 2 : 3;
    };
    const scored = this.seen.map(({ aircraft }) => ({ aircraft, score: score(aircraft) })).filter((each) => each.score < 3);
    scored.sort((a, b) => a.score - b.score || (nameOf(a.aircraft) < nameOf(b.aircraft) ? -1 : 1));
    return scored.slice(0, FOUND_MAX).map(({ aircraft }) => aircraft);
  }

  private changedNames(located: readonly Seen[]): Names {
    const before = this.names;
    this.names = new Map(located.map(({ aircraft }) => [keyOf(aircraft.hex), nameOf(aircraft)]));
    const gone = [...before.keys()].filter((key) => !this.names.has(key)).map((key) => [key, ''] as const);
    return { kind: 'names', names: [...gone, ...[...this.names].filter(([key, name]) => before.get(key) !== name)] };
  }

  private picture(located: readonly Located[], shown: number, chosen: ReadonlySet<string>): Picture {
    const count = located.length;
    const instances = new ArrayBuffer(count * BYTES);
    const bytes = new DataView(instances);
    const [keys, altitudes, speeds] = [new Uint32Array(count), new Int32Array(count), new Int32Array(count)];
    for (const [i, each] of located.entries()) {
      const { hex, gs } = each.aircraft;
      keys[i] = keyOf(hex);
      altitudes[i] = heightOf(each.aircraft, GROUND) ?? NONE;
      speeds[i] = numberOf(gs) ?? NONE;
      this.writeInstance(bytes, i * BYTES, each, chosen.has(hex));
    }
    const emergencies = this.seen.filter(({ aircraft }) => isEmergency(aircraft)).map(({ aircraft }) => aircraft);
    const counts = { aircraft: this.seen.length, located: this.seen.filter(({ aircraft }) => 'lat' in aircraft).length, shown };
    return { kind: 'picture', nowMs: this.nowMs, clock: this.clock, count, instances, keys, altitudes, speeds, counts, emergencies };
  }

  private writeInstance(bytes: DataView, at: number, { aircraft, updatedMs, position, next }: Located, isSelected: boolean): void {
    const { colour, isDark } = this.want;
    const [x, y] = [xOf(position.lon), yOf(position.lat)];
    for (const [n, value] of [x, y].entries()) {
      const high = Math.fround(value);
      bytes.setFloat32(at + offsets.position + 4 * n, high, true);
      bytes.setFloat32(at + offsets.position + 8 + 4 * n, value - high, true);
    }
    const [speedKt, track] = [numberOf(aircraft['gs']), trackOf(aircraft) ?? numberOf(aircraft['true_heading'])];
    // At a moment that stays nothing moves.
    if (this.clock.pace > 0 && next !== undefined) {
      bytes.setFloat32(at + offsets.velocity, wrapped(xOf(next.lon) - x) / next.afterS, true);
      bytes.setFloat32(at + offsets.velocity + 4, (yOf(next.lat) - y) / next.afterS, true);
    } else if (this.clock.pace > 0 && speedKt !== undefined && track !== undefined && !position.isLast) {
      const speed = speedKt * KT_IN_M_PER_S * unitsPerMetre(position.lat);
      bytes.setFloat32(at + offsets.velocity, speed * Math.sin((track * Math.PI) / 180), true);
      bytes.setFloat32(at + offsets.velocity + 4, -speed * Math.cos((track * Math.PI) / 180), true);
    }
    bytes.setFloat32(at + offsets.time, (updatedMs - this.nowMs) / 1000 - position.ageS, true);
    bytes.setUint16(at + offsets.track, Math.round(((track ?? 0) / 360) * 65_535), true);
    bytes.setUint8(at + offsets.shape, outlineOf(aircraft));
    const emergency = isEmergency(aircraft);
    bytes.setUint8(
      at + offsets.flags,
      (isSelected ? flags.selected : 0) |
        (emergency ? flags.emergency : 0) |
        (altitudeOf(aircraft) === 'ground' ? flags.ground : 0) |
        (position.isLast ? flags.stale : 0) |
        (track === undefined ? flags.noTrack : 0),
    );
    for (const [n, value] of [...(emergency ? EMERGENCY : colourOf(colour, aircraft, isDark)), 255].entries())
      bytes.setUint8(at + offsets.colour + n, value);
  }

  private details(matching: readonly Seen[], selected: readonly string[]): Details {
    const chosen = selected.flatMap((hex) => this.seen.find(({ aircraft }) => aircraft.hex === hex) ?? []);
    const { sort, from, count } = this.table;
    // Without rows in view nothing is sorted.
    const rows =
      count === 0
        ? []
        : sorted(
            matching.map(({ aircraft }) => aircraft),
            sort,
          );
    const rowFrom = Math.max(0, Math.min(from, rows.length - count));
    return {
      ...{ kind: 'details', nowMs: this.nowMs, rowCount: rows.length, rowFrom },
      selected: chosen.map((each) => aged(each, this.nowMs)),
      rows: rows.slice(rowFrom, rowFrom + count),
    };
  }
}
