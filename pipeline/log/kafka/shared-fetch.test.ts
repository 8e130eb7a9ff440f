// Waiting reads share the next fetch; a read that fails there is fetched alone.
import { expect, test } from 'vitest';
import { brokerThat, fetchAsked } from '../../../test/support/brokers.ts';
import type { KafkaRequests } from './requests.ts';
import { SharedFetch } from './shared-fetch.ts';

const message = {
  ...{ offset: '5', timestamp: '1', key: null, value: Buffer.from('x'), isControlRecord: false },
  batchContext: { producerId: '1', inTransaction: false },
};
const at = (partition: number, offset = 5) => ({ topic: 't', partition, offset });

/**
 * Shared fetches from a broker whose partitions have one record at offset 5 and end at 6. It refuses a fetch with an offset beyond the end, and gives
 * nothing of partition 9 together with others. The first turn fails when the broker is away.
 */
function stand(isAway = false) {
  const requested: string[] = [];
  const broker = brokerThat(async (request) => {
    const partitions = fetchAsked(request);
    requested.push(partitions.map(({ partition }) => partition).join());
    if (partitions.some(({ from }) => from > 6)) throw Object.assign(new Error('beyond'), { name: 'KafkaJSOffsetOutOfRange' });
    return {
      responses: partitions.map(({ topic, partition }) => {
        const isEmpty = partition === 9 && partitions.length > 1;
        const found = { partition, lastStableOffset: '6', abortedTransactions: [] };
        return { topicName: topic, partitions: [{ ...found, messages: isEmpty ? [] : [message], batchesEnd: isEmpty ? 0 : 6 }] };
      }),
    };
  });
  let turn: Promise<unknown> = isAway ? Promise.reject(new Error('away')) : new Promise((resolve) => setTimeout(resolve, 5));
  const inTurn: KafkaRequests['inTurn'] = (_, fetch) => {
    const own = turn.then(() => fetch(broker));
    turn = own.catch(() => undefined);
    return own;
  };
  const shared = new SharedFetch({ leader: () => '1', inTurn });
  const outcome = ([partition, offset]: [number, number?]): Promise<unknown> =>
    shared.fetch(at(partition, offset), 0).then(
      ({ nextOffset, records }) => [nextOffset, records.length],
      (error: Error) => error.message,
    );
  return { requested, outcome };
}

test.each<[string, [number, number?][], unknown[], string[]]>([
  ['share one fetch with each partition once', [[0], [1], [1], [2]], Array(4).fill([6, 1]), ['0,1,2', '1']],
  ['fail alone with an error that concerns one', [[0], [1, 9]], [[6, 1], 'beyond'], ['0,1', '0', '1']],
  ['are fetched alone if they got no records before their end', [[0], [9]], Array(2).fill([6, 1]), ['0,9', '9']],
])('waiting reads %s', async (_, reads, outcomes, requests) => {
  const { requested, outcome } = stand();
  expect(await Promise.all(reads.map(outcome))).toEqual(outcomes);
  expect(requested).toEqual(requests);
});

test('an unavailable broker fails all waiting reads, and later reads try again', async () => {
  const { outcome } = stand(true);
  expect(await Promise.all([outcome([0]), outcome([1])])).toEqual(['away', 'away']);
  expect(await outcome([0])).toEqual([6, 1]);
});
