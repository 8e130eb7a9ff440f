// Codecs over the local registry: wire format, round trips, other versions, bad bytes.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { feederRecord } from '../../schemas/avro/feeder-record.ts';
import { avroSchemas } from '../../schemas/avro/index.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { openCodecs } from './codec.ts';
import { openLocalRegistry } from './local-registry.ts';
import { type OpenData, openData } from './open-data.ts';
import type { SchemaRegistry } from './schema-registry.ts';

const folder = folderOfTest();
let data: OpenData;
beforeEach(async () => {
  data = await openData(folder.path, 'write');
});
afterEach(() => data.log.close());

const batch = { baseTimeUs: 1_700_000_000_123_456, receivers: ['a', 'bé'], count: 2, frames: Buffer.from('0123456789'.repeat(5)) };

test('a value is its schema id and its Avro body, and decodes to the original; other bytes and values are rejected', () => {
  const bytes = data.codecs.FrameBatch.encode(batch);
  expect([bytes[0], bytes.readUInt32BE(1) > 0]).toEqual([0, true]);
  expect({ ...data.codecs.FrameBatch.decode(bytes) }).toEqual(batch);
  const unknown = Buffer.from(bytes);
  unknown.writeUInt32BE(4711, 1);
  expect(() => data.codecs.FrameBatch.decode(unknown)).toThrow(expect.objectContaining({ code: 'schema.unknown_id' }));
  const malformed = expect.objectContaining({ code: 'schema.malformed_value' });
  const cut = Array.from(bytes, (_, length) => bytes.subarray(0, length));
  for (const wrong of [Buffer.concat([Buffer.from([1]), bytes.subarray(1)]), Buffer.concat([bytes, Buffer.from([0])]), ...cut])
    expect(() => data.codecs.FrameBatch.decode(wrong)).toThrow(malformed);
  expect(() => data.codecs.FrameBatch.encode({ ...batch, count: 'two' as unknown as number })).toThrow(malformed);
});

test('a compatible second version gets its own id, values of both are read; a breaking one is rejected', async () => {
  const registry = openLocalRegistry(data.log);
  const subject = 'adsb.feeders.v1-value';
  const schema = avroSchemas.FeederRecord as { fields: object[] };
  const old = data.codecs.FeederRecord.encode(feederRecord({ installation: { fingerprint: 'f' } }));
  expect(await registry.register(subject, schema)).toBe(old.readUInt32BE(1));
  const second = { ...schema, fields: [...schema.fields, { name: 'note', type: ['null', 'string'], default: null }] };
  const id = await registry.register(subject, second);
  expect(id).not.toBe(old.readUInt32BE(1));
  const written = Buffer.concat([
    Buffer.from([0, 0, 0, 0, id]),
    (await registry.schema(id)).toBuffer({ ...feederRecord({ installation: { fingerprint: 'g' } }), note: 'x' }),
  ]);
  expect(data.codecs.FeederRecord.decode(written)).toMatchObject({ installation: { fingerprint: 'g' } });
  const breaking = { ...schema, fields: [...schema.fields, { name: 'must', type: 'string' }] };
  await expect(registry.register(subject, breaking)).rejects.toMatchObject({ code: 'schema.incompatible' });
});

test('the body start is known only for values with the schema of this code', async () => {
  const { FrameBatch } = data.codecs;
  const bytes = FrameBatch.encode(batch);
  // bodyStart does not check the bytes after the head: the reader of the body does.
  expect([bytes, bytes.subarray(0, 5), bytes.subarray(0, 4), Buffer.alloc(9, 1)].map((value) => FrameBatch.bodyStart(value))).toEqual([
    5, 5, -1, -1,
  ]);
  const registry = openLocalRegistry(data.log);
  const schema = avroSchemas.FrameBatch as { fields: object[] };
  const note = { name: 'note', type: ['null', 'string'], default: null };
  const other = await registry.register('adsb.frames.v1-value', { ...schema, fields: [...schema.fields, note] });
  const ofOther = Buffer.concat([Buffer.from([0, 0, 0, 0, other]), (await registry.schema(other)).toBuffer({ ...batch, note: null })]);
  // An equal schema with another text has its own id, known after a value with it was decoded.
  const ofSame = Buffer.from(bytes);
  ofSame.writeUInt32BE(await registry.register('adsb.frames.v1-value', { ...schema, doc: 'in other words' }), 1);
  for (const [value, before, after] of [
    [ofOther, -1, -1],
    [ofSame, -1, 5],
  ] as const) {
    expect(FrameBatch.bodyStart(value)).toBe(before);
    expect({ ...FrameBatch.decode(value) }).toEqual(batch);
    expect(FrameBatch.bodyStart(value)).toBe(after);
  }
});

test('a read-only process uses registered schemas and registers none', async () => {
  const bytes = data.codecs.FrameBatch.encode(batch);
  const reader = await openData(folder.path, 'read');
  expect({ ...reader.codecs.FrameBatch.decode(bytes) }).toEqual(batch);
  expect(reader.codecs.FrameBatch.encode(batch)).toEqual(bytes);
  const emptyRegistry: SchemaRegistry = { ...openLocalRegistry(reader.log), find: async () => null, versions: async () => [] };
  const without = await openCodecs(emptyRegistry, false);
  expect(() => without.FrameBatch.encode(batch)).toThrow(expect.objectContaining({ code: 'schema.malformed_value' }));
  await reader.log.close();
});
