// Damaged stretches of a log: offsets of one partition whose records cannot be read. A reader whose result depends on every record stops there;
// one that shows what is newest reads on behind it. README.md has the rule.
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';

export interface Damage {
  readonly topic: TopicId;
  readonly partition: number;
  /** First and last offset. */
  readonly from: number;
  readonly to: number;
  readonly detail: string;
}

/** `frames/0 offsets 7 to 9: the checksum is wrong`. */
export function damageText({ topic, partition, from, to, detail }: Damage): string {
  return `${topics[topic].shortName}/${partition} ${from === to ? `offset ${from}` : `offsets ${from} to ${to}`}: ${detail}`;
}

/** Error of a read that meets a damaged stretch. */
export function damageError(path: string, damage: Damage, cause?: unknown): SquitterError {
  return new SquitterError('log.damaged', { path, ...damage, fault: damage.detail, detail: damageText(damage) }, cause);
}

/** The stretch that an error names; null for other errors, and for a damaged index, which has no stretch. */
export function damageOf(error: unknown): Damage | null {
  if (!(error instanceof SquitterError) || error.code !== 'log.damaged' || error.details['topic'] === undefined) return null;
  const { topic, partition, from, to, fault: detail } = error.details;
  return { topic, partition, from, to, detail } as Damage;
}

/** Damaged stretches that were met, up to `limits.logDamagesMax`. */
export class DamageList {
  private readonly byStart = new Map<string, Damage>();

  /** True if the stretch is new. */
  add(damage: Damage): boolean {
    const start = `${damage.topic}/${damage.partition}/${damage.from}`;
    if (this.byStart.has(start) || this.byStart.size >= limits.logDamagesMax) return false;
    this.byStart.set(start, damage);
    return true;
  }

  all(): readonly Damage[] {
    return [...this.byStart.values()];
  }
}

/** Where a reader that may miss records continues after an error: behind a damaged stretch, or at the first record that is left. Throws other errors. */
export function offsetAfter(error: unknown): number | 'earliest' {
  const damage = damageOf(error);
  if (damage !== null) return damage.to + 1;
  if (error instanceof SquitterError && error.code === 'log.offset_out_of_range') return 'earliest';
  throw error;
}
