// The table of records: it finds, removes and grows like a plain map, and slots never move.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AircraftTable } from './aircraft-table.ts';
import { NEVER, STRIDE_WORDS, TIMES, W_KEY, W_MESSAGES } from './layout.ts';

test('behaves like a map from keys to fixed slots', () => {
  const operations = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 60 })), { maxLength: 400 });
  fc.assert(
    fc.property(operations, (steps) => {
      const table = new AircraftTable();
      const slots = new Map<number, number>();
      for (const [add, number] of steps) {
        // Keys that collide in the low bits of the hash, and neighbours.
        const key = number % 2 === 0 ? number * 4096 : number;
        const slot = slots.get(key);
        expect(table.find(key)).toBe(slot ?? -1);
        if (add && slot === undefined) slots.set(key, table.add(key));
        else if (!add && slot !== undefined) {
          table.remove(slot);
          slots.delete(key);
        }
      }
      expect(table.count).toBe(slots.size);
      for (const [key, slot] of slots) {
        expect(table.find(key)).toBe(slot);
        expect(table.words[slot * STRIDE_WORDS + W_KEY]).toBe(key);
      }
    }),
  );
});

test('grows with its content, and a reused slot is empty', () => {
  const table = new AircraftTable();
  for (let key = 1; key <= 3000; key += 1) {
    const slot = table.add(key);
    table.words[slot * STRIDE_WORDS + W_MESSAGES] = key;
  }
  for (let key = 1; key <= 3000; key += 1) expect(table.words[table.find(key) * STRIDE_WORDS + W_MESSAGES]).toBe(key);
  const slot = table.find(77);
  table.remove(slot);
  expect(table.add(9999)).toBe(slot);
  expect(table.words[slot * STRIDE_WORDS + W_MESSAGES]).toBe(0);
  expect(table.words[slot * STRIDE_WORDS + TIMES]).toBe(NEVER);
});

test('refuses more aircraft than its limit', () => {
  const table = new AircraftTable(3);
  expect([1, 2, 3, 4].map((key) => table.add(key))).toEqual([0, 1, 2, -1]);
  table.remove(1);
  expect(table.add(4)).toBe(1);
});

test('moves times with the time base, and never past NEVER', () => {
  const table = new AircraftTable();
  const at = table.add(1) * STRIDE_WORDS;
  table.words[at + TIMES] = 5000;
  table.shiftTimes(7000);
  expect(table.words[at + TIMES]).toBe(-2000);
  expect(table.words[at + TIMES + 2]).toBe(NEVER);
});
