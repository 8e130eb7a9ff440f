// Counts of comparisons by set and field group, and every difference.
import { isSame } from './values.ts';

/** The groups for which the project states figures. */
export const groups = [
  'ADS-B fields',
  'altitude',
  'identity',
  'call sign',
  'register choice',
  'fields in a register',
  'positions',
  'state',
] as const;
export type Group = (typeof groups)[number];

const ALL_SETS = 'all sets';

export interface Count {
  compared: number;
  missing: number;
  wrong: number;
}

export interface Difference {
  readonly set: string;
  readonly group: Group;
  /** Row of the set, or aircraft and time: `acf4e8 at 1753827839.326`. */
  readonly row: number | string;
  readonly field: string;
  /** undefined: missing. */
  readonly ours: unknown;
  /** undefined: nothing was expected. */
  readonly truth: unknown;
}

const count = (): Count => ({ compared: 0, missing: 0, wrong: 0 });

export class Tally {
  /** By set and group, and of all sets together. */
  readonly counts = new Map<string, Map<Group, Count>>([[ALL_SETS, new Map(groups.map((group) => [group, count()]))]]);
  readonly differences: Difference[] = [];

  /** Compares one value. `truth` undefined: a value of ours that the reference does not have. */
  add(set: string, group: Group, row: number | string, field: string, ours: unknown, truth: unknown): void {
    const isEqual = truth !== undefined && isSame(field, ours, truth);
    if (!this.counts.has(set)) this.counts.set(set, new Map());
    for (const name of [set, ALL_SETS]) {
      const counts = this.counts.get(name)!;
      const counted = counts.get(group) ?? count();
      counts.set(group, counted);
      counted.compared += 1;
      if (!isEqual) counted[ours === undefined || ours === null ? 'missing' : 'wrong'] += 1;
    }
    if (!isEqual) this.differences.push({ set, group, row, field, ours, truth });
  }

  /** All sets together. */
  total(group: Group): Count {
    return this.counts.get(ALL_SETS)!.get(group)!;
  }
}

/** Share of equal values, 0 to 1; 1 for no values. */
export function equalShare({ compared, missing, wrong }: Count): number {
  return compared === 0 ? 1 : (compared - missing - wrong) / compared;
}
