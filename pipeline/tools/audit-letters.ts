// Dead letters in an audit: every frame record that cannot be read must be kept once, with its bytes, under its coordinates.
import { createHash } from 'node:crypto';
import type { EventLog } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';

const DIFFERENCES_SHOWN_MAX = 5;

export interface LetterAudit {
  readonly expected: number;
  stored: number;
  /** Letters that retention deleted. */
  notCompared: number;
  readonly differences: string[];
  differenceCount: number;
}

interface FoldedFrames {
  readonly fromOffset: number;
  /** Behind the last one. */
  readonly committed: number;
}

/** What the frames topics give, by key. */
export class ExpectedLetters {
  private readonly digests = new Map<string, string>();

  add(records: readonly OutgoingRecord[]): void {
    for (const { key, value } of records) this.digests.set(key ?? '', digestOf(value));
  }

  /** Compares with the topic: letters of those frames of each partition that were folded again. */
  async compare(log: EventLog, partitions: readonly FoldedFrames[], signal: AbortSignal): Promise<LetterAudit> {
    const result: LetterAudit = { expected: this.digests.size, stored: 0, notCompared: 0, differences: [], differenceCount: 0 };
    const differ = (text: string): void => {
      result.differenceCount += 1;
      if (result.differences.length < DIFFERENCES_SHOWN_MAX) result.differences.push(text);
    };
    const missing = new Map(this.digests);
    const { earliest } = await log.bounds('deadletter', 0);
    for await (const batch of log.read({ topic: 'deadletter', partition: 0, from: 'earliest', to: 'end', signal })) {
      for (const { key, value } of batch.records) {
        const place = /^frames\/(\d+)\/(\d+)$/.exec(key ?? '');
        const folded = partitions[Number(place?.[1])];
        const offset = Number(place?.[2]);
        if (folded === undefined || offset < folded.fromOffset || offset >= folded.committed) continue;
        result.stored += 1;
        const digest = this.digests.get(key!);
        if (digest === undefined) differ(`the letter ${key} is of a record that can be read`);
        else if (!missing.delete(key!)) differ(`the letter ${key} is there twice`);
        else if (digest !== digestOf(value)) differ(`the letter ${key} has other bytes than its record`);
      }
    }
    if (earliest > 0) result.notCompared = missing.size;
    else for (const key of missing.keys()) differ(`the letter ${key} is missing`);
    return result;
  }
}

function digestOf(value: Uint8Array | null): string {
  return createHash('sha256')
    .update(value ?? '')
    .digest('base64');
}
