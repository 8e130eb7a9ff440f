// The log and its codecs with a real Kafka and a real registry: one process reads what another writes.
import { expect, test } from 'vitest';
import { newestFrameMs } from '../../pipeline/ingest/log-time.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import { openConfluentRegistry } from '../../pipeline/log/kafka/confluent-registry.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { openCluster } from '../../pipeline/log/open-cluster.ts';
import { flightPlanSchema } from '../../schemas/avro/flight-plan.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

describeWithKafka('the cluster profile', () => {
  const brokers = sharedKafka();
  const registryUrl = sharedRegistry();

  test('a process reads values of another process, with their schemas', async () => {
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

  test('a newer service may write before the others are replaced: they fetch its schema with the first value', async () => {
    const kafka = { brokers: brokers(), clientId: 'test' };
    const namePrefix = 'newer.';
    await ensureTopics(kafka, { create: true, replicationFactor: 1, framePartitions: 1, namePrefix });
    const older = await openCluster({ kafka, registry: { url: registryUrl() }, namePrefix });
    const newer = { ...flightPlanSchema, fields: [...flightPlanSchema.fields, { name: 'gate', type: 'string', default: '' }] };
    const id = await openConfluentRegistry({ url: registryUrl() }).register('adsb.flightplans.v1-value', newer);
    const plan = { callsign: 'AB1', originIcao: 'LSZH', destinationIcao: 'EGLL', source: 'plan' as const, validFromMs: 1, validToMs: 2 };
    const head = Buffer.from([0, 0, 0, 0, 0]);
    head.writeUInt32BE(id, 1);
    const value = Buffer.concat([head, avroType(newer).toBuffer({ ...plan, gate: 'A12' })]);
    expect(() => older.codecs.FlightPlan.decode(value)).toThrowError(expect.objectContaining({ code: 'schema.unknown_id' }));
    const poison = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]);
    await older.log.append('flightplans', 0, [
      { key: 'poison', value: poison, timestampMs: 1 },
      { key: 'AB1', value, timestampMs: 1 },
    ]);
    const [first, second] = await readAll(older.log, whole('flightplans'));
    expect(older.codecs.FlightPlan.decode(second!.value!)).toEqual(plan);
    expect(() => older.codecs.FlightPlan.decode(first!.value!)).toThrowError(expect.objectContaining({ code: 'schema.unknown_id' }));
    await older.log.close();
  });

  test('an ingest finds the newest event time of a partition, although earlier times follow it', async () => {
    const kafka = { brokers: brokers(), clientId: 'test' };
    const namePrefix = 'times.';
    await ensureTopics(kafka, { create: true, replicationFactor: 1, framePartitions: 2, namePrefix });
    const { log } = await openCluster({ kafka, registry: { url: registryUrl() }, namePrefix });
    const nowMs = Date.now();
    expect(await newestFrameMs(log, 0, nowMs)).toBe(nowMs);
    for (const [aheadMs, newestAheadMs] of [
      [-1000, 0],
      [3_600_000, 3_600_000],
      [40, 3_600_000],
      [TEN_YEARS_MS, TEN_YEARS_MS],
      [80, TEN_YEARS_MS],
    ] as const) {
      await log.append('frames', 0, [{ key: null, value: Uint8Array.of(1), timestampMs: nowMs + aheadMs }]);
      const newestMs = await newestFrameMs(log, 0, nowMs);
      expect(newestMs - nowMs).toBeGreaterThanOrEqual(newestAheadMs);
      expect(newestMs - nowMs).toBeLessThanOrEqual(newestAheadMs + 50);
    }
    await log.close();
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
