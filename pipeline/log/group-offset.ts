// Where a group goes on in a partition. The committed offset alone is not trusted: it may be deleted with the group, expire, be reset by hand,
// or be missing after a fail-over. What a stage wrote was committed together with that offset, so its newest outputs prove where it stands.
import { SquitterError } from '../../schemas/errors.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from './event-log.ts';

/** What is wrong with a committed offset, against what the outputs prove. */
export const offsetProblems = ['missing', 'behind', 'ahead'] as const;
export type OffsetProblem = (typeof offsetProblems)[number];

export interface GroupPartition {
  readonly log: EventLog;
  readonly group: string;
  readonly topic: TopicId;
  readonly partition: number;
  /** What the log holds as the group's next offset; null where it holds none. */
  readonly committed: number | null;
}

/** What the outputs of a stage prove. */
export interface OutputEvidence {
  /** The next offset that was committed with the newest outputs; null where there are none. */
  readonly next: number | null;
  /** First input offset that no output comes from, by other outputs than those that `next` is from: a contradiction where it is larger. */
  readonly outputsEnd: () => Promise<number>;
}

export interface GroupStart {
  readonly offset: number;
  /** Null where the committed offset is right, and for a group that begins. */
  readonly problem: OffsetProblem | null;
}

/** Where the group goes on, by its outputs. Error: `log.offset_contradiction` where they contradict each other or the input. */
export async function groupStart(input: GroupPartition, evidence: OutputEvidence): Promise<GroupStart> {
  const { log, topic, partition, committed } = input;
  const { earliest, next: inputEnd } = await log.bounds(topic, partition);
  const offset = evidence.next ?? earliest;
  if (offset > inputEnd)
    throw contradiction(input, `what it wrote is made of records up to offset ${offset}, and the topic ends at ${inputEnd}`);
  if (committed === evidence.next) return { offset, problem: null };
  const outputsEnd = await evidence.outputsEnd();
  if (outputsEnd > (evidence.next ?? 0))
    throw contradiction(input, `some of its outputs reach to offset ${outputsEnd}, others to ${evidence.next ?? 'none at all'}`);
  // A group that begins.
  if (evidence.next === null && (committed ?? earliest) === earliest) return { offset, problem: null };
  if (committed === null) return { offset, problem: 'missing' };
  return { offset, problem: committed < offset ? 'behind' : 'ahead' };
}

/** Puts the group where it goes on, so that lag and tools tell the truth. Error: `log.commit_conflict`. */
export async function moveGroup({ log, committed, ...place }: GroupPartition, offset: number): Promise<void> {
  await log.commit({ ...place, fromOffset: committed ?? offset, nextOffset: offset, outputs: [] });
}

/** Offsets before the end where the newest record is looked for: it may stand before marks of transactions and compacted records. */
const TAILS = [16, 1024];

/** The last record of a partition, its value copied; null where there is none. */
export async function newestRecord(log: EventLog, topic: TopicId, partition: number): Promise<StoredRecord | null> {
  const { earliest, next } = await log.bounds(topic, partition);
  const starts = TAILS.map((tail) => next - tail).filter((start) => start > earliest);
  for (const from of [...starts, 'earliest' as const]) {
    let newest: StoredRecord | null = null;
    for await (const { records } of log.read({ topic, partition, from, to: next })) {
      const last = records.at(-1)!;
      newest = { ...last, value: last.value === null ? null : Buffer.from(last.value) };
    }
    if (newest !== null) return newest;
  }
  return null;
}

function contradiction({ group, topic, partition }: GroupPartition, detail: string): SquitterError {
  return new SquitterError('log.offset_contradiction', { group, topic: topics[topic].name, partition, detail });
}
