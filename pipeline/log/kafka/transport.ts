// All that the log needs of a Kafka client library: connections that log in, metadata of topics and nodes, and a way to send requests by API key
// and version. Requests and responses are ours (`wire/`). Another library replaces `kafkajs-transport.ts` and nothing else.

/** One request, and what its response means. */
export interface BrokerRequest<Response> {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly apiName: string;
  /** The request behind the client id of its header. */
  readonly body: Buffer;
  /** How long the response may take, where the broker may hold it back for longer than the transport waits. */
  readonly responseMsMax?: number;
  /** The response begins with the time, int32 ms, in which the broker wants nothing more from us (KIP-219). */
  readonly beginsWithThrottle: boolean;
  /** An error in the response is also a warning in the log. */
  readonly warns: boolean;
  /** Reads what follows the correlation id. Throws brokers' errors, see `protocolError`. */
  read(bytes: Buffer): Response | Promise<Response>;
}

/** A broker that was reached and has taken our login. */
export interface BrokerConnection {
  readonly isConnected: boolean;
  /** Errors: brokers' own; those of a lost connection or a late response, which `isPassing` knows. */
  send<Response>(request: BrokerRequest<Response>): Promise<Response>;
}

/** Kinds of coordinators, by Kafka's numbers. */
export const GROUP_COORDINATOR = 0;
export const TRANSACTION_COORDINATOR = 1;
export type CoordinatorType = typeof GROUP_COORDINATOR | typeof TRANSACTION_COORDINATOR;

/** Connections to the brokers of one cluster, one or two to each. */
export interface Transport {
  /** Connects to one of the brokers and logs in. */
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** Adds topics to those whose metadata is kept. Error: UNKNOWN_TOPIC_OR_PARTITION, which does not say which. */
  addTopics(topics: readonly string[]): Promise<void>;
  /** Asks for the metadata of the topics anew. */
  refresh(): Promise<void>;
  /** Like `refresh`, if the metadata is missing or old. */
  refreshIfOld(): Promise<void>;
  /** Number of partitions of a topic that was added. */
  partitionCount(topic: string): number;
  /** Id of the node that leads a partition, by the metadata of the moment; null where it has none. */
  leader(topic: string, partition: number): string | null;
  /** A node by its id. Looks for new metadata where it is not known or not reached, and fails then. */
  broker(node: string): Promise<BrokerConnection>;
  /** Any broker will do. */
  anyBroker(): Promise<BrokerConnection>;
  coordinator(type: CoordinatorType, id: string): Promise<BrokerConnection>;
  /** Forgets the connection that an error was about, if it was about one that is closed. */
  forget(error: unknown): void;
}
