// The Produce request, version 7, with record batches, one per partition (all brokers since 2.1; supports zstd):
//
//   transactional id  string, null without a transaction
//   acks              int16, -1: all replicas in sync
//   timeout           int32, ms
//   topics            int32 count: name string, partitions int32 count: partition int32, record batch: length int32 and bytes
//
// Its response: topics int32 count: name string, partitions int32 count: partition int32, error int16, base offset int64, log append time int64,
// log start offset int64; then throttle time int32.
import { limits } from '../../../../schemas/limits/index.ts';
import type { BrokerRequest } from '../transport.ts';
import { CHARACTER_BYTES, WireReader, WireWriter } from './wire.ts';

// Each batch has its own error, which its writer handles.
const PRODUCE = { apiKey: 0, apiVersion: 7, apiName: 'Produce', beginsWithThrottle: false, warns: false } as const;
const ACKS_ALL = -1;
const FIXED_BYTES = 32;
/** Fixed bytes of a batch besides topic name and data. */
const PARTITION_BYTES = 32;

export interface PartitionBatch {
  /** Name of the topic on the brokers. */
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
}

/** The broker's result for one batch. */
export interface ProduceResponse {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's code; 0 if the batch is written. */
  readonly code: number;
  /** Offset of its first record. */
  readonly baseOffset: number;
}

/** `batches` has each partition at most once. The response has each batch, in any order. */
export function produceRequest(transactionalId: string | null, batches: readonly PartitionBatch[]): BrokerRequest<ProduceResponse[]> {
  let bytesMax = FIXED_BYTES + CHARACTER_BYTES * (transactionalId?.length ?? 0);
  for (const { topic, batch } of batches) bytesMax += PARTITION_BYTES + CHARACTER_BYTES * topic.length + batch.length;
  const writer = new WireWriter(bytesMax).string(transactionalId).int16(ACKS_ALL).int32(limits.kafkaResponseMsMax);
  writer.topics(batches, ({ partition, batch }) => writer.int32(partition).block(batch));
  return { ...PRODUCE, body: writer.written, read: readResponses };
}

function readResponses(bytes: Buffer): ProduceResponse[] {
  const response = new WireReader(bytes);
  const responses: ProduceResponse[] = [];
  response.list(() => {
    const topic = response.string();
    response.list(() => {
      const partition = response.int32();
      const code = response.int16();
      const baseOffset = Number(response.int64());
      response.int64();
      response.int64();
      responses.push({ topic, partition, code, baseOffset });
    });
  });
  return responses;
}
