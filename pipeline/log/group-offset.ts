// Start offset of a group in a partition. The committed offset alone is not reliable: it may be deleted with the group, expire, be reset by hand,
// or be missing after a fail-over. A stage commits its outputs together with the offset, so its newest outputs prove the right offset.
import { SquitterError } from '../../schemas/errors.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from './event-log.ts';

/** Where a partition begins after a change of their number: at its first record, or behind those that the history store has from the log before. */
export const BEGIN_GROUP = 'begin';

/** Problems of a committed offset, compared with the outputs. */
export type OffsetProblem = 'missing' | 'behind' | 'ahead';

export interface OffsetRecovery {
  readonly partition: number;
  readonly problem: OffsetProblem;
  /** The group's offset in the log, and where its outputs end. */
  readonly committed: number | null;
  readonly offset: number;
}

export interface GroupPartition {
  readonly log: EventLog;
  readonly group: string;
  readonly topic: TopicId;
  readonly partition: number;
  /** The group's next offset in the log; null if there is none. */
  readonly committed: number | null;
}

/** Evidence from the outputs of a stage. */
interface OutputEvidence {
  /** The next offset that was committed with the newest outputs; null if there are none. */
  readonly next: number | null;
  /** First input offset without outputs, from other outputs than those of `next`. A larger value than `next` is a contradiction. */
  readonly outputsEnd: () => Promise<number>;
}

export interface GroupStart {
  readonly offset: number;
  /** null if the committed offset is right, or the group is new. */
  readonly problem: OffsetProblem | null;
}

/** Start offset of the group, from its outputs. Error: `log.offset_contradiction` if they contradict each other or the input. */
export async function groupStart(input: GroupPartition, evidence: OutputEvidence): Promise<GroupStart> {
  const { log, topic, partition, committed } = input;
  const { earliest, next: inputEnd } = await log.bounds(topic, partition);
  const offset = evidence.next ?? earliest;
  if (offset > inputEnd)
    throw contradiction(input, `its outputs come from records up to offset ${offset}, but the topic ends at ${inputEnd}`);
  if (committed === evidence.next) return { offset, problem: null };
  const outputsEnd = await evidence.outputsEnd();
  if (outputsEnd > (evidence.next ?? 0))
    throw contradiction(input, `some of its outputs end at offset ${outputsEnd}, others at ${evidence.next ?? 'none'}`);
  // A new group.
  if (evidence.next === null && (committed ?? earliest) === earliest) return { offset, problem: null };
  if (committed === null) return { offset, problem: 'missing' };
  return { offset, problem: committed < offset ? 'behind' : 'ahead' };
}

/** Commits the start offset of the group, so that lag and tools show the right value. Error: `log.commit_conflict`. */
export async function moveGroup({ log, committed, ...groupPartition }: GroupPartition, offset: number): Promise<void> {
  await log.commit({ ...groupPartition, fromOffset: committed ?? offset, nextOffset: offset, outputs: [] });
}

/** The first record of a partition that is still in the log; null if there is none. Its value is valid until the log is read again. */
export async function firstRecord(log: EventLog, topic: TopicId, partition: number): Promise<StoredRecord | null> {
  for await (const batch of log.read({ topic, partition, from: 'earliest', to: 'end' })) return batch.records[0]!;
  return null;
}

/** Distances from the end at which to search for the newest record: control records and compacted records may follow it. */
const TAILS = [16, 1024];

/** The last record of a partition, with a copy of its value; null if there is none. */
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
