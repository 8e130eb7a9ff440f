// The table of records: it finds, removes and grows like a plain map, and slots never move.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AircraftTable } from './aircraft-table.ts';
import { STRIDE_WORDS, W_KEY } from './layout.ts';

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
