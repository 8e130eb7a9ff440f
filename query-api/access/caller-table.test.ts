// The table of callers against a Map, and the size of all tables with a million rows.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { CallerTable } from './caller-table.ts';
import { Callers, SHARED_COLUMNS } from './callers.ts';

const action = fc.record({
  kind: fc.constantFrom('add', 'remove', 'change', 'takeChanges'),
  high: fc.nat(1),
  // Many meet in the index, also around its end.
  low: fc.oneof(fc.nat(20), fc.integer({ min: 0xffff_ffe0, max: 0xffff_ffff })),
});

function changesOf(table: CallerTable): Set<string> {
  const keys = new Set<string>();
  for (let row = table.nextChanged(0); row >= 0; row = table.nextChanged(row + 1)) keys.add(`${table.high(row)}/${table.low(row)}`);
  return keys;
}

it('is what a Map is, for any order of additions and removals', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 400 }), fc.constantFrom(1, 5, 1000), (actions, rowsMax) => {
      const table = new CallerTable(rowsMax, 2);
      /** By key the number of the action that added it; and the keys that changed. */
      const model = new Map<string, number>();
      const changed = new Set<string>();
      for (const [number, { kind, high, low }] of actions.entries()) {
        const key = `${high}/${low}`;
        const row = table.find(high, low);
        expect(row >= 0).toBe(model.has(key));
        if (kind === 'add' && row < 0) {
          const added = table.add(high, low);
          expect(added >= 0).toBe(model.size < table.rowsMax);
          if (added < 0) continue;
          expect([table.value(added, 0), table.value(added, 1), table.day(added)]).toEqual([0, 0, 0]);
          table.setValue(added, 1, number);
          table.setDay(added, number);
          model.set(key, number);
          changed.add(key);
        } else if (kind === 'remove' && row >= 0) {
          table.remove(row);
          model.delete(key);
          changed.delete(key);
        } else if (kind === 'change' && row >= 0) {
          table.markChanged(row);
          changed.add(key);
        } else if (kind === 'takeChanges') {
          expect(changesOf(table)).toEqual(changed);
          changed.clear();
        }
        expect(table.size).toBe(model.size);
      }
      for (const [key, number] of model) {
        const row = table.find(...(key.split('/').map(Number) as [number, number]));
        expect([table.isUsed(row), table.value(row, 1), table.day(row)]).toEqual([true, number, number]);
      }
    }),
  );
});

it.each([
  ['embedded', {}, 60e6],
  ['shared', { columns: SHARED_COLUMNS }, 76e6],
] as const)('%s, it needs little memory when it is empty, and a bounded one with a million addresses', (_, options, bytesMax) => {
  const callers = new Callers(options);
  expect(callers.stats().tableBytes).toBeLessThan(250_000);
  const nowMs = 1e12;
  const addressOf = (i: number): string => `address/${(Math.imul(i, 0x9e37_79b1) >>> 0).toString(16).padStart(16, '0')}`;
  for (let i = 0; i < limits.addressesKnownMax + 100_000; i += 1) callers.rowOf(addressOf(i), nowMs);
  expect(callers.stats()).toMatchObject({ addresses: limits.addressesKnownMax });
  expect(callers.stats().tableBytes).toBeLessThan(bytesMax);
});
