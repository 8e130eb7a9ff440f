// The fields that `squitter verify` compares, from the field table: our name, the names other programs give it, and when two values are the same.
// The names are readsb's; dump1090-fa has most of them, dump1090 and dump1090-mutability older ones with coarser values.
import { type MemberRow, memberFields } from '../../../schemas/aircraft-fields.ts';
import { RADIANS_PER_DEGREE } from '../../geo/earth.ts';

/** Lists are compared as their sorted members joined, times as ms since the Unix epoch, an advisory by its bytes, a last position by being there. */
export type Value = number | string;

export interface FieldRule {
  readonly name: string;
  /** Our fields that may hold it; the field itself where not given. */
  readonly ours?: readonly string[];
  /** Other names, of older programs. */
  readonly aliases?: readonly string[];
  /** `number`, `angle` (degrees around the circle), `wind` (kt between two vectors) and `time`: within `near`. `count`: within what we counted meanwhile. */
  readonly kind: 'exact' | 'number' | 'angle' | 'wind' | 'time' | 'count';
  readonly near?: number;
  /** The same for old programs, which print whole numbers. */
  readonly nearCoarse?: number;
  /** Compared only where both have it: a file without signal levels, a program that shows none. */
  readonly bothOnly?: boolean;
  /** Fields that it is computed from. */
  readonly inputs?: readonly string[];
}

/** Directions are whole degrees: of a fast wind half a degree on both sides is more than the distance that is allowed otherwise. */
const WIND_PART_NEAR = 0.02;

/** Programs round times to 0.1 s, both the time of the response and its age. */
const TIME_NEAR_MS = 150;

/** Members that are compared otherwise than as the values of their field, by other rules or by none. */
const specialRules: { readonly [member: string]: readonly FieldRule[] } = {
  hex: [],
  lat: [{ name: 'position', kind: 'exact' }],
  lon: [],
  gpsOkLat: [],
  gpsOkLon: [],
  geom_rate: [
    { name: 'geom_rate', kind: 'exact' },
    { name: 'vert_rate', kind: 'exact', ours: ['baro_rate', 'geom_rate'] },
  ],
  seen_pos: [{ name: 'seen_pos', kind: 'time', near: TIME_NEAR_MS }],
  gpsOkBefore: [{ name: 'gpsOkBefore', kind: 'time', near: TIME_NEAR_MS }],
  seen: [{ name: 'seen', kind: 'time', near: TIME_NEAR_MS }],
  messages: [{ name: 'messages', kind: 'count' }],
  rssi: [{ name: 'rssi', kind: 'number', near: 0.2, bothOnly: true }],
  wd: [{ name: 'wind', kind: 'wind', near: 3, inputs: ['tas', 'gs', 'track', 'true_heading'] }],
  ws: [],
};

/** The fields from which each computed field follows, by name. */
const inputs: { readonly [member: string]: readonly string[] } = {
  true_heading: ['mag_heading'],
  ...{ oat: ['tas', 'mach'], tat: ['tas', 'mach'] },
};

/** In the order of the aircraft object. */
export const fieldRules: readonly FieldRule[] = memberFields.flatMap(rulesOf);

/** readsb has a member of this name and meaning. */
function isOfReadsb({ member, readsb }: MemberRow): boolean {
  return readsb === undefined || readsb === member;
}

function rulesOf(row: MemberRow): readonly FieldRule[] {
  const { member, older, from, near, nearCoarse, unit, range } = row;
  if (from !== undefined || !isOfReadsb(row)) return [];
  const isAngle = unit === 'degrees' && range?.[0] === 0 && range[1] === 360;
  return (
    specialRules[member] ?? [
      {
        name: member,
        kind: near === undefined ? 'exact' : isAngle ? 'angle' : 'number',
        ...(near === undefined ? {} : { near }),
        ...(nearCoarse === undefined ? {} : { nearCoarse }),
        ...(older === undefined ? {} : { aliases: older }),
        ...(inputs[member] === undefined ? {} : { inputs: inputs[member] }),
      },
    ]
  );
}

/** Computed values last, after those that they are computed from: the true heading has a part in the wind. */
export const rulesInTurn: readonly FieldRule[] = fieldRules.toSorted((a, b) => turnOf(a) - turnOf(b));

function turnOf({ kind, inputs }: FieldRule): number {
  return kind === 'wind' ? 2 : inputs === undefined ? 0 : 1;
}

export const rulesByName: ReadonlyMap<string, FieldRule> = new Map(fieldRules.map((rule) => [rule.name, rule]));

/** Members of an aircraft object that are compared otherwise, belong to a database, a route, a query or the receiver, or that readsb alone has. */
export const namesNotCompared: ReadonlySet<string> = new Set([
  ...memberFields.filter((row) => isOfReadsb(row) && !rulesByName.has(row.member)).map(({ member }) => member),
  ...['now', 'r_dst', 'r_dir', 'rr_lat', 'rr_lon', 'nucp', 'modea', 'modec', 'receiverCount', 'rId'],
]);

/** Whether two values are the same under the rule; `coarse` where the other program prints whole numbers. */
export function isSameValue(rule: FieldRule, coarse: boolean, ours: Value, theirs: Value): boolean {
  if (ours === theirs) return true;
  const near = coarse ? (rule.nearCoarse ?? rule.near) : rule.near;
  if (near === undefined || typeof ours !== typeof theirs) return false;
  const more = rule.kind === 'wind' ? WIND_PART_NEAR * speedOf(theirs) : 0;
  // Both are printed decimals: a little more than half a unit of the last place is for binary fractions.
  return distanceOf(rule, ours, theirs) <= near + more + 1e-9;
}

/** How far apart two values are; 0 where that cannot be said. */
export function distanceOf(rule: FieldRule, ours: Value | undefined, theirs: Value | undefined): number {
  if (rule.kind === 'wind' && ours !== undefined && theirs !== undefined) {
    const turn = (directionOf(ours) - directionOf(theirs)) * RADIANS_PER_DEGREE;
    return Math.sqrt(speedOf(ours) ** 2 + speedOf(theirs) ** 2 - 2 * speedOf(ours) * speedOf(theirs) * Math.cos(turn));
  }
  if (typeof ours !== 'number' || typeof theirs !== 'number') return 0;
  const apart = Math.abs(ours - theirs);
  return rule.kind === 'angle' ? Math.min(apart % 360, 360 - (apart % 360)) : apart;
}

/** A wind as one value: whole degrees and knots. Undefined without both. */
export function windValue(direction: unknown, speed: unknown): Value | undefined {
  return direction === undefined || speed === undefined ? undefined : `${direction}° ${speed} kt`;
}
const directionOf = (wind: Value): number => Number.parseInt(String(wind), 10);
const speedOf = (wind: Value): number => Number.parseInt(String(wind).split(' ')[1]!, 10);
