// Records written into reused memory equal what avsc writes for the same batches.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { AvroWriter } from '../avro/writer.ts';
import { type OpenData, openData } from '../log/open-data.ts';
import { frameRecords } from './frame-records.ts';

let path = '';
let data: OpenData;
beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), 'squitter-frame-records-'));
  data = await openData(path, 'write');
});
afterAll(async () => {
  await data.log.close();
  rmSync(path, { recursive: true, force: true });
});

const batch: fc.Arbitrary<FrameBatch> = fc.record({
  baseTimeUs: fc.integer({ min: 0, max: 2 ** 51 }),
  receivers: fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 70 }),
  count: fc.nat(),
  frames: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

test('batches are written as avsc writes them, into fresh and reused memory', () => {
  const { codecs } = data;
  const writer = new AvroWriter();
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 5 }), (batches) => {
      const records = frameRecords(codecs, batches, writer);
      expect(records.map(({ value }) => Buffer.from(value!).toString('hex'))).toEqual(
        batches.map((one) => codecs.FrameBatch.encode(one).toString('hex')),
      );
      expect(records.map(({ timestampMs }) => timestampMs)).toEqual(batches.map(({ baseTimeUs }) => Math.floor(baseTimeUs / 1000)));
    }),
  );
});
