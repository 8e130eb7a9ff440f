// One transaction of a producer: outputs and the group's offset, committed together.
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../../../schemas/errors.ts';
import { limits } from '../../../../schemas/limits.ts';
import type { OutgoingRecords } from '../../record-block.ts';
import { kafkaCode } from '../failures.ts';
import { protocolError } from '../kafkajs-transport.ts';
import { type MemberIdentity, NO_MEMBER } from '../wire/offset-commit-request.ts';
import { untilAnswered } from './patience.ts';
import type { SequencedProducer } from './sequenced-producer.ts';
import type { GroupOffset, TopicPartition } from './write-requests.ts';

/** Kafka's code. */
const UNKNOWN_MEMBER_ID = 25;

/** Records of one partition. */
export interface PartitionRecords extends TopicPartition {
  readonly records: OutgoingRecords;
}

/** A partition and where the records that were written to it end. */
export interface WrittenEnd extends TopicPartition {
  readonly offset: number;
}

/** A worker's membership of its group, as far as its commits go. */
export interface CommittingMember {
  /** Who it is now; null when the group has gone on without it. */
  readonly identity: MemberIdentity | null;
  /** The broker does not know it as that any more. */
  refused(identity: MemberIdentity): void;
}

/**
 * Writes and commits; each partition at most once in `outputs`. `member` is null for work that belongs to no member.
 * Errors: those of brokers; nothing more may be written by the producer then. UNKNOWN_MEMBER_ID: the group has gone on without the member.
 */
export async function runTransaction(
  producer: SequencedProducer,
  outputs: readonly PartitionRecords[],
  offset: GroupOffset,
  member: CommittingMember | null,
): Promise<WrittenEnd[]> {
  const { identity, patience } = producer;
  const { requests } = patience;
  if (outputs.length > 0) await untilAnswered(patience, () => requests.addPartitions(identity, outputs));
  const writing = Promise.all(outputs.map((output) => writeAll(producer, output)));
  const committing = commitOffset(producer, offset, member);
  // Whichever fails, the other is waited for: nothing of this transaction may be under way when somebody hears of its end.
  await Promise.allSettled([writing, committing]);
  const [written] = await Promise.all([writing, committing]);
  await untilAnswered(patience, () => requests.commit(identity));
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

/** Sends the offset, as the member that the worker is at this moment. */
async function commitOffset(
  { identity, patience }: SequencedProducer,
  offset: GroupOffset,
  member: CommittingMember | null,
): Promise<void> {
  const { requests, stopped } = patience;
  await untilAnswered(patience, () => requests.addGroup(identity, offset.group));
  if (member === null) return untilAnswered(patience, () => requests.commitOffset(identity, offset, NO_MEMBER));
  let outdated: MemberIdentity | null = null;
  for (;;) {
    const now = member.identity;
    if (now === null) throw protocolError(UNKNOWN_MEMBER_ID);
    try {
      if (now !== outdated) return await untilAnswered(patience, () => requests.commitOffset(identity, offset, now));
    } catch (error) {
      const code = kafkaCode(error);
      if (code === 'UNKNOWN_MEMBER_ID') member.refused(now);
      if (code !== 'ILLEGAL_GENERATION') throw error;
      // A member that stays learns of its new generation a moment after the broker has begun it.
      outdated = now;
    }
    if (stopped.aborted) throw new SquitterError('log.closed');
    await sleep(limits.kafkaMarkersPollMs);
  }
}
