// Tables as files: packed data are read unchanged, and damaged data are never accepted.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { CODE_CHARACTERS, codeKey, codeText } from './code-key.ts';
import { packTable, readTable, unpackTable } from './column-file.ts';
import { TableReader, TableWriter } from './columns.ts';

const folder = mkdtempSync(join(tmpdir(), 'squitter-table-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'some.table');

describe('a table', () => {
  it('is read unchanged', () => {
    const row = fc.record({
      key: fc.nat(),
      lat: fc.double({ noNaN: true }),
      name: fc.string({ unit: 'grapheme' }),
      shared: fc.constantFrom('', 'a', 'Å', 'ÅÅ'),
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const column = <Name extends keyof (typeof rows)[0]>(name: Name) => rows.map((each) => each[name]);
        const packed = new TableWriter('test', rows.length)
          .numbers('key', Uint32Array.from(column('key')))
          .numbers('lat', Float64Array.from(column('lat')))
          .texts('name', column('name'))
          .sharedTexts('shared', column('shared'))
          .pack();
        const reader = new TableReader(unpackTable(packed));
        const names = reader.texts('name');
        const shared = reader.sharedTexts('shared');
        const [keys, lats] = [reader.numbers('key', 'u32'), reader.numbers('lat', 'f64')];
        const back = rows.map((_, i) => ({ key: keys[i], lat: lats[i], name: names.at(i), shared: shared.at(i) }));
        expect(back).toEqual(rows);
      }),
    );
  });

  it('shares any number of texts', () => {
    for (const count of [1, 0x100, 0x101, 0x1_0000, 0x1_0001]) {
      const texts = Array.from({ length: count }, (_, i) => `text ${i}`);
      const shared = new TableReader(unpackTable(new TableWriter('test', count).sharedTexts('text', texts).pack())).sharedTexts('text');
      expect([0, count >> 1, count - 1].map((row) => shared.at(row))).toEqual([0, count >> 1, count - 1].map((row) => texts[row]));
    }
  });

  const table = packTable('test', 3, new Map([['key', Uint32Array.of(1, 2, 3)]]));
  const whole = Buffer.concat(table.pieces);

  it('is rejected with any byte changed, cut off, or of another kind', async () => {
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 0x40;
      writeFileSync(path, damaged);
      await expect(readTable(path, 'test'), `byte ${at}`).rejects.toMatchObject({ code: 'reference.damaged' });
    }
    for (const length of [0, 7, 47, 48, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      await expect(readTable(path, 'test'), `${length} bytes`).rejects.toMatchObject({ code: 'reference.damaged' });
    }
    writeFileSync(path, whole);
    expect([...(await readTable(path, 'test')).columns.get('key')!]).toEqual([1, 2, 3]);
    await expect(readTable(path, 'other')).rejects.toMatchObject({ code: 'reference.damaged' });
  });

  it('has the requested columns and types, or is rejected', () => {
    const reader = new TableReader(unpackTable(table));
    expect(() => reader.numbers('lat', 'f64')).toThrow(/column lat is missing/);
    expect(() => reader.numbers('key', 'f64')).toThrow(/wrong type or length/);
    expect(() => reader.numbers('key', 'u32', 4)).toThrow(/wrong type or length/);
  });
});

it('a code as a number is unique and converted back; other texts have none', () => {
  const code = fc.stringMatching(/^[A-Z0-9-]{1,10}$/);
  fc.assert(fc.property(code, (text) => codeText(codeKey(text)) === text && codeKey(text.toLowerCase()) === codeKey(text)));
  expect(Number.isSafeInteger(codeKey('-'.repeat(CODE_CHARACTERS)))).toBe(true);
  expect(codeKey('')).toBe(0);
  fc.assert(fc.property(fc.string(), (text) => (codeKey(text) === 0) === !/^[A-Za-z0-9-]{1,10}$/.test(text)));
});
