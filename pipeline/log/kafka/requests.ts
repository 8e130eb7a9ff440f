// Direct requests to brokers: offsets of partitions and groups, and fetches without a group.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topicIds } from '../../../schemas/topics.ts';
import { pause, pauseAfter, retrying } from '../../runtime/retry.ts';
import type { Bounds } from '../event-log.ts';
import { isTransient, kafkaCode, unreachable } from './failures.ts';
import type { KafkaNames } from './names.ts';
import { type BrokerConnection, type CoordinatorType, GROUP_COORDINATOR, type Transport } from './transport.ts';
import { committedRequest, END, listOffsetsRequest, type OffsetWanted, START, type TopicPartitionOffset } from './wire/read-requests.ts';

const NO_NODE = '-1';

export interface RequestsOptions {
  readonly transport: Transport;
  readonly names: KafkaNames;
  readonly brokers: readonly string[];
  readonly closing: AbortSignal;
}

interface EndWanted {
  readonly partitionName: { readonly topic: string; readonly partition: number };
  resolve(offset: number): void;
  reject(error: unknown): void;
}

export class KafkaRequests {
  readonly transport: Transport;
  private readonly names: KafkaNames;
  private readonly brokers: readonly string[];
  private readonly closing: AbortSignal;
  /** Number of partitions by topic when the log was opened; it is fixed. */
  private readonly partitionCounts = new Map<TopicId, number>();
  private readonly coordinators = new Map<string, BrokerConnection>();
  private endsWanted: EndWanted[] = [];
  private isAskingEnds = false;
  private refreshing: Promise<void> | null = null;
  private readonly fetchTurns = new Map<string, Promise<unknown>>();

  constructor({ transport, names, brokers, closing }: RequestsOptions) {
    this.transport = transport;
    this.names = names;
    this.brokers = brokers;
    this.closing = closing;
  }

  /** Connects and loads the metadata of the topics. Errors: `connect.failed`, `log.topics_missing`. */
  async open(): Promise<void> {
    await this.patiently(async () => {
      await this.transport.connect();
      // Some brokers do not know a topic yet that was just created.
      const deadline = performance.now() + limits.kafkaTopicKnownMsMax;
      for (let missing = await this.missingTopics(); missing.length > 0; missing = await this.missingTopics()) {
        if (performance.now() > deadline) throw new SquitterError('log.topics_missing', { topics: missing.join(', ') });
        await pause(limits.kafkaRetryMs);
      }
      for (const id of topicIds) this.partitionCounts.set(id, this.transport.partitionCount(this.names.topic(id)));
    });
  }

  /** Asks for one topic at a time: a response about several does not say which of them is missing. */
  private async missingTopics(): Promise<string[]> {
    const missing: string[] = [];
    for (const id of topicIds) {
      const topic = this.names.topic(id);
      await this.transport.addTopics([topic]).catch((error: unknown) => {
        if (kafkaCode(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
        missing.push(topic);
      });
    }
    return missing;
  }

  partitionCount(topic: TopicId): number {
    return this.partitionCounts.get(topic)!;
  }

  async bounds(topic: TopicId, partition: number): Promise<Bounds> {
    const [earliest, next] = await Promise.all([this.offsetAt(topic, partition, START), this.offsetAt(topic, partition, END)]);
    return { earliest, next };
  }

  /** End of the records that readers may see. Calls during a pending request share the next request. */
  end(topic: TopicId, partition: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.endsWanted.push({ partitionName: { topic: this.names.topic(topic), partition }, resolve, reject });
      if (!this.isAskingEnds) void this.askEnds();
    });
  }

  private async askEnds(): Promise<void> {
    this.isAskingEnds = true;
    // Yields once, so that further calls of this turn share the request.
    await null;
    while (this.endsWanted.length > 0) {
      const wanted = this.endsWanted;
      this.endsWanted = [];
      // A request may have a partition only once.
      const partitions = new Map(wanted.map(({ partitionName }) => [`${partitionName.topic} ${partitionName.partition}`, partitionName]));
      try {
        const ends = await this.ends([...partitions.values()]);
        const keys = [...partitions.keys()];
        for (const { partitionName, resolve } of wanted) resolve(ends[keys.indexOf(`${partitionName.topic} ${partitionName.partition}`)]!);
      } catch (error) {
        for (const { reject } of wanted) reject(error);
      }
    }
    this.isAskingEnds = false;
  }

  /** Ends of the records that readers may see, for several partitions. */
  async ends(partitions: readonly { readonly topic: string; readonly partition: number }[]): Promise<number[]> {
    const wanted = partitions.map(({ topic, partition }) => ({ topic, partition, timestampMs: END }));
    const found = await this.patiently(() => this.offsets(wanted));
    return partitions.map(({ topic, partition }) => found.find((one) => one.topic === topic && one.partition === partition)!.offset);
  }

  /** A group's next offset; null if it never committed. */
  committed(group: string, topic: TopicId, partition: number): Promise<number | null> {
    const name = this.names.group(group);
    return this.patiently(async () => {
      const coordinator = await this.coordinator(name, GROUP_COORDINATOR);
      return coordinator.send(committedRequest(name, this.names.topic(topic), partition));
    });
  }

  /** The broker that coordinates a group or the transactions of an id, connected. */
  async coordinator(id: string, type: CoordinatorType): Promise<BrokerConnection> {
    const key = `${type} ${id}`;
    const known = this.coordinators.get(key);
    if (known?.isConnected === true) return known;
    const found = await this.transport.coordinator(type, id);
    this.coordinators.set(key, found);
    return found;
  }

  /** Id of the node that leads a partition; an id that no node has if there is no leader. */
  leader(topic: string, partition: number): string {
    return this.transport.leader(topic, partition) ?? NO_NODE;
  }

  /**
   * Runs fetches of a node one after the other. A broker processes the requests of a connection in order anyway. If the first two fetches start at
   * the same time, kafkajs opens a second connection and loses it.
   */
  inTurn<T>(node: string, fetch: (broker: BrokerConnection) => Promise<T>): Promise<T> {
    const before = this.fetchTurns.get(node) ?? Promise.resolve();
    const turn = before.then(async () => fetch(await this.transport.broker(node)));
    this.fetchTurns.set(
      node,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** After an error: drops a closed connection, and looks up leaders and coordinators again. Never fails. */
  async recover(error: unknown): Promise<void> {
    this.coordinators.clear();
    this.transport.forget(error);
    // All requests of a broken connection fail together.
    this.refreshing ??= this.transport
      .refresh()
      .catch(() => undefined)
      .finally(() => {
        this.refreshing = null;
      });
    await this.refreshing;
  }

  /** Retries while brokers are unavailable, for at most `limits.kafkaRequestMsMax`. Errors: `connect.failed`, `log.closed`. */
  patiently<T>(request: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + limits.kafkaRequestMsMax;
    return retrying(request, async (error) => {
      if (this.closing.aborted) throw new SquitterError('log.closed', {}, error);
      if (!isTransient(error) || performance.now() > deadline) throw unreachable(this.brokers, error);
      await this.recover(error);
      return limits.kafkaRetryMs;
    });
  }

  /** Retries while brokers are unavailable, until the signal aborts or the log is closed. */
  persistently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return retrying(
      request,
      async (error, failures) => {
        if (signal.aborted || this.closing.aborted || !isTransient(error)) throw error;
        await this.recover(error);
        return pauseAfter(failures, limits.kafkaRetryMs, limits.kafkaRetryMsMax);
      },
      signal,
    );
  }

  /** First offset whose record has this timestamp or a later one; -1 if there is none. */
  offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number> {
    return this.patiently(async () => (await this.offsets([{ topic: this.names.topic(topic), partition, timestampMs }]))[0]!.offset);
  }

  /** Sends one request to each leader. */
  private async offsets(wanted: readonly OffsetWanted[]): Promise<TopicPartitionOffset[]> {
    const byNode = new Map<string, OffsetWanted[]>();
    for (const one of wanted) {
      const node = this.leader(one.topic, one.partition);
      byNode.set(node, [...(byNode.get(node) ?? []), one]);
    }
    const found = await Promise.all(
      [...byNode].map(async ([node, own]) => (await this.transport.broker(node)).send(listOffsetsRequest(own))),
    );
    return found.flat();
  }
}
