// The transport over kafkajs 2.2.4: the only file that touches its private parts (`test/tidy.test.ts` sees to that). They are the connections of a
// `Broker`, its table of errors, its decoder of fetch responses, and the `Cluster` that it hands to every partition assigner.
import { createRequire } from 'node:module';
import type { Broker, Cluster, Kafka } from 'kafkajs';
import { type KafkaClientOptions, type KafkaConnection, kafkaClient } from './connection.ts';
import type { BrokerConnection, BrokerRequest, CoordinatorType, Transport } from './transport.ts';

const require = createRequire(import.meta.url);

const { createErrorFromCode } = require('kafkajs/src/protocol/error.js') as { createErrorFromCode(code: number): Error };
const fetchResponse = require('kafkajs/src/protocol/requests/fetch/v11/response.js') as {
  decode(bytes: Buffer): Promise<FetchResponse>;
  parse(response: FetchResponse): Promise<FetchResponse>;
};

/** The error that stands for a broker's code: with a `type` by name, and `retriable`. */
export function protocolError(code: number): Error {
  return createErrorFromCode(code);
}

/** The part of a fetch response, version 11, that we use. */
export interface FetchResponse<Partition = FetchedPartition> {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly Partition[];
  }[];
}

export interface FetchedPartition {
  readonly partition: number;
  readonly lastStableOffset: string;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** kafkajs leaves out batches without records: `batchEnds` sees them. */
  readonly messages: readonly Message[];
}

export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

export interface Message {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly isControlRecord: boolean;
  readonly batchContext: {
    readonly producerId: string;
    readonly inTransaction: boolean;
  };
}

/** Errors: those of brokers; `KafkaJSOffsetOutOfRange` has topic and partition. */
export async function readFetchResponse(bytes: Buffer): Promise<FetchResponse> {
  return fetchResponse.parse(await fetchResponse.decode(bytes));
}

/** Connects when it is used. Errors: `input.unreadable` for a file of `tls`. */
export function openTransport(connection: KafkaConnection, options: KafkaClientOptions): Transport {
  const cluster = clusterOf(kafkaClient(connection, options));
  return {
    connect: () => cluster.connect(),
    disconnect: () => cluster.disconnect(),
    addTopics: (topics) => cluster.addMultipleTargetTopics([...topics]),
    refresh: () => cluster.refreshMetadata(),
    refreshIfOld: () => cluster.refreshMetadataIfNecessary(),
    partitionCount: (topic) => cluster.findTopicPartitionMetadata(topic).length,
    leader(topic, partition) {
      try {
        return Object.keys(cluster.findLeaderForPartitions(topic, [partition]))[0] ?? null;
      } catch {
        return null;
      }
    },
    broker: async (node) => new KafkajsConnection(await cluster.findBroker({ nodeId: node })),
    anyBroker: async () => new KafkajsConnection(await cluster.findControllerBroker()),
    async coordinator(coordinatorType, groupId) {
      // kafkajs's types leave the type out.
      const request: { groupId: string; coordinatorType: CoordinatorType } = { groupId, coordinatorType };
      return new KafkajsConnection(await cluster.findGroupCoordinator(request));
    },
    forget(error) {
      const { name, host, port } = error as { name?: string; host?: string; port?: number };
      if (name === 'KafkaJSConnectionClosedError') cluster.removeBroker({ host: host!, port: port! });
    },
  };
}

/** kafkajs's view of the cluster, with connections of its own: a consumer that is made and never run gives it to us, and leaves no trace. */
function clusterOf(kafka: Kafka): Cluster {
  let cluster: Cluster | undefined;
  kafka.consumer({
    groupId: 'never joined',
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (given) => {
        cluster = given.cluster;
        return { name: 'none', version: 0, assign: async () => [], protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }) };
      },
    ],
  });
  return cluster!;
}

/** A request inside kafkajs: a `request` with an encoder's buffers, and a `response` that takes the bytes after the correlation id. */
interface Protocol<Response> {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    readonly expectResponse: () => boolean;
    readonly encode: () => Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>;
  };
  readonly response: { decode(bytes: Buffer): Promise<Received>; parse(received: Received): Promise<Response> };
  readonly requestTimeout: number | null;
  readonly logResponseError: boolean;
}

interface Received {
  readonly bytes: Buffer;
  readonly clientSideThrottleTime: number;
}

interface ConnectedBroker extends Broker {
  readonly connectionPool: { send<Response>(protocol: Protocol<Response>): Promise<Response> };
  disconnect(): Promise<void>;
}

class KafkajsConnection implements BrokerConnection {
  private readonly broker: ConnectedBroker;

  constructor(broker: Broker) {
    this.broker = broker as ConnectedBroker;
  }

  get isConnected(): boolean {
    return this.broker.isConnected();
  }

  async send<Response>(request: BrokerRequest<Response>): Promise<Response> {
    const { body, responseMsMax, beginsWithThrottle, warns, read, ...api } = request;
    try {
      return await this.broker.connectionPool.send<Response>({
        request: { ...api, expectResponse: () => true, encode: async () => ({ buf: body, buffer: body }) },
        response: {
          decode: async (bytes) => ({ bytes, clientSideThrottleTime: beginsWithThrottle ? bytes.readInt32BE(0) : 0 }),
          parse: async ({ bytes }) => read(bytes),
        },
        requestTimeout: responseMsMax ?? null,
        logResponseError: warns,
      });
    } catch (error) {
      if ((error as { name?: string }).name === 'KafkaJSConnectionClosedError') await this.broker.disconnect();
      throw error;
    }
  }
}
