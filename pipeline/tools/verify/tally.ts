// Counts of `squitter verify`: by field, by reason, distances of positions, aircraft, and the cases to look at.
import { limits } from '../../../schemas/limits/index.ts';
import type { Value } from './fields.ts';
import type { OurFrame } from './ours.ts';

/** Result for a value of theirs. `near`: ours had it within the slack; the last three are differences. */
export const outcomes = ['equal', 'near', 'different', 'onlyTheirs', 'onlyOurs'] as const;
export type FieldOutcome = (typeof outcomes)[number];

/** One difference from its beginning to its end. */
export interface Case {
  readonly field: string;
  readonly outcome: FieldOutcome;
  readonly hex: string;
  readonly timeMs: number;
  readonly theirs: Value | undefined;
  readonly ours: Value | undefined;
  /** Since when ours has its value, and the frame that set it; null without a frame. */
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
  /** Differences with a documented reason. */
  explained = 0;
  /** Differences that stay over several responses are one case. */
  cases = 0;

  get compared(): number {
    return this.equal + this.near + this.different + this.onlyTheirs + this.onlyOurs;
  }
}

/** Counts by size with two exact digits: percentiles in bounded memory. */
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

  /** The distance that this share does not exceed, m. */
  percentile(share: number): number {
    let left = Math.ceil(this.count * share);
    for (const [size, count] of [...this.counts].sort((a, b) => a[0] - b[0])) {
      left -= count;
      if (left <= 0) return size;
    }
    return 0;
  }
}

/** Below the resolution of six decimals of a degree. */
const SMALLEST_M = 0.01;

/** A list of names that may grow long: counted fully, stored in part. */
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
  /** Documented reasons that occurred: reason, field, count. */
  readonly reasons = new Map<string, Map<string, number>>();
  /** Fields in at least one of their responses. */
  readonly givenByTheirs = new Set<string>();
  readonly unknownMembers = new Set<string>();
  responses = 0;
  aircraftCompared = 0;
  /** Responses whose time our history does not cover any more, or does not cover yet. */
  responsesNotCompared = 0;
  /** Values that theirs may have heard before we listened. */
  unheard = 0;
  firstResponseMs = Number.NaN;
  lastResponseMs = Number.NaN;
  readonly distances = new Distances();
  /** Their time of a position minus ours, ms. */
  readonly timeDifferences: number[] = [];
  positionsFar = 0;
  positionsOnlyTheirs = 0;
  positionsOnlyOurs = 0;
  /** Differences among these with a documented reason. */
  positionsExplained = 0;
  readonly aircraftBoth = new NameList();
  readonly aircraftOnlyTheirs = new NameList();
  readonly aircraftOnlyOurs = new NameList();
  /** By field and outcome: the largest, or the first. */
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

  /** Keeps a case if it is among the largest of its field; `size` is 0 for fields without a size. */
  addCase(item: Case, size: number): void {
    const key = `${item.field} ${item.outcome} ${item.reason ?? ''}`;
    const largest = this.casesKept.get(key) ?? [];
    this.casesKept.set(key, largest);
    largest.push({ size, item });
    if (largest.length <= limits.verifyCasesMax) return;
    // Drop the smallest; of equal ones, the latest.
    let least = 0;
    for (let i = 1; i < largest.length; i += 1) if (largest[i]!.size <= largest[least]!.size) least = i;
    largest.splice(least, 1);
  }

  cases(): Case[] {
    return [...this.casesKept.values()].flatMap((largest) => largest.map(({ item }) => item));
  }

  addTimeDifference(ms: number): void {
    if (this.timeDifferences.length < limits.verifyHistoryMax) this.timeDifferences.push(ms);
  }
}

/** The median; 0 for no numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
