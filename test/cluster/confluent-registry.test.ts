// The cluster's schema registry against a real one: the same bytes as the embedded profile, incompatible schemas are refused, known schemas need no request,
// and services of two versions read each other's values.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SchemaRegistry as ConfluentClient } from '@kafkajs/confluent-schema-registry';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { avroType } from '../../pipeline/log/avro.ts';
import { openCodecs } from '../../pipeline/log/codec.ts';
import { ConfluentRegistry } from '../../pipeline/log/kafka/confluent-registry.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { openCluster } from '../../pipeline/log/open-cluster.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import type { SchemaRegistry } from '../../pipeline/log/schema-registry.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { flightPlanSchema } from '../../schemas/avro/flight-plan.ts';
import { avroSchemas } from '../../schemas/avro/index.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { aircraftStates } from '../support/aircraft-states.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { freePort } from '../support/service.ts';

const FIRST = { type: 'record', name: 'Thing', namespace: 'test', fields: [{ name: 'a', type: 'int' }] };
const SECOND = { ...FIRST, fields: [...FIRST.fields, { name: 'b', type: 'string', default: '' }] };
const PLAN = { callsign: 'AB1', originIcao: 'LSZH', destinationIcao: 'EGLL', source: 'plan' as const, validFromMs: 1, validToMs: 2 };
const BREAKING = { ...FIRST, fields: [{ name: 'c', type: 'long' }] };

describeWithKafka('the Confluent registry', () => {
  const brokers = sharedKafka();
  const url = sharedRegistry();
  const open = (options: object = {}): SchemaRegistry => new ConfluentRegistry({ url: url(), ...options });
  const newSubject = (): string => `test-${Math.random().toString(36).slice(2)}-value`;

  test('each schema gets one id, which other clients find; subjects have separate ids', async () => {
    const subject = newSubject();
    const registry = open();
    expect(await registry.find(subject, FIRST)).toBeNull();
    expect(await registry.versions(subject)).toEqual([]);
    // Processes that start together.
    const ids = await Promise.all(Array.from({ length: 6 }, () => open().register(subject, FIRST)));
    expect(new Set(ids).size).toBe(1);
    const id = await registry.register(subject, FIRST);
    expect(id).toBe(ids[0]);
    const other = open();
    expect(await other.find(subject, FIRST)).toBe(id);
    expect(await other.find(subject, SECOND)).toBeNull();
    const second = await other.register(subject, SECOND);
    expect(second).not.toBe(id);
    expect(await registry.versions(subject)).toEqual([id, second]);
  });

  test('a change that breaks readers or writers is refused, although the registry allows everything', async () => {
    const subject = newSubject();
    const registry = open();
    await registry.register(subject, FIRST);
    const level = await (await fetch(`${url()}/config/${subject}`)).json();
    expect(level).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
    await expect(registry.register(subject, BREAKING)).rejects.toMatchObject({ code: 'schema.incompatible' });
    await registry.register(subject, SECOND);
    await expect(open().register(subject, BREAKING)).rejects.toMatchObject({ code: 'schema.incompatible', retriable: false });
  });

  test('values have the bytes of the embedded profile, except for the id', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'squitter-registry-'));
    const { log, codecs: local } = await openData(folder, 'write');
    const cluster = await openCodecs(open());
    const [state] = fc.sample(aircraftStates, { numRuns: 1, seed: 1 }) as [AircraftState];
    const [here, there] = [local.AircraftState.encode(state), cluster.AircraftState.encode(state)];
    expect(there[0]).toBe(0);
    expect(there.subarray(5).equals(here.subarray(5))).toBe(true);
    expect(there.readUInt32BE(1)).toBe(await open().find('adsb.aircraft.v1-value', avroSchemas.AircraftState));
    expect(cluster.AircraftState.decode(there)).toEqual(local.AircraftState.decode(here));
    // Other programs read them by the same rules.
    expect(await new ConfluentClient({ host: url() }).decode(there)).toMatchObject({ hex: state.hex, messages: state.messages });
    await log.close();
    rmSync(folder, { recursive: true });
  });

  test('a newer service may write before the others are replaced: they fetch its schema with the first value', async () => {
    const kafka = { brokers: brokers(), clientId: 'test' };
    const namePrefix = 'newer.';
    await ensureTopics(kafka, { create: true, replicationFactor: 1, framePartitions: 1, namePrefix });
    const older = await openCluster({ kafka, registry: { url: url() }, namePrefix });
    const newer = { ...flightPlanSchema, fields: [...flightPlanSchema.fields, { name: 'gate', type: 'string', default: '' }] };
    const id = await open().register('adsb.flightplans.v1-value', newer);
    const head = Buffer.from([0, 0, 0, 0, 0]);
    head.writeUInt32BE(id, 1);
    const value = Buffer.concat([head, avroType(newer).toBuffer({ ...PLAN, gate: 'A12' })]);
    expect(() => older.codecs.FlightPlan.decode(value)).toThrowError(expect.objectContaining({ code: 'schema.unknown_id' }));
    await older.log.append('flightplans', 0, [{ key: 'AB1', value, timestampMs: 1 }]);
    const [read] = await readAll(older.log, whole('flightplans'));
    expect(older.codecs.FlightPlan.decode(read!.value!)).toEqual(PLAN);
    const poison = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]);
    expect(() => older.codecs.FlightPlan.decode(poison)).toThrowError(expect.objectContaining({ code: 'schema.unknown_id' }));
    await older.log.close();
  });

  test('a registry that is down at the start is retried, then gives one error without a password in it', async () => {
    const secret = { url: 'http://user:hunter2@127.0.0.1:9', username: 'user', password: 'hunter2', waitMs: 700 };
    const failure = await openCodecs(new ConfluentRegistry(secret)).catch((error: Error & { code: string }) => error);
    expect(failure).toMatchObject({ code: 'schema.registry_failed', retriable: true });
    expect(String(failure)).toContain('http://127.0.0.1:9/');
    expect(String(failure)).not.toContain('hunter2');
  });

  test('a registry that comes up during the start suffices, even if it goes down afterwards', async () => {
    const [{ hostname, port, pathname }, later] = [new URL(url()), await freePort()];
    const opening = openCodecs(new ConfluentRegistry({ url: `http://127.0.0.1:${later}${pathname}`, waitMs: 200_000 }));
    await sleep(500);
    const sockets: Socket[] = [];
    const registry = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.pipe(connect(Number(port), hostname)).pipe(socket);
    }).listen(later, '127.0.0.1');
    const codecs = await opening;
    registry.close();
    for (const socket of sockets) socket.destroy();
    const bytes = codecs.FlightPlan.encode(PLAN);
    expect(codecs.FlightPlan.decode(bytes)).toEqual(PLAN);
  });
});
