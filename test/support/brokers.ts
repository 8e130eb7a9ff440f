// Kafka brokers for tests of the log: requests as a broker reads them, record batches as kafkajs reads them, and responses that a test delays, sends or
// turns into errors.
import type { BatchCodec } from '../../pipeline/log/kafka/compression.ts';
import { readFetchResponse } from '../../pipeline/log/kafka/kafkajs-transport.ts';
import type { WriteRequests } from '../../pipeline/log/kafka/produce/write-requests.ts';
import type { BrokerConnection, BrokerRequest } from '../../pipeline/log/kafka/transport.ts';
import { WireReader, WireWriter } from '../../pipeline/log/kafka/wire/wire.ts';

/** No compression. */
export const plainCodec: BatchCodec = { id: 0, compress: (bytes) => bytes };

export interface ReadBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly records: readonly {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
  }[];
}

/** A fetch response of version 11 about partition 0 of topic `t`. */
export function fetchResponseOf(batches: Buffer, stableEnd = 0): Buffer {
  const response = new WireWriter().int32(0).int16(0).int32(0);
  response.list(['t'], (topic) =>
    response.string(topic).list([0], (partition) => {
      response.int32(partition).int16(0).int64(0n).int64(BigInt(stableEnd)).int64(0n);
      response
        .list([], () => undefined)
        .int32(-1)
        .block(batches);
    }),
  );
  return response.written;
}

/** A batch of this many offsets that compaction emptied. */
export function emptiedBatch(firstOffset: number, count: number): Buffer {
  const batch = new WireWriter()
    .int64(BigInt(firstOffset))
    .int32(49)
    .int32(0)
    .int8(2)
    .int32(0)
    .int16(0)
    .int32(count - 1);
  return batch.int64(0n).int64(0n).int64(7n).int16(0).int32(0).int32(0).written;
}

/** Reads a batch with records as the only one of a fetch response. */
export async function readBatch(bytes: Buffer): Promise<ReadBatch> {
  const { responses } = await readFetchResponse(fetchResponseOf(bytes));
  const { messages } = responses[0]!.partitions[0]!;
  return { ...(messages[0]!.batchContext as Omit<ReadBatch, 'records'>), records: messages };
}

/** The topics, partitions and offsets of a Fetch request. */
export function fetchAsked({ body }: BrokerRequest<unknown>): { topic: string; partition: number; from: number }[] {
  // Behind the head: four numbers of four bytes, one of one byte, and two of four bytes.
  const request = new WireReader(body.subarray(4 * 4 + 1 + 2 * 4));
  const readPartition = () => {
    const partition = request.int32();
    request.int32();
    const from = Number(request.int64());
    request.int64();
    request.int32();
    return { partition, from };
  };
  return request
    .list(() => ({ topic: request.string(), partitions: request.list(readPartition) }))
    .flatMap(({ topic, partitions }) => partitions.map((each) => ({ topic, ...each })));
}

/** A broker whose decoded responses a test supplies. */
export function brokerThat(gives: (request: BrokerRequest<unknown>) => Promise<unknown>): BrokerConnection {
  return { isConnected: true, send: gives as BrokerConnection['send'] };
}

/** An error as kafkajs creates it from a broker's response. */
export const brokerError = (type: string, retriable = false): Error =>
  Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type, retriable });

/** One record batch for a partition. */
export interface HeldBatch {
  readonly producer: number;
  readonly partition: number;
  readonly sequence: number;
  readonly values: string[];
  respond(): void;
  fail(error: Error): void;
}

/** Brokers without transactions that respond when the test calls `respond`; offsets count as on a broker. */
export function heldBrokers() {
  const sends: HeldBatch[] = [];
  const ends = new Map<number, number>();
  let producers = 0;
  const writing: Pick<WriteRequests, 'initProducer' | 'produce' | 'recover'> = {
    async initProducer(transactionalId) {
      producers += 1;
      return { transactionalId, id: BigInt(producers), epoch: 0 };
    },
    async produce({ id }, { partition }, batch) {
      const { records, firstSequence } = await readBatch(batch);
      return new Promise((resolve, reject) => {
        sends.push({
          producer: Number(id),
          partition,
          sequence: firstSequence,
          values: records.map(({ value }) => String(value)),
          respond() {
            const baseOffset = ends.get(partition) ?? 0;
            ends.set(partition, baseOffset + records.length);
            resolve(baseOffset);
          },
          fail: reject,
        });
      });
    },
    recover: async () => undefined,
  };
  return { writing: writing as WriteRequests, sends };
}
