// The TxnOffsetCommit request, version 3, for one partition. kafkajs supports only version 1, without member and generation. With them the broker
// refuses the offset of a worker that its group has removed (KIP-447; all brokers since 2.5).
//
//   tagged fields     of the header, which has them from flexible versions on
//   transactional id  compact string
//   group             compact string
//   producer id       int64
//   producer epoch    int16
//   generation        int32, -1 without a member
//   member id         compact string, empty without a member
//   instance id       compact string or null
//   topics            compact list (1): name compact string, partitions compact list (1): partition int32, offset int64, leader epoch int32 (-1 unknown),
//                     metadata compact string or null, tagged fields; tagged fields
//   tagged fields
//
// Its response: tagged fields of the header, throttle time int32, topics compact list: name compact string, partitions compact list: partition int32,
// error int16, tagged fields; tagged fields; tagged fields.
import type { BrokerRequest } from '../transport.ts';
import type { TransactionalProducer } from './transaction-requests.ts';
import { WireReader, WireWriter } from './wire.ts';

const OFFSET_COMMIT = { apiKey: 28, apiVersion: 3, apiName: 'TxnOffsetCommit', beginsWithThrottle: false, warns: false } as const;
const NO_TAGS = 0;
const LEADER_EPOCH_UNKNOWN = -1;
/** Length of a compact list of one. */
const LIST_OF_ONE = 2;

/** Identity of a worker in its group. */
export interface MemberIdentity {
  readonly memberId: string;
  readonly generationId: number;
}

/** For commits without a member: the broker does not check the group. */
export const NO_MEMBER: MemberIdentity = { memberId: '', generationId: -1 };

/** Next offset of a group. Group and topic by their names on the brokers. */
export interface GroupOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

export function offsetCommitRequest(
  { transactionalId, id, epoch }: TransactionalProducer,
  { group, topic, partition, nextOffset }: GroupOffset,
  member: MemberIdentity,
): BrokerRequest<void> {
  const { written: body } = new WireWriter()
    .int8(NO_TAGS)
    .compactString(transactionalId)
    .compactString(group)
    .int64(id)
    .int16(epoch)
    .int32(member.generationId)
    .compactString(member.memberId)
    .compactString(null)
    .varint(LIST_OF_ONE)
    .compactString(topic)
    .varint(LIST_OF_ONE)
    .int32(partition)
    .int64(BigInt(nextOffset))
    .int32(LEADER_EPOCH_UNKNOWN)
    .compactString(null)
    .int8(NO_TAGS)
    .int8(NO_TAGS)
    .int8(NO_TAGS);
  return {
    ...OFFSET_COMMIT,
    body,
    read(bytes) {
      const response = new WireReader(bytes);
      response.varint();
      response.int32();
      response.varint();
      response.skipCompactString();
      response.varint();
      response.int32();
      response.succeeded();
    },
  };
}
