// The encoder of FORMAT Native: what it writes reads back as what was added.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ABSENT } from '../../schemas/absent.ts';
import { HistoryBatch } from './history-batch.ts';
import { NativeBlock } from './native-block.ts';
import { readBlocks } from './native-reader.ts';
import { nativeType } from './native-types.ts';
import type { Projection } from './projection.ts';

const wholeTypes = ['UInt8', 'Bool', 'UInt16', 'Int16', 'UInt32', 'Int32', 'DateTime', 'Int64', 'DateTime64(6)'];
const types = wholeTypes.flatMap((type) => [type, `Nullable(${type})`]);

const between = (min: number, max: number): fc.Arbitrary<number> => fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max, 0));

const columnOf = (type: string, rows: number) => {
  const { min, max, isNullable } = nativeType(type);
  const number = between(Math.max(min, -Number.MAX_SAFE_INTEGER), max).filter((value) => value !== ABSENT);
  const value = isNullable ? fc.option(number, { nil: null }) : number;
  return fc.array(value, { minLength: rows, maxLength: rows }).map((values) => ({ type, values }));
};

const table = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 }))
  .chain(([rows, chosen]) => fc.tuple(fc.constant(rows), fc.tuple(...chosen.map((type) => columnOf(type, rows)))));

const decoded = (block: NativeBlock) => readBlocks(Buffer.concat(block.pieces()));

it('reads back as written, for every type and the ends of its range', () => {
  fc.assert(
    fc.property(table, fc.integer({ min: 0, max: 3 }), ([rows, columns], before) => {
      const block = new NativeBlock(columns.map(({ type }) => ({ name: `c ${type}`, type })));
      const stride = columns.length + 1;
      const numbers = new Float64Array(before + stride * rows);
      for (const [c, { values }] of columns.entries())
        for (const [row, value] of values.entries()) numbers[before + row * stride + c] = value ?? ABSENT;
      // Twice: a cleared block has nothing left of its last content.
      for (let round = 0; round < 2; round += 1) {
        columns.forEach(({ type }, c) => {
          block.column(`c ${type}`).addNumbers(numbers, before + c, stride, rows);
        });
        expect(decoded(block)).toEqual([{ rows, columns: columns.map(({ type, values }) => ({ name: `c ${type}`, type, values })) }]);
        block.clear();
      }
    }),
    { numRuns: 300 },
  );
});

it('writes texts, also of thousands of bytes, and texts of few values as plain ones', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ minLength: 200, maxLength: 3000 }));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      const block = new NativeBlock(['LowCardinality(String)', 'Nullable(String)'].map((type) => ({ name: type, type })));
      for (const value of [...texts, null]) for (const column of block.columns) column.add(value);
      // Lone surrogates become the replacement character.
      const written = texts.map((value) => Buffer.from(value).toString());
      expect(decoded(block)[0]!.columns.map(({ type, values }) => [type, values])).toEqual([
        ['String', [...written, '']],
        ['Nullable(String)', [...written, null]],
      ]);
    }),
    { numRuns: 100 },
  );
});

it('stores numbers out of range as the nearest end; refuses types that it does not know', () => {
  const block = new NativeBlock([{ name: 'a', type: 'Int16' }]);
  block.column('a').addNumbers(new Float64Array([40_000, -40_000, 5, Number.NaN, 1e9]), 0, 1, 5);
  expect(decoded(block)[0]!.columns[0]!.values).toEqual([32_767, -32_768, 5, -32_768, 32_767]);
  expect(() => nativeType('Array(UInt8)')).toThrow('Array(UInt8)');
});

it('a batch uses its block again while blocks are large, and gives the memory back after the first small one', () => {
  const column = { name: 'a', type: 'UInt8' };
  const add = (block: NativeBlock): boolean => block.columns[0]!.addSame(1, rows) === undefined;
  const batch = new HistoryBatch({ columns: [column], add } as unknown as Projection);
  let rows = 0;
  const blocks = [50_000, 50_000, 2500, 2500, 50_000].map((next, offset) => {
    rows = next;
    batch.begin(offset);
    batch.add({ add } as unknown as Projection, 0, { offset, timestampMs: 1, key: null, value: null });
    expect(batch.block.rows).toBe(next);
    return batch.block;
  });
  expect(blocks.map((block) => blocks.indexOf(block))).toEqual([0, 0, 0, 3, 3]);
});
