// Requests of producers, with and without transactions, to their coordinator, in versions that every broker since 2.5 supports.
//
//   InitProducerId 1        transactional id string or null, transaction time-out int32 ms
//                           → throttle time int32, error int16, producer id int64, epoch int16
//   AddPartitionsToTxn 1    transactional id string, producer id int64, epoch int16, topics: name string, partitions int32 each
//                           → throttle time int32, topics: name string, partitions: partition int32, error int16
//   AddOffsetsToTxn 1       transactional id string, producer id int64, epoch int16, group string → throttle time int32, error int16
//   EndTxn 1                transactional id string, producer id int64, epoch int16, whether it commits int8 → throttle time int32, error int16
import type { BrokerRequest } from '../transport.ts';
import { succeeded, WireReader, WireWriter } from './wire.ts';

const INIT_PRODUCER_ID = { apiKey: 22, apiVersion: 1, apiName: 'InitProducerId', beginsWithThrottle: true, warns: true } as const;
const ADD_PARTITIONS = { apiKey: 24, apiVersion: 1, apiName: 'AddPartitionsToTxn', beginsWithThrottle: true, warns: true } as const;
const ADD_OFFSETS = { apiKey: 25, apiVersion: 1, apiName: 'AddOffsetsToTxn', beginsWithThrottle: true, warns: true } as const;
const END = { apiKey: 26, apiVersion: 1, apiName: 'EndTxn', beginsWithThrottle: true, warns: true } as const;
const COMMIT = 1;

/** A producer that writes in transactions. */
export interface TransactionalProducer {
  readonly transactionalId: string;
  readonly id: bigint;
  readonly epoch: number;
}

/** Requests a new epoch for the transactional id, or a new producer id without one. */
export function initProducerRequest(
  transactionalId: string | null,
  transactionMsMax: number,
): BrokerRequest<{ readonly id: bigint; readonly epoch: number }> {
  return {
    ...INIT_PRODUCER_ID,
    body: new WireWriter().string(transactionalId).int32(transactionMsMax).written,
    read(bytes) {
      const response = succeeded(bytes);
      return { id: response.int64(), epoch: response.int16() };
    },
  };
}

export function addPartitionsRequest(
  producer: TransactionalProducer,
  partitions: readonly { readonly topic: string; readonly partition: number }[],
): BrokerRequest<void> {
  const writer = head(producer);
  writer.topics(partitions, ({ partition }) => writer.int32(partition));
  return {
    ...ADD_PARTITIONS,
    body: writer.written,
    read(bytes) {
      const response = new WireReader(bytes);
      response.int32();
      response.list(() => {
        response.string();
        response.list(() => {
          response.int32();
          response.succeeded();
        });
      });
    },
  };
}

/** Adds offset commits of a group to the transaction. */
export function addOffsetsRequest(producer: TransactionalProducer, group: string): BrokerRequest<void> {
  return { ...ADD_OFFSETS, body: head(producer).string(group).written, read: (bytes) => void succeeded(bytes) };
}

/** Commits the transaction. */
export function commitRequest(producer: TransactionalProducer): BrokerRequest<void> {
  return { ...END, body: head(producer).int8(COMMIT).written, read: (bytes) => void succeeded(bytes) };
}

function head({ transactionalId, id, epoch }: TransactionalProducer): WireWriter {
  return new WireWriter().string(transactionalId).int64(id).int16(epoch);
}
