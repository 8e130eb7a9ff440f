// Counts of `squitter verify`: by field, by reason, distances of positions, aircraft, and the cases that a person should look at.
import { limits } from '../../schemas/limits.ts';
import type { Value } from './verify-fields.ts';
import type { OurFrame } from './verify-ours.ts';

/** How a value of theirs stands to ours. `near`: ours had it within the slack; the last three are differences. */
export const outcomes = ['equal', 'near', 'different', 'onlyTheirs', 'onlyOurs'] as const;
export type FieldOutcome = (typeof outcomes)[number];

/** One difference from where it began to where it ended. */
export interface Case {
  readonly field: string;
  readonly outcome: FieldOutcome;
  readonly hex: string;
  readonly timeMs: number;
  readonly theirs: Value | undefined;
  readonly ours: Value | undefined;
  /** Since when ours is so, and by which frame; null where it is not by a frame. */
  readonly oursSinceMs: number | null;
  readonly frame: OurFrame | null;
  readonly reason: string | null;
}

export class FieldTally {
  equal = 0;
  near = 0;
  different = 0;
  onlyTheirs = 0;
  onlyOurs = 0;
  /** Of the differences, those with a documented reason. */
  explained = 0;
  /** Differences that stay over several answers are one case. */
  cases = 0;

  get compared(): number {
    return this.equal + this.near + this.different + this.onlyTheirs + this.onlyOurs;
  }
}

/** Counts by size, two digits exact: percentiles in bounded memory. */
export class Distances {
  count = 0;
  largest = 0;
  private readonly counts = new Map<number, number>();

  add(metres: number): void {
    this.count += 1;
    this.largest = Math.max(this.largest, metres);
    const size = metres < SMALLEST_M ? 0 : Number(metres.toPrecision(2));
    this.counts.set(size, (this.counts.get(size) ?? 0) + 1);
  }

  /** The distance that this share of all does not exceed, m. */
  percentile(share: number): number {
    let left = Math.ceil(this.count * share);
    for (const [size, count] of [...this.counts].sort((a, b) => a[0] - b[0])) {
      left -= count;
      if (left <= 0) return size;
    }
    return 0;
  }
}

/** Below what six decimals of a degree can tell. */
const SMALLEST_M = 0.01;

/** A list of names that may grow long: counted whole, kept in part. */
export class NameList {
  count = 0;
  readonly names: string[] = [];

  add(name: string): void {
    this.count += 1;
    if (this.names.length < limits.verifyNamesMax) this.names.push(name);
  }
}

export class VerifyTally {
  readonly fields = new Map<string, FieldTally>();
  /** Documented reasons that were met: reason, field, count. */
  readonly reasons = new Map<string, Map<string, number>>();
  /** Fields that stood in an answer of theirs. */
  readonly givenByTheirs = new Set<string>();
  readonly unknownMembers = new Set<string>();
  answers = 0;
  aircraftCompared = 0;
  /** Answers that came when our memory of their time was gone, or before ours began. */
  answersNotCompared = 0;
  /** Values that they may have heard before we listened. */
  unheard = 0;
  firstAnswerMs = Number.NaN;
  lastAnswerMs = Number.NaN;
  readonly distances = new Distances();
  /** Their time of a position minus ours, ms. */
  readonly timeDifferences: number[] = [];
  placesFar = 0;
  placesOnlyTheirs = 0;
  placesOnlyOurs = 0;
  /** Of those, the ones with a documented reason. */
  placesExplained = 0;
  readonly aircraftBoth = new NameList();
  readonly aircraftOnlyTheirs = new NameList();
  readonly aircraftOnlyOurs = new NameList();
  /** By field and outcome, the largest and first ones. */
  private readonly casesKept = new Map<string, { size: number; item: Case }[]>();

  field(name: string): FieldTally {
    let tally = this.fields.get(name);
    if (tally === undefined) {
      tally = new FieldTally();
      this.fields.set(name, tally);
    }
    return tally;
  }

  addReason(reason: string, field: string): void {
    const byField = this.reasons.get(reason) ?? new Map<string, number>();
    this.reasons.set(reason, byField);
    byField.set(field, (byField.get(field) ?? 0) + 1);
  }

  /** Keeps a case if it is among the largest of its field; `size` 0 where it has none. */
  addCase(item: Case, size: number): void {
    const key = `${item.field} ${item.outcome} ${item.reason ?? ''}`;
    const kept = this.casesKept.get(key) ?? [];
    this.casesKept.set(key, kept);
    kept.push({ size, item });
    if (kept.length <= limits.verifyCasesMax) return;
    // The smallest goes, of equals the latest.
    let least = 0;
    for (let i = 1; i < kept.length; i += 1) if (kept[i]!.size <= kept[least]!.size) least = i;
    kept.splice(least, 1);
  }

  cases(): Case[] {
    return [...this.casesKept.values()].flatMap((kept) => kept.map(({ item }) => item));
  }

  addTimeDifference(ms: number): void {
    if (this.timeDifferences.length < limits.verifyHistoryMax) this.timeDifferences.push(ms);
  }
}

/** The middle of numbers; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
