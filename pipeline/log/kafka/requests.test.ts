// Opening waits for topics that were just created.
import { expect, test } from 'vitest';
import { KafkaNames } from './names.ts';
import { KafkaRequests } from './requests.ts';
import type { Transport } from './transport.ts';

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
