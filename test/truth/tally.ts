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

export class Tally {
  /** By set, then group. */
  readonly counts = new Map<string, Map<Group, Count>>();
  readonly differences: Difference[] = [];
  /** Notes about a set, in addition to the counts. */
  readonly notes: string[] = [];

  /** Compares one value. */
  add(set: string, group: Group, row: number | string, field: string, ours: unknown, truth: unknown): void {
    const count = this.count(set, group);
    count.compared += 1;
    if (isSame(field, ours, truth)) return;
    if (ours === undefined || ours === null) count.missing += 1;
    else count.wrong += 1;
    this.differences.push({ set, group, row, field, ours, truth });
  }

  /** A value of ours that the reference does not have. */
  addExtra(set: string, group: Group, row: number | string, field: string, ours: unknown): void {
    const count = this.count(set, group);
    count.compared += 1;
    count.wrong += 1;
    this.differences.push({ set, group, row, field, ours, truth: undefined });
  }

  private count(set: string, group: Group): Count {
    const ofSet = this.counts.get(set) ?? new Map<Group, Count>();
    this.counts.set(set, ofSet);
    const count = ofSet.get(group) ?? { compared: 0, missing: 0, wrong: 0 };
    ofSet.set(group, count);
    return count;
  }

  /** All sets together. */
  total(group: Group): Count {
    const total = { compared: 0, missing: 0, wrong: 0 };
    for (const ofSet of this.counts.values()) {
      const count = ofSet.get(group);
      if (count === undefined) continue;
      total.compared += count.compared;
      total.missing += count.missing;
      total.wrong += count.wrong;
    }
    return total;
  }
}

/** Share of equal values, 0 to 1; 1 for no values. */
export function equalShare({ compared, missing, wrong }: Count): number {
  return compared === 0 ? 1 : (compared - missing - wrong) / compared;
}
