// One transaction of a producer: outputs and the group's offset, committed together.
import { SquitterError } from '../../../../schemas/errors.ts';
import { limits } from '../../../../schemas/limits/index.ts';
import { pause } from '../../../runtime/retry.ts';
import type { Records } from '../../record-block.ts';
import { kafkaCode } from '../failures.ts';
import { protocolError } from '../kafkajs-transport.ts';
import { type GroupOffset, type MemberIdentity, NO_MEMBER } from '../wire/offset-commit-request.ts';
import type { SequencedProducer } from './sequenced-producer.ts';
import { persistently } from './write-attempts.ts';
import type { TopicPartition } from './write-requests.ts';

/** Kafka's code. */
const UNKNOWN_MEMBER_ID = 25;

/** Records of one partition. */
interface PartitionRecords extends TopicPartition {
  readonly records: Records;
}

/** A partition and the end of the records written to it. */
export interface WrittenEnd extends TopicPartition {
  readonly offset: number;
}

/** A worker's membership of its group, for commits. */
export interface CommittingMember {
  /** Its current identity; null if the group has removed it. */
  readonly identity: MemberIdentity | null;
  /** Called when the broker does not know this identity any more. */
  refused(identity: MemberIdentity): void;
}

/**
 * Writes and commits. `outputs` may have each partition once. `member` is null for work without a member.
 * Errors: those of brokers; the producer must not write any more then. UNKNOWN_MEMBER_ID: the group has removed the member.
 */
export async function runTransaction(
  producer: SequencedProducer,
  outputs: readonly PartitionRecords[],
  offset: GroupOffset,
  member: CommittingMember | null,
): Promise<WrittenEnd[]> {
  const { identity, attempts } = producer;
  const { requests } = attempts;
  if (outputs.length > 0) await persistently(attempts, () => requests.addPartitions(identity, outputs));
  const writing = Promise.all(outputs.map((output) => writeAll(producer, output)));
  const committing = commitOffset(producer, offset, member);
  // If one fails, wait for the other too: no request of this transaction may be pending when the caller gets the error.
  await Promise.allSettled([writing, committing]);
  const [written] = await Promise.all([writing, committing]);
  await persistently(attempts, () => requests.commit(identity));
  return written;
}

async function writeAll(producer: SequencedProducer, { topic, partition, records }: PartitionRecords): Promise<WrittenEnd> {
  let offset = 0;
  for (let at = 0; at < records.length; ) {
    const { count, baseOffset } = await producer.write({ topic, partition }, records, at);
    at += count;
    offset = baseOffset + count;
  }
  return { topic, partition, offset };
}

/** Commits the offset with the worker's current member identity. */
async function commitOffset(
  { identity, attempts }: SequencedProducer,
  offset: GroupOffset,
  member: CommittingMember | null,
): Promise<void> {
  const { requests, stopped } = attempts;
  await persistently(attempts, () => requests.addGroup(identity, offset.group));
  if (member === null) return persistently(attempts, () => requests.commitOffset(identity, offset, NO_MEMBER));
  let outdated: MemberIdentity | null = null;
  for (;;) {
    const now = member.identity;
    if (now === null) throw protocolError(UNKNOWN_MEMBER_ID);
    try {
      if (now !== outdated) return await persistently(attempts, () => requests.commitOffset(identity, offset, now));
    } catch (error) {
      const code = kafkaCode(error);
      if (code === 'UNKNOWN_MEMBER_ID') member.refused(now);
      if (code !== 'ILLEGAL_GENERATION') throw error;
      // A member that stays gets its new generation a moment after the broker has begun it.
      outdated = now;
    }
    if (stopped.aborted) throw new SquitterError('log.closed');
    await pause(limits.kafkaMarkersPollMs);
  }
}
