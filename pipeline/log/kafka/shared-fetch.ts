// Bounded reads of several partitions share fetches: reads that arrive during a fetch wait, and the next fetch brings a piece for each of them.
// A view reads a tick's records of all partitions at once, and a broker processes the requests of a connection one after the other.
import { limits } from '../../../schemas/limits.ts';
import { isPassing } from './failures.ts';
import { type Fetched, fetchAlone, fetchPartitions, type TopicPartitionOffset } from './fetch.ts';
import type { BrokerConnection } from './transport.ts';

/** Runs fetches of a node one after the other. */
export type FetchTurn = <T>(node: string, fetch: (broker: BrokerConnection) => Promise<T>) => Promise<T>;

interface Waiting {
  readonly from: TopicPartitionOffset;
  resolve(fetched: Fetched): void;
  reject(error: unknown): void;
}

export class SharedFetch {
  private readonly inTurn: FetchTurn;
  /** Waiting reads by node. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(inTurn: FetchTurn) {
    this.inTurn = inTurn;
  }

  /** Fetches the available records of a partition, like `fetchAlone` without a wait. Errors: those of kafkajs. */
  fetch(node: string, from: TopicPartitionOffset): Promise<Fetched> {
    return new Promise((resolve, reject) => {
      const one = { from, resolve, reject };
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
    let taken: Waiting[] = [];
    const turn = this.inTurn(node, async (broker) => {
      taken = this.take(node);
      await fetchShared(broker, taken);
    });
    turn.catch((error: unknown) => {
      // If the broker was not found, no read has been taken yet.
      const lost = taken.length > 0 ? taken : this.take(node);
      for (const { reject } of lost) reject(error);
    });
  }

  /** Takes the reads of one fetch, each partition once; the others wait for the next. */
  private take(node: string): Waiting[] {
    const taken = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const one of this.waiting.get(node) ?? []) {
      const key = `${one.from.topic} ${one.from.partition}`;
      if (taken.size < limits.kafkaFetchPartitionsMax && !taken.has(key)) taken.set(key, one);
      else left.push(one);
    }
    if (left.length === 0) {
      this.waiting.delete(node);
    } else {
      this.waiting.set(node, left);
      this.next(node);
    }
    return [...taken.values()];
  }
}

/**
 * Runs one fetch for all reads. A partition is fetched alone if the fetch is refused because of one partition, or returns nothing of a partition that has records.
 * A retriable error fails all waiting reads; each then looks up the leader again.
 */
async function fetchShared(broker: BrokerConnection, taken: readonly Waiting[]): Promise<void> {
  const responses = taken.length === 1 ? [] : await fetchAll(broker, taken);
  for (const { from, resolve, reject } of taken) {
    const fetched = responses.find(({ topic, partition }) => topic === from.topic && partition === from.partition);
    const isUsable = fetched !== undefined && (fetched.nextOffset > from.offset || from.offset >= fetched.stableEnd);
    if (isUsable) resolve(fetched);
    else await fetchAlone(broker, from, 0).then(resolve, reject);
  }
}

async function fetchAll(broker: BrokerConnection, taken: readonly Waiting[]): Promise<Fetched[]> {
  const partitions = taken.map(({ from }) => from);
  try {
    return await fetchPartitions(broker, partitions, 0);
  } catch (error) {
    if (isPassing(error)) throw error;
    return [];
  }
}
