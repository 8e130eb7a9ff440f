// The reader against the writer, and against malformed bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AvroReader } from './reader.ts';
import { AvroWriter } from './writer.ts';

const into = new Float64Array(1);

function readerOf(bytes: Uint8Array): AvroReader {
  const reader = new AvroReader();
  reader.start(bytes, 0);
  return reader;
}

function long(reader: AvroReader): number {
  reader.long(into, 0);
  return into[0]!;
}

describe('the Avro reader', () => {
  it('reads what the writer wrote, and rejects every truncation of it', () => {
    const exact = fc.oneof(
      fc.integer(),
      fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 }),
      fc.constantFrom(2 ** 52 - 1, 1 - 2 ** 52, 0),
    );
    fc.assert(
      fc.property(
        fc.integer(),
        exact,
        fc.boolean(),
        fc.option(fc.integer(), { nil: null }),
        fc.string(),
        (int, whole, truth, some, text) => {
          const writer = new AvroWriter();
          writer.int(int);
          writer.long(whole);
          writer.boolean(truth);
          writer.nullableInt(some);
          writer.string(text);
          writer.int(7);
          const read = (bytes: Uint8Array): unknown[] => {
            const reader = readerOf(bytes);
            const values: unknown[] = [reader.int(), long(reader), reader.boolean(), reader.isPresent() ? reader.int() : null];
            const length = reader.skip();
            values.push(Buffer.from(bytes.subarray(reader.at - length, reader.at)).toString(), reader.int());
            return reader.isWhole() ? values : [];
          };
          const bytes = writer.bytes.subarray(0, writer.length);
          expect(read(bytes)).toEqual([int, whole, truth, some, text, 7]);
          for (let length = 0; length < bytes.length; length += 1) expect(read(bytes.subarray(0, length))).toEqual([]);
          expect(read(Buffer.concat([bytes, Buffer.from([0])]))).toEqual([]);
        },
      ),
    );
  });

  const int = (reader: AvroReader): unknown => reader.int();
  const full = Array(7).fill(0xff);
  it.each<[string, (reader: AvroReader) => unknown, bytes: number[], expected: unknown]>([
    ['the least integer', int, [0xff, 0xff, 0xff, 0xff, 0x0f], -(2 ** 31)],
    ['the greatest integer', int, [0xfe, 0xff, 0xff, 0xff, 0x0f], 2 ** 31 - 1],
    ['an integer beyond', int, [0xff, 0xff, 0xff, 0xff, 0x1f], 'refused'],
    ['an integer of six bytes', int, [0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 'refused'],
    ['the least long', long, [...full, 0x0f], -(2 ** 52)],
    ['a long beyond', long, [...full, 0x1f], 'refused'],
    ['a long without end', long, Array(60).fill(0xff), 'refused'],
    ['a length past the end', (reader) => reader.skip(), [6, 1, 2], 'refused'],
    ['a length below zero', (reader) => reader.skip(), [1, 0], 'refused'],
  ])('accepts the ends of the ranges and nothing beyond: %s', (_, read, bytes, expected) => {
    const reader = readerOf(Uint8Array.from(bytes));
    const value = read(reader);
    expect(reader.isWhole() ? value : 'refused').toBe(expected);
  });

  it('accepts two byte values for booleans and branches, and returns nothing more once a read has failed', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const truth = readerOf(Uint8Array.of(byte));
      expect([truth.boolean(), truth.isWhole()]).toEqual([byte === 1, byte < 2]);
      const branch = readerOf(Uint8Array.of(byte));
      expect([branch.isPresent(), branch.isWhole()]).toEqual([byte === 2, byte === 0 || byte === 2]);
    }
    const reader = readerOf(Uint8Array.of(9, 2, 2, 2, 2));
    reader.boolean();
    expect([reader.int(), long(reader), reader.boolean(), reader.isPresent(), reader.skip()]).toEqual([0, 0, false, false, 0]);
    expect(reader.isWhole()).toBe(false);
  });
});
