// Ends of partitions that are asked for at the same time are one request.
import type { Cluster } from 'kafkajs';
import { expect, test } from 'vitest';
import { KafkaNames } from './names.ts';
import { KafkaRequests } from './requests.ts';

interface Asked {
  topic: string;
  partitions: { partition: number }[];
}

function requestsOver(answer: (asked: Asked[]) => Promise<unknown>): KafkaRequests {
  const cluster = { fetchTopicsOffset: answer, refreshMetadata: async () => undefined } as unknown as Cluster;
  return new KafkaRequests({ cluster, names: new KafkaNames(''), brokers: ['here:1'], closing: new AbortController().signal });
}
/** Each partition ends at a hundred times its number. */
const ends = (asked: Asked[]) =>
  asked.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map(({ partition }) => ({ partition, offset: String(100 * partition) })),
  }));

test('ends that are asked for in a turn, or while a request is under way, share one, which names a partition once', async () => {
  const asked: number[][] = [];
  let answerNow = (): void => {};
  const requests = requestsOver(async (places) => {
    asked.push(places.flatMap(({ partitions }) => partitions.map(({ partition }) => partition)));
    await new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    return ends(places);
  });
  const first = [1, 2, 1].map((partition) => requests.end('aircraft', partition));
  await expect.poll(() => asked.length).toBe(1);
  const later = [2, 3].map((partition) => requests.end('aircraft', partition));
  answerNow();
  expect(await Promise.all(first)).toEqual([100, 200, 100]);
  await expect.poll(() => asked.length).toBe(2);
  answerNow();
  expect(await Promise.all(later)).toEqual([200, 300]);
  expect(asked).toEqual([
    [1, 2],
    [2, 3],
  ]);
});

test('an error is told to all who asked, and the next ones are asked for anew', async () => {
  let isWrong = true;
  const requests = requestsOver(async (places) => {
    if (isWrong) throw new Error('wrong');
    return ends(places);
  });
  const failed = [1, 2].map((partition) => expect(requests.end('aircraft', partition)).rejects.toThrow('wrong'));
  await Promise.all(failed);
  isWrong = false;
  expect(await requests.end('aircraft', 4)).toBe(400);
});
