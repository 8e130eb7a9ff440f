// Brokers for tests of the producer: received requests, and responses that a test delays, sends or turns into errors.
import type { WriteRequests } from '../../pipeline/log/kafka/produce/write-requests.ts';
import { readBatch } from './record-batches.ts';

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
