// The log and its codecs on real Kafka and a real registry: what one process writes another reads.
import { expect, test } from 'vitest';
import { openConfluentRegistry } from '../../pipeline/log/kafka/confluent-registry.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { openCluster } from '../../pipeline/log/open-cluster.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { readAll, whole } from './event-log-support.ts';

describeWithKafka('the cluster profile', () => {
  const brokers = sharedKafka();
  const registryUrl = sharedRegistry();

  test('a process reads what another wrote, schemas and all', async () => {
    const kafka = { brokers: brokers(), clientId: 'test' };
    await ensureTopics(kafka, { create: true, replicationFactor: 1, framePartitions: 12 });
    const registry = { url: registryUrl() };
    const writer = await openCluster({ kafka, registry });
    const reader = await openCluster({ kafka, registry, mode: 'read' });
    expect(reader.log.partitions('frames')).toBe(12);
    const plan = { callsign: 'AB1', originIcao: 'LSZH', destinationIcao: 'EGLL', source: 'plan' as const, validFromMs: 1, validToMs: 2 };
    const value = writer.codecs.FlightPlan.encode(plan);
    await writer.log.append('flightplans', 0, [{ key: 'AB1', value, timestampMs: Date.now() }]);
    const [record] = await readAll(reader.log, whole('flightplans'));
    expect(reader.codecs.FlightPlan.decode(record!.value!)).toEqual(plan);
    await Promise.all([writer.log.close(), reader.log.close()]);
  });

  test('processes that start together register one schema once', async () => {
    const schema = { type: 'record', name: 'Together', fields: [{ name: 'a', type: 'int' }] };
    for (let round = 0; round < 5; round += 1) {
      const processes = Array.from({ length: 6 }, () => openConfluentRegistry({ url: registryUrl() }));
      const ids = await Promise.all(processes.map((process) => process.register(`together-${round}-value`, schema)));
      expect(new Set(ids).size).toBe(1);
      expect(await processes[0]!.versions(`together-${round}-value`)).toEqual([ids[0]]);
    }
  });
});
