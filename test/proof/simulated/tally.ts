// Counts of `npm run verify:simulated`: by field and reason, the first unexplained cases, replies and addresses.
import { limits } from '../../../schemas/limits/index.ts';
import type { Value } from '../observer/message-content.ts';

/** An unexplained difference. */
export interface TruthCase {
  readonly hex: string;
  readonly timeMs: number;
  readonly shown: Value | undefined;
  readonly ideal: Value | undefined;
  readonly ruled: Value | undefined;
  /** The flown value, of derived values. */
  readonly flown?: number;
}

export class TruthField {
  readonly name: string;
  equal = 0;
  /** Differs from the flown value by no more than the steps of its input messages. */
  within = 0;
  explained = 0;
  unexplained = 0;
  readonly reasons = new Map<string, number>();
  readonly cases: TruthCase[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get compared(): number {
    return this.equal + this.within + this.explained + this.unexplained;
  }

  explain(reason: string): void {
    this.explained += 1;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  /** Keeps the first cases, each of another aircraft. */
  addUnexplained(found: TruthCase): void {
    this.unexplained += 1;
    if (this.cases.length < limits.verifyCasesMax && !this.cases.some(({ hex }) => hex === found.hex)) this.cases.push(found);
  }
}

export class TruthTally {
  readonly fields = new Map<string, TruthField>();
  /** Numbers in messages, and those more than half a step from what was flown. */
  readonly coded = { values: 0, wrong: 0, cases: [] as string[] };
  /** First accepted receptions of Comm-B replies, by the register that the fold found. */
  readonly registers = { named: 0, open: 0, wrong: 0, cases: [] as string[] };
  /** Receptions that fold and observer treat differently. */
  readonly copies = { heard: 0, differing: 0, cases: [] as string[] };
  readonly aircraft = { sent: 0, shown: 0, ambiguous: 0, nobody: 0, neverShown: 0, forgotten: 0, untimely: 0, cases: [] as string[] };
  frames = 0;

  field(name: string): TruthField {
    let field = this.fields.get(name);
    if (field === undefined) {
      field = new TruthField(name);
      this.fields.set(name, field);
    }
    return field;
  }

  /** Differences without a reason, of every kind. */
  get unexplained(): number {
    const { nobody, neverShown, untimely } = this.aircraft;
    let sum = this.coded.wrong + this.registers.wrong + this.copies.differing + nobody + neverShown + untimely;
    for (const { unexplained } of this.fields.values()) sum += unexplained;
    return sum;
  }

  get compared(): number {
    let sum = 0;
    for (const { compared } of this.fields.values()) sum += compared;
    return sum;
  }
}

/** Keeps the first of many. */
export function keepFirst(cases: string[], text: string): void {
  if (cases.length < limits.verifyCasesMax) cases.push(text);
}
