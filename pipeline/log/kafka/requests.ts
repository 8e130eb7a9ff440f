// Requests straight to brokers: offsets of partitions and groups, and fetches without a group. kafkajs has no consumer without one,
// but hands its typed `Cluster` to every partition assigner: a consumer that is made and never run gives it to us, and leaves no trace.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, Cluster, Kafka } from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topicIds } from '../../../schemas/topics.ts';
import type { Bounds } from '../event-log.ts';
import { isPassing, kafkaCode, unreachable } from './failures.ts';
import type { KafkaNames } from './names.ts';

/** kafkajs's view of the cluster, with connections of its own; reads see committed records only. */
export function clusterOf(kafka: Kafka): Cluster {
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

const NO_NODE = '-1';

/** What a coordinator coordinates, as Kafka numbers it. */
export const GROUP_COORDINATOR = 0;
export const TRANSACTION_COORDINATOR = 1;
type CoordinatorType = typeof GROUP_COORDINATOR | typeof TRANSACTION_COORDINATOR;

export interface RequestsOptions {
  readonly cluster: Cluster;
  readonly names: KafkaNames;
  readonly brokers: readonly string[];
  readonly closing: AbortSignal;
}

interface EndWanted {
  readonly place: { readonly topic: string; readonly partition: number };
  resolve(offset: number): void;
  reject(error: unknown): void;
}

export class KafkaRequests {
  readonly cluster: Cluster;
  private readonly names: KafkaNames;
  private readonly brokers: readonly string[];
  private readonly closing: AbortSignal;
  /** Number of partitions by topic, as it was when the log was opened: it is fixed. */
  private readonly partitionCounts = new Map<TopicId, number>();
  private readonly coordinators = new Map<string, Broker>();
  private endsWanted: EndWanted[] = [];
  private isAskingEnds = false;
  private readonly fetchTurns = new Map<string, Promise<unknown>>();

  constructor({ cluster, names, brokers, closing }: RequestsOptions) {
    this.cluster = cluster;
    this.names = names;
    this.brokers = brokers;
    this.closing = closing;
  }

  /** Connects and learns the topics. Errors: `connect.failed`, `log.topics_missing`. */
  async open(): Promise<void> {
    await this.patiently(async () => {
      await this.cluster.connect();
      // One by one: an answer about several topics does not say which of them is missing.
      const missing: string[] = [];
      for (const id of topicIds) {
        const topic = this.names.topic(id);
        await this.cluster.addTargetTopic(topic).catch((error: unknown) => {
          if (kafkaCode(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
          missing.push(topic);
        });
      }
      if (missing.length > 0) throw new SquitterError('log.topics_missing', { topics: missing.join(', ') });
      for (const id of topicIds) this.partitionCounts.set(id, this.cluster.findTopicPartitionMetadata(this.names.topic(id)).length);
    });
  }

  partitionCount(topic: TopicId): number {
    return this.partitionCounts.get(topic)!;
  }

  async bounds(topic: TopicId, partition: number): Promise<Bounds> {
    const [earliest, next] = await Promise.all([
      this.offset(topic, partition, { fromBeginning: true }),
      this.offset(topic, partition, { fromBeginning: false }),
    ]);
    return { earliest, next };
  }

  /** What readers may see of a partition ends here. Those that are asked for while a request is under way share the next one. */
  end(topic: TopicId, partition: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.endsWanted.push({ place: { topic: this.names.topic(topic), partition }, resolve, reject });
      if (!this.isAskingEnds) void this.askEnds();
    });
  }

  private async askEnds(): Promise<void> {
    this.isAskingEnds = true;
    // Leaves the caller's turn first: who else asks in it is in the same request.
    await null;
    while (this.endsWanted.length > 0) {
      const wanted = this.endsWanted;
      this.endsWanted = [];
      // A request names a partition once.
      const places = new Map(wanted.map(({ place }) => [`${place.topic} ${place.partition}`, place]));
      try {
        const ends = await this.ends([...places.values()]);
        const keys = [...places.keys()];
        for (const { place, resolve } of wanted) resolve(ends[keys.indexOf(`${place.topic} ${place.partition}`)]!);
      } catch (error) {
        for (const { reject } of wanted) reject(error);
      }
    }
    this.isAskingEnds = false;
  }

  /** What readers may see of some partitions ends here. */
  async ends(places: readonly { readonly topic: string; readonly partition: number }[]): Promise<number[]> {
    const byTopic = new Map<string, { partition: number }[]>();
    for (const { topic, partition } of places) byTopic.set(topic, [...(byTopic.get(topic) ?? []), { partition }]);
    const asked = [...byTopic].map(([topic, partitions]) => ({ topic, partitions, fromBeginning: false }));
    const answers = await this.patiently(() => this.cluster.fetchTopicsOffset(asked));
    return places.map(({ topic, partition }) => {
      const { partitions } = answers.find((answer) => answer.topic === topic)!;
      return Number(partitions.find((found) => found.partition === partition)!.offset);
    });
  }

  /** First offset whose record has this timestamp or a later one; -1 when there is none. */
  offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number> {
    return this.offset(topic, partition, { fromTimestamp: timestampMs });
  }

  /** A group's next offset; null when it never committed. */
  committed(group: string, topic: TopicId, partition: number): Promise<number | null> {
    const groupId = this.names.group(group);
    const topics = [{ topic: this.names.topic(topic), partitions: [{ partition, offset: '-1' }] }];
    return this.patiently(async () => {
      const coordinator = await this.coordinator(groupId, GROUP_COORDINATOR);
      const { responses } = await coordinator.offsetFetch({ groupId, topics });
      const offset = Number(responses[0]!.partitions[0]!.offset);
      return offset < 0 ? null : offset;
    });
  }

  /** The broker that coordinates a group or the transactions of an id, connected. */
  async coordinator(id: string, coordinatorType: CoordinatorType): Promise<Broker> {
    const key = `${coordinatorType} ${id}`;
    const known = this.coordinators.get(key);
    if (known?.isConnected() === true) return known;
    // kafkajs's types leave the type out.
    const asked: { groupId: string; coordinatorType: CoordinatorType } = { groupId: id, coordinatorType };
    const found = await this.cluster.findGroupCoordinator(asked);
    this.coordinators.set(key, found);
    return found;
  }

  /** Id of the node that leads a partition; one that is never found while there is none. */
  leader(topic: string, partition: number): string {
    try {
      return Object.keys(this.cluster.findLeaderForPartitions(topic, [partition]))[0] ?? NO_NODE;
    } catch {
      return NO_NODE;
    }
  }

  /**
   * Runs fetches of a node one after the other. A broker answers the requests of a connection in order anyway, and kafkajs opens a second
   * connection, and loses it, where two fetches are the first ones at the same time.
   */
  inTurn<T>(node: string, fetch: (broker: Broker) => Promise<T>): Promise<T> {
    const before = this.fetchTurns.get(node) ?? Promise.resolve();
    const turn = before.then(async () => fetch(await this.cluster.findBroker({ nodeId: node })));
    this.fetchTurns.set(
      node,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** After an error: forgets a closed connection, learns who leads and who coordinates now. Never fails. */
  async recover(error: unknown): Promise<void> {
    const { name, host, port } = error as { name?: string; host?: string; port?: number };
    this.coordinators.clear();
    if (name === 'KafkaJSConnectionClosedError') this.cluster.removeBroker({ host: host!, port: port! });
    await this.cluster.refreshMetadata().catch(() => undefined);
  }

  /** Tries again while brokers are away, for `limits.kafkaRequestMsMax` at most. Errors: `connect.failed`, `log.closed`. */
  async patiently<T>(request: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + limits.kafkaRequestMsMax;
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (this.closing.aborted) throw new SquitterError('log.closed', {}, error);
        if (!isPassing(error) || performance.now() > deadline) throw unreachable(this.brokers, error);
        await this.recover(error);
        await sleep(limits.kafkaRetryMs);
      }
    }
  }

  private offset(topic: TopicId, partition: number, from: { fromBeginning: boolean } | { fromTimestamp: number }): Promise<number> {
    return this.patiently(async () => {
      const [answer] = await this.cluster.fetchTopicsOffset([{ topic: this.names.topic(topic), partitions: [{ partition }], ...from }]);
      return Number(answer!.partitions[0]!.offset);
    });
  }
}
