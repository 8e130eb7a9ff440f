// Dead letters in an audit: every unreadable frame record must be stored once as a dead letter, with its bytes, under its coordinates.
import { createHash } from 'node:crypto';
import { limits } from '../../../schemas/limits/index.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { OutgoingRecord } from '../../log/record-block.ts';

export interface DeadLetterAudit {
  readonly expected: number;
  stored: number;
  /** Dead letters that retention deleted. */
  notCompared: number;
  readonly differences: string[];
  differenceCount: number;
}

interface FoldedFrames {
  readonly fromOffset: number;
  /** The offset after the last folded record. */
  readonly committed: number;
}

/** SHA-256 of dead letters, by key. */
export type DeadLetterDigests = ReadonlyMap<string, string>;

/** The dead letters that a fold of the frames gives: those that the log must have. By key. */
export class ExpectedDeadLetters {
  readonly digests = new Map<string, string>();

  add(records: readonly OutgoingRecord[]): void {
    for (const { key, value } of records) this.digests.set(key ?? '', digestOf(value));
  }

  addDigests(digests: DeadLetterDigests): void {
    for (const [key, digest] of digests) this.digests.set(key, digest);
  }

  /** Compares with the topic: dead letters of the folded frames of each partition. */
  async compare(log: EventLog, partitions: readonly FoldedFrames[], signal: AbortSignal): Promise<DeadLetterAudit> {
    const result: DeadLetterAudit = { expected: this.digests.size, stored: 0, notCompared: 0, differences: [], differenceCount: 0 };
    const differ = (text: string): void => {
      result.differenceCount += 1;
      if (result.differences.length < limits.auditDifferencesMax) result.differences.push(text);
    };
    const missing = new Map(this.digests);
    const { earliest } = await log.bounds('deadletter', 0);
    for await (const batch of log.read({ topic: 'deadletter', partition: 0, from: 'earliest', to: 'end', signal })) {
      for (const { key, value } of batch.records) {
        const record = /^frames\/(\d+)\/(\d+)$/.exec(key ?? '');
        const folded = partitions[Number(record?.[1])];
        const offset = Number(record?.[2]);
        if (folded === undefined || offset < folded.fromOffset || offset >= folded.committed) continue;
        result.stored += 1;
        const digest = this.digests.get(key!);
        if (digest === undefined) differ(`dead letter ${key} belongs to a readable record`);
        else if (!missing.delete(key!)) differ(`dead letter ${key} is stored twice`);
        else if (digest !== digestOf(value)) differ(`dead letter ${key} has other bytes than its record`);
      }
    }
    if (earliest > 0) result.notCompared = missing.size;
    else for (const key of missing.keys()) differ(`dead letter ${key} is missing`);
    return result;
  }
}

function digestOf(value: Uint8Array | null): string {
  return createHash('sha256')
    .update(value ?? '')
    .digest('base64');
}
