// The fields that `squitter verify` compares: our name, the names other programs give it, and when two values are the same.
// The names are readsb's; dump1090-fa has most of them, dump1090 and dump1090-mutability older ones with coarser values.

/** Lists are compared as their sorted members joined, times as ms since the Unix epoch, an advisory by its bytes, a last position by being there. */
export type Value = number | string;

export interface FieldRule {
  readonly name: string;
  /** Our fields that may hold it; the field itself where not given. */
  readonly ours?: readonly string[];
  /** Other names, of older programs. */
  readonly aliases?: readonly string[];
  /** `number`, `angle` (degrees around the circle) and `time`: within `near`. `count`: within what we counted meanwhile. */
  readonly kind: 'exact' | 'number' | 'angle' | 'time' | 'count';
  readonly near?: number;
  /** The same for old programs, which print whole numbers. */
  readonly nearCoarse?: number;
  /** Compared only where both have it: a file without signal levels, a program that shows none. */
  readonly bothOnly?: boolean;
}

/** Programs round times to 0.1 s, both of the answer and of its age. */
const TIME_NEAR_MS = 150;

/** Old programs add a half and cut off, so that a western track, negative at that point, comes out up to 1.5 degrees too large. */
const OLD_TRACK_NEAR_DEG = 1.5;

export const fieldRules: readonly FieldRule[] = [
  { name: 'type', kind: 'exact' },
  { name: 'flight', kind: 'exact' },
  { name: 'alt_baro', kind: 'exact', aliases: ['altitude'] },
  { name: 'alt_geom', kind: 'exact' },
  { name: 'gs', kind: 'number', near: 0.15, nearCoarse: 1, aliases: ['speed'] },
  { name: 'ias', kind: 'exact' },
  { name: 'tas', kind: 'exact' },
  { name: 'mach', kind: 'number', near: 0.0006 },
  { name: 'wd', kind: 'angle', near: 3 },
  { name: 'ws', kind: 'number', near: 3 },
  { name: 'oat', kind: 'number', near: 1 },
  { name: 'tat', kind: 'number', near: 1 },
  { name: 'track', kind: 'angle', near: 0.06, nearCoarse: OLD_TRACK_NEAR_DEG },
  { name: 'calc_track', kind: 'angle', near: 1 },
  { name: 'track_rate', kind: 'number', near: 0.011 },
  { name: 'roll', kind: 'number', near: 0.06 },
  { name: 'mag_heading', kind: 'angle', near: 0.06 },
  { name: 'true_heading', kind: 'angle', near: 1 },
  { name: 'baro_rate', kind: 'exact' },
  { name: 'geom_rate', kind: 'exact' },
  { name: 'vert_rate', kind: 'exact', ours: ['baro_rate', 'geom_rate'] },
  { name: 'squawk', kind: 'exact' },
  { name: 'emergency', kind: 'exact' },
  { name: 'category', kind: 'exact' },
  { name: 'nav_qnh', kind: 'number', near: 0.11 },
  { name: 'nav_altitude_mcp', kind: 'exact' },
  { name: 'nav_altitude_fms', kind: 'exact' },
  { name: 'nav_heading', kind: 'angle', near: 0.06 },
  { name: 'nav_modes', kind: 'exact' },
  { name: 'position', kind: 'exact' },
  { name: 'nic', kind: 'exact' },
  { name: 'rc', kind: 'number', near: 1.5 },
  { name: 'seen_pos', kind: 'time', near: TIME_NEAR_MS },
  { name: 'version', kind: 'exact' },
  { name: 'nic_baro', kind: 'exact' },
  { name: 'nac_p', kind: 'exact' },
  { name: 'nac_v', kind: 'exact' },
  { name: 'sil', kind: 'exact' },
  { name: 'sil_type', kind: 'exact' },
  { name: 'gva', kind: 'exact' },
  { name: 'sda', kind: 'exact' },
  { name: 'alert', kind: 'exact' },
  { name: 'spi', kind: 'exact' },
  { name: 'acas_ra', kind: 'exact' },
  { name: 'gpsOkBefore', kind: 'time', near: TIME_NEAR_MS },
  { name: 'lastPosition', kind: 'exact' },
  { name: 'mlat', kind: 'exact' },
  { name: 'tisb', kind: 'exact' },
  { name: 'messages', kind: 'count' },
  { name: 'seen', kind: 'time', near: TIME_NEAR_MS },
  { name: 'rssi', kind: 'number', near: 0.2, bothOnly: true },
];

export const rulesByName: ReadonlyMap<string, FieldRule> = new Map(fieldRules.map((rule) => [rule.name, rule]));

/** Members of an aircraft object that are told otherwise (`hex`, the place itself), or are of a database, a route or the receiver. */
export const namesNotCompared: ReadonlySet<string> = new Set(
  (
    'now hex lat lon r t desc ownOp year dbFlags dst dir r_dst r_dir rr_lat rr_lon nucp modea modec ' +
    'gpsOkLat gpsOkLon receiverCount rId'
  ).split(' '),
);

/** Whether two values are the same under the rule; `coarse` where the other program prints whole numbers. */
export function isSameValue(rule: FieldRule, coarse: boolean, ours: Value, theirs: Value): boolean {
  if (ours === theirs) return true;
  const near = coarse ? (rule.nearCoarse ?? rule.near) : rule.near;
  if (near === undefined || typeof ours !== 'number' || typeof theirs !== 'number') return false;
  // Both are printed decimals: a little more than half a unit of the last place is for binary fractions.
  return distanceOf(rule, ours, theirs) <= near + 1e-9;
}

/** How far apart two values are; 0 where that cannot be said. */
export function distanceOf(rule: FieldRule, ours: Value | undefined, theirs: Value | undefined): number {
  if (typeof ours !== 'number' || typeof theirs !== 'number') return 0;
  const apart = Math.abs(ours - theirs);
  return rule.kind === 'angle' ? Math.min(apart % 360, 360 - (apart % 360)) : apart;
}
