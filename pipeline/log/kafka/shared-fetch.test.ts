// Waiting reads share the next fetch; a read that fails there is fetched alone.
import { expect, test } from 'vitest';
import { brokerThat, fetchAsked } from '../../../test/support/kafka-requests.ts';
import type { KafkaRequests } from './requests.ts';
import { SharedFetch } from './shared-fetch.ts';
import type { BrokerConnection } from './transport.ts';

/** A broker whose partitions have one record at offset 5 and end at 6. It refuses a fetch with an offset beyond the end. */
function brokerOf(requested: string[][], emptyWith: (partition: number) => boolean = () => false): BrokerConnection {
  return brokerThat(async (request) => {
    const partitions = fetchAsked(request);
    requested.push(partitions.map(({ topic, partition }) => `${topic}/${partition}`));
    const beyond = partitions.find(({ from }) => from > 6);
    if (beyond !== undefined) throw Object.assign(new Error('beyond'), { name: 'KafkaJSOffsetOutOfRange' });
    return {
      responses: partitions.map(({ topic, partition }) => ({
        topicName: topic,
        partitions: [
          {
            partition,
            lastStableOffset: '6',
            abortedTransactions: [],
            ...(partitions.length > 1 && emptyWith(partition) ? { messages: [], batchesEnd: 0 } : { messages: [message()], batchesEnd: 6 }),
          },
        ],
      })),
    };
  });
}

const message = () => ({
  offset: '5',
  timestamp: '1',
  key: null,
  value: Buffer.from('x'),
  isControlRecord: false,
  batchContext: { producerId: '1', inTransaction: false },
});
const at = (partition: number, offset = 5) => ({ topic: 't', partition, offset });

function sharedOver(broker: BrokerConnection): { shared: SharedFetch; goOn: () => void } {
  let goOn = (): void => {};
  let turn: Promise<unknown> = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const inTurn: KafkaRequests['inTurn'] = (_, fetch) => {
    const own = turn.then(() => fetch(broker));
    turn = own.catch(() => undefined);
    return own;
  };
  const shared = new SharedFetch({ leader: () => '1', inTurn });
  return { shared, goOn };
}

test('waiting reads share one fetch with each partition once', async () => {
  const requested: string[][] = [];
  const { shared, goOn } = sharedOver(brokerOf(requested));
  const reads = [0, 1, 1, 2].map((partition) => shared.fetch(at(partition), 0));
  goOn();
  const fetched = await Promise.all(reads);
  expect(fetched.map(({ partition, nextOffset, records }) => [partition, nextOffset, records.length])).toEqual([
    [0, 6, 1],
    [1, 6, 1],
    [1, 6, 1],
    [2, 6, 1],
  ]);
  expect(requested).toEqual([['t/0', 't/1', 't/2'], ['t/1']]);
  await shared.fetch(at(3), 0);
  expect(requested.length).toBe(3);
});

test('an error fails only the read that it concerns', async () => {
  const requested: string[][] = [];
  const { shared, goOn } = sharedOver(brokerOf(requested));
  const good = shared.fetch(at(0), 0);
  const bad = expect(shared.fetch(at(1, 9), 0)).rejects.toThrow('beyond');
  goOn();
  expect((await good).nextOffset).toBe(6);
  await bad;
});

test('a partition without records in a shared fetch, before its end, is fetched alone', async () => {
  const requested: string[][] = [];
  const { shared, goOn } = sharedOver(brokerOf(requested, (partition) => partition === 1));
  const reads = [0, 1].map((partition) => shared.fetch(at(partition), 0));
  goOn();
  expect((await Promise.all(reads)).map(({ records }) => records.length)).toEqual([1, 1]);
  expect(requested).toEqual([['t/0', 't/1'], ['t/1']]);
});

test('an unavailable broker fails all waiting reads, and later reads try again', async () => {
  let isAway = true;
  const inTurn: KafkaRequests['inTurn'] = async (_, fetch) => {
    await null;
    if (isAway) throw new Error('away');
    return fetch(brokerOf([]));
  };
  const shared = new SharedFetch({ leader: () => '1', inTurn });
  const reads = [0, 1].map((partition) => expect(shared.fetch(at(partition), 0)).rejects.toThrow('away'));
  await Promise.all(reads);
  isAway = false;
  expect((await shared.fetch(at(0), 0)).nextOffset).toBe(6);
});
