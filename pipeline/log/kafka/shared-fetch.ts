// Bounded reads of several partitions share fetches: while one is under way others wait, and the next one brings a piece of each of them. A view
// reads what a tick gave of all its partitions at a time, and a broker takes the requests of a connection one after the other.
import { limits } from '../../../schemas/limits.ts';
import { isPassing } from './failures.ts';
import { type Fetched, fetchAlone, fetchPlaces, type Place } from './fetch.ts';
import type { BrokerConnection } from './transport.ts';

/** Runs fetches of a node one after the other. */
export type FetchTurn = <T>(node: string, fetch: (broker: BrokerConnection) => Promise<T>) => Promise<T>;

interface Waiting {
  readonly place: Place;
  resolve(fetched: Fetched): void;
  reject(error: unknown): void;
}

export class SharedFetch {
  private readonly inTurn: FetchTurn;
  /** By node. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(inTurn: FetchTurn) {
    this.inTurn = inTurn;
  }

  /** What is there now of a partition, as `fetchAlone` gives it. Errors: those of kafkajs. */
  fetch(node: string, place: Place): Promise<Fetched> {
    return new Promise((resolve, reject) => {
      const one = { place, resolve, reject };
      const others = this.waiting.get(node);
      if (others !== undefined) {
        others.push(one);
        return;
      }
      this.waiting.set(node, [one]);
      this.next(node);
    });
  }

  /** Takes what waits when its turn comes. */
  private next(node: string): void {
    let taken: Waiting[] = [];
    const turn = this.inTurn(node, async (broker) => {
      taken = this.take(node);
      await fetchShared(broker, taken);
    });
    turn.catch((error: unknown) => {
      // Where the broker was not found nothing is taken yet.
      const lost = taken.length > 0 ? taken : this.take(node);
      for (const { reject } of lost) reject(error);
    });
  }

  /** Those of one fetch, each partition once; the others are the next. */
  private take(node: string): Waiting[] {
    const taken = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const one of this.waiting.get(node) ?? []) {
      const key = `${one.place.topic} ${one.place.partition}`;
      if (taken.size < limits.kafkaFetchPlacesMax && !taken.has(key)) taken.set(key, one);
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
 * One fetch for all; where it is refused for one of them, or shows nothing of a partition that has something, that partition is fetched alone.
 * An error that passes is everybody's: whoever waits looks again who leads.
 */
async function fetchShared(broker: BrokerConnection, taken: readonly Waiting[]): Promise<void> {
  const answers = taken.length === 1 ? [] : await fetchAll(broker, taken);
  for (const { place, resolve, reject } of taken) {
    const fetched = answers.find(({ topic, partition }) => topic === place.topic && partition === place.partition);
    const isTold = fetched !== undefined && (fetched.nextOffset > place.offset || place.offset >= fetched.stableEnd);
    if (isTold) resolve(fetched);
    else await fetchAlone(broker, place, 0).then(resolve, reject);
  }
}

async function fetchAll(broker: BrokerConnection, taken: readonly Waiting[]): Promise<Fetched[]> {
  const places = taken.map(({ place }) => place);
  try {
    return await fetchPlaces(broker, places, 0);
  } catch (error) {
    if (isPassing(error)) throw error;
    return [];
  }
}
