// A pool has the newest text of each row, after any earlier ones.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { putWords } from './text.ts';
import { TextPool } from './text-pool.ts';

function textOf(pool: Pick<TextPool, 'words' | 'starts' | 'lengths'>, row: number): string {
  const bytes = Buffer.alloc(2000);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return bytes.toString('latin1', 0, putWords(view, 0, pool.words, pool.starts[row]!, pool.lengths[row]!));
}

test('a row has its newest text', () => {
  const ascii = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 40 }),
    fc.nat(1500).map((length) => 'x'.repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), ascii, fc.nat(9)), { maxLength: 200 }), fc.nat(5000), (puts, firstRow) => {
      const pool = new TextPool();
      const expected = new Map<number, string>();
      for (const [row, text, arranged] of puts) {
        pool.put(firstRow + row, text);
        expected.set(firstRow + row, text);
        // The newest first, and only some of them.
        const rows = Int32Array.from([...expected.keys()].reverse());
        if (arranged === 0) pool.arrange(rows, Math.ceil(rows.length / 2));
      }
      for (const [row, text] of expected) expect(textOf(pool, row)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('replacing texts for ever takes no more memory', () => {
  const pool = new TextPool();
  for (let i = 0; i < 200_000; i += 1) pool.put(i % 1000, 'x'.repeat(1 + (i % 97)));
  expect(pool.words.length).toBeLessThan(200_000);
  for (let row = 0; row < 1000; row += 1) expect(pool.lengths[row]).toBe(1 + ((199_000 + row) % 97));
});

test('the texts that a listing has copied stay as they were', () => {
  const pool = new TextPool();
  pool.put(0, 'before');
  const copied = { words: pool.words, starts: pool.starts.slice(), lengths: pool.lengths.slice() };
  for (let i = 0; i < 2000; i += 1) pool.put(0, `after ${i}`);
  pool.arrange(Int32Array.of(0), 1);
  expect(textOf(copied, 0)).toBe('before');
});
