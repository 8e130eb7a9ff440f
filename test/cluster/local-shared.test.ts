// Shared services: each suite gets an empty broker that no other suite holds.
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { until } from '../support/until.ts';

describeWithKafka('shared services', () => {
  // The suites of this file run in turn: the second gets the broker of the first, without its topics.
  const seen: string[][] = [];
  for (const turn of ['first', 'second']) {
    describe(`the ${turn} suite`, () => {
      const kafka = sharedKafka();
      const registry = sharedRegistry();

      it('has an empty broker and leaves a topic', async () => {
        const admin = new Kafka({ brokers: kafka(), clientId: 'shared-test', logLevel: logLevel.NOTHING }).admin();
        await admin.connect();
        expect((await admin.listTopics()).filter((topic) => !topic.startsWith('__'))).toEqual([]);
        // Not for its leader: a busy broker may not know the topic yet when it is asked.
        await admin.createTopics({ topics: [{ topic: 'left', numPartitions: 1 }], waitForLeaders: false });
        // The end of the suite deletes the topics that the broker lists.
        await until(async () => (await admin.listTopics()).includes('left'));
        await admin.disconnect();
        seen.push(kafka());
      });

      it('has a registry', async () => {
        expect((await fetch(`${registry()}/subjects`)).status).toBe(200);
      });
    });
  }

  it('are used again', () => {
    expect(seen[1]).toEqual(seen[0]);
  });
});
