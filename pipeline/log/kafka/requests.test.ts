// Requests for ends of partitions at the same time share one request; opening waits for topics that were just created.
import { expect, test } from 'vitest';
import { brokerThat, type OffsetAsked, offsetsAsked } from '../../../test/support/kafka-requests.ts';
import { KafkaNames } from './names.ts';
import { KafkaRequests } from './requests.ts';
import type { Transport } from './transport.ts';

function requestsOver(response: (asked: OffsetAsked[]) => Promise<unknown>): KafkaRequests {
  const broker = brokerThat((request) => response(offsetsAsked(request)));
  const transport: Partial<Transport> = {
    leader: () => '1',
    broker: async () => broker,
    forget: () => undefined,
    refresh: async () => undefined,
  };
  return new KafkaRequests({
    transport: transport as Transport,
    names: new KafkaNames(''),
    brokers: ['here:1'],
    closing: new AbortController().signal,
  });
}
/** Each partition ends at a hundred times its number. */
const ends = (asked: OffsetAsked[]) => asked.map(({ topic, partition }) => ({ topic, partition, offset: 100 * partition }));

test('calls in one turn, or during a pending request, share one request with each partition once', async () => {
  const asked: number[][] = [];
  let respondNow = (): void => {};
  const requests = requestsOver(async (partitions) => {
    asked.push(partitions.map(({ partition }) => partition));
    await new Promise<void>((resolve) => {
      respondNow = resolve;
    });
    return ends(partitions);
  });
  const first = [1, 2, 1].map((partition) => requests.end('aircraft', partition));
  await expect.poll(() => asked.length).toBe(1);
  const later = [2, 3].map((partition) => requests.end('aircraft', partition));
  respondNow();
  expect(await Promise.all(first)).toEqual([100, 200, 100]);
  await expect.poll(() => asked.length).toBe(2);
  respondNow();
  expect(await Promise.all(later)).toEqual([200, 300]);
  expect(asked).toEqual([
    [1, 2],
    [2, 3],
  ]);
});

test('a topic that a broker does not know yet, because it was just created, is waited for', async () => {
  const asked: string[] = [];
  const transport: Partial<Transport> = {
    connect: async () => undefined,
    partitionCount: () => 4,
    addTopics: async ([topic]) => {
      asked.push(topic!);
      const isKnown = topic !== 'adsb.frames.v1' || asked.filter((name) => name === topic).length > 3;
      if (!isKnown) throw Object.assign(new Error('unknown'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' });
    },
  };
  const requests = new KafkaRequests({
    transport: transport as Transport,
    names: new KafkaNames(''),
    brokers: ['here:1'],
    closing: new AbortController().signal,
  });
  await requests.open();
  expect(asked.filter((name) => name === 'adsb.frames.v1')).toHaveLength(4);
  expect(requests.partitionCount('frames')).toBe(4);
});
