// The Produce request, version 7, of one record batch (all brokers since 2.1, zstd among the codecs):
//
//   transactional id  string, null without a transaction
//   acks              int16, -1: all replicas in sync
//   timeout           int32, ms
//   topics            int32 count (1): name string, partitions int32 count (1): partition int32, record batch int32 bytes and them
//
// Its answer: topics int32 count: name string, partitions int32 count: partition int32, error int16, base offset int64, log append time int64,
// log start offset int64; then throttle time int32.
import { type WireRequest, WireWriter } from './wire.ts';

const API_KEY = 0;
const VERSION = 7;
const ACKS_ALL = -1;
const FIXED_BYTES = 64;
/** UTF-8 of a string. */
const CHARACTER_BYTES_MAX = 3;

export interface ProduceRequest {
  /** Name of the topic on the brokers. */
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
  readonly transactionalId: string | null;
  /** How long the broker waits for its replicas. */
  readonly timeoutMs: number;
}

/** Answers with the offset of the first record. */
export function produceRequest({ topic, partition, batch, transactionalId, timeoutMs }: ProduceRequest): WireRequest<number> {
  const textBytes = CHARACTER_BYTES_MAX * (topic.length + (transactionalId?.length ?? 0));
  const { written: body } = new WireWriter(FIXED_BYTES + textBytes + batch.length)
    .string(transactionalId)
    .int16(ACKS_ALL)
    .int32(timeoutMs)
    .int32(1)
    .string(topic)
    .int32(1)
    .int32(partition)
    .block(batch);
  return {
    apiKey: API_KEY,
    apiVersion: VERSION,
    apiName: 'Produce',
    body,
    read(answer) {
      answer.int32();
      answer.skipString();
      answer.int32();
      answer.int32();
      answer.succeeded();
      return Number(answer.int64());
    },
  };
}
