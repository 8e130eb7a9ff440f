// Reads share fetches: reads that arrive during a fetch wait, and the next fetch brings a piece for each of them. A broker processes the requests of
// a connection one after the other, so followers of all partitions share one long poll, and a view reads a tick's records of all partitions at once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../../schemas/limits/index.ts';
import { isTransient } from './failures.ts';
import { type Fetched, fetchAlone, fetchPartitions } from './fetch.ts';
import type { KafkaRequests } from './requests.ts';
import type { BrokerConnection } from './transport.ts';
import type { TopicPartitionOffset } from './wire/read-requests.ts';

interface Waiting {
  readonly from: TopicPartitionOffset;
  readonly waitMs: number;
  resolve(fetched: Fetched): void;
  reject(error: unknown): void;
}

export class SharedFetch {
  /** Partitions of the followers. Some of them may be processing a piece when the others fetch. */
  readonly followed = new Set<Omit<TopicPartitionOffset, 'offset'>>();
  readonly requests: Pick<KafkaRequests, 'inTurn' | 'leader'>;
  /** Waiting reads by node. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(requests: Pick<KafkaRequests, 'inTurn' | 'leader'>) {
    this.requests = requests;
  }

  /** Fetches records of a partition. `waitMs` is how long the broker may wait for new ones, if no other read needs it sooner. Errors: those of kafkajs. */
  fetch(from: TopicPartitionOffset, waitMs: number): Promise<Fetched> {
    const node = this.leaderOf(from);
    return new Promise((resolve, reject) => {
      const one = { from, waitMs, resolve, reject };
      const others = this.waiting.get(node);
      if (others !== undefined) {
        others.push(one);
        return;
      }
      this.waiting.set(node, [one]);
      this.next(node);
    });
  }

  /** Fetches for all waiting reads when its turn comes. */
  private next(node: string): void {
    let reads: Waiting[] = [];
    const turn = this.requests.inTurn(node, async (broker) => {
      // The readers of the last fetch ask for their next pieces meanwhile.
      await nextTurn();
      reads = this.nextReads(node);
      await fetchShared(broker, reads, this.waitMs(node, reads));
    });
    turn.catch((error: unknown) => {
      // If the broker was not found, no read has been taken yet.
      const lost = reads.length > 0 ? reads : this.nextReads(node);
      for (const { reject } of lost) reject(error);
    });
  }

  /** Takes the reads of one fetch, each partition once; the others wait for the next. */
  private nextReads(node: string): Waiting[] {
    const reads = new Map<string, Waiting>();
    const left: Waiting[] = [];
    const partitionsMax = Math.max(limits.kafkaFetchPartitionsMax, this.followed.size);
    for (const one of this.waiting.get(node) ?? []) {
      const key = `${one.from.topic} ${one.from.partition}`;
      if (reads.size < partitionsMax && !reads.has(key)) reads.set(key, one);
      else left.push(one);
    }
    if (left.length === 0) {
      this.waiting.delete(node);
    } else {
      this.waiting.set(node, left);
      this.next(node);
    }
    return [...reads.values()];
  }

  /** While some followers are busy, a long wait for an idle partition must not delay them when they are ready again. */
  private waitMs(node: string, reads: readonly Waiting[]): number {
    const led = [...this.followed].filter((followed) => this.leaderOf(followed) === node).length;
    const wanted = Math.min(...reads.map(({ waitMs }) => waitMs));
    return reads.length < led ? Math.min(wanted, limits.kafkaFetchBusyWaitMs) : wanted;
  }

  private leaderOf({ topic, partition }: Omit<TopicPartitionOffset, 'offset'>): string {
    return this.requests.leader(topic, partition);
  }
}

/**
 * Runs one fetch for all reads. A partition is fetched alone if the fetch is refused because of one partition, or returns no records of a partition that has some.
 * A retriable error fails all waiting reads; each then looks up the leader again.
 */
async function fetchShared(broker: BrokerConnection, reads: readonly Waiting[], waitMs: number): Promise<void> {
  const isAlone = reads.length === 1;
  const responses = isAlone ? [] : await fetchAll(broker, reads, waitMs);
  for (const { from, resolve, reject } of reads) {
    const fetched = responses.find(({ topic, partition }) => topic === from.topic && partition === from.partition);
    const isUsable = fetched !== undefined && (fetched.nextOffset > from.offset || from.offset >= fetched.stableEnd);
    if (isUsable) resolve(fetched);
    else await fetchAlone(broker, from, isAlone ? waitMs : 0).then(resolve, reject);
  }
}

async function fetchAll(broker: BrokerConnection, reads: readonly Waiting[], waitMs: number): Promise<Fetched[]> {
  const partitions = reads.map(({ from }) => from);
  try {
    return await fetchPartitions(broker, partitions, waitMs);
  } catch (error) {
    if (isTransient(error)) throw error;
    return [];
  }
}
