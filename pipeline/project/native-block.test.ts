// The encoder of FORMAT Native: what it writes reads back as what was added.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NativeBlock } from './native-block.ts';
import { readBlocks } from './native-reader.ts';
import { nativeType } from './native-types.ts';

const ABSENT = -(2 ** 40);
const wholeTypes = ['UInt8', 'Int8', 'Bool', 'UInt16', 'Int16', 'Date', 'UInt32', 'Int32', 'DateTime', 'UInt64', 'Int64', 'DateTime64(6)'];
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

describe('a native block', () => {
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
            block.column(`c ${type}`).addNumbers(numbers, before + c, stride, rows, ABSENT);
          });
          expect(decoded(block)).toEqual([{ rows, columns: columns.map(({ type, values }) => ({ name: `c ${type}`, type, values })) }]);
          expect(block.clamped).toBe(0);
          block.clear();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('writes texts, also of thousands of bytes, and texts of few values as plain ones', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ minLength: 200, maxLength: 3000 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.option(text, { nil: null })), { maxLength: 30 }), (rows) => {
        const block = new NativeBlock([
          { name: 'a', type: 'LowCardinality(String)' },
          { name: 'b', type: 'Nullable(String)' },
        ]);
        for (const [a, b] of rows) {
          block.column('a').add(a);
          block.column('b').add(b);
        }
        const [first] = decoded(block);
        // Lone surrogates become the replacement character.
        const written = (value: string | null) => value && Buffer.from(value).toString();
        expect(first!.columns.map(({ type }) => type)).toEqual(['String', 'Nullable(String)']);
        expect(first!.columns[0]!.values).toEqual(rows.map(([a]) => written(a)));
        expect(first!.columns[1]!.values).toEqual(rows.map(([, b]) => written(b)));
      }),
      { numRuns: 100 },
    );
  });

  it('stores numbers out of range as the nearest end, and counts them; keeps fractions in floats; refuses types that it does not know', () => {
    const block = new NativeBlock(['Int16', 'Float32', 'Nullable(Float64)'].map((type) => ({ name: type, type })));
    block.column('Int16').addNumbers(new Float64Array([40_000, -40_000, 5, Number.NaN, 1e9]), 0, 1, 5, ABSENT);
    for (const value of [0.5, -2.25, null, 1, 2]) for (const column of block.columns.slice(1)) column.add(value);
    expect(decoded(block)[0]!.columns.map(({ values }) => values)).toEqual([
      [32_767, -32_768, 5, -32_768, 32_767],
      [0.5, -2.25, 0, 1, 2],
      [0.5, -2.25, null, 1, 2],
    ]);
    expect(block.clamped).toBe(4);
    expect(() => nativeType('Array(UInt8)')).toThrow('Array(UInt8)');
  });
});
