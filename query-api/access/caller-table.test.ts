// The table of callers against a Map, and the size of all tables with a million rows.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { CallerTable } from './caller-table.ts';
import { Callers, SHARED_COLUMNS } from './callers.ts';

interface Action {
  readonly kind: 'add' | 'remove' | 'change' | 'take';
  readonly high: number;
  readonly low: number;
}

const anyAction = fc.record({
  kind: fc.constantFrom('add' as const, 'remove' as const, 'change' as const, 'take' as const),
  high: fc.nat(1),
  // Many meet in the index, also around its end.
  low: fc.oneof(fc.nat(20), fc.integer({ min: 0xffff_ffe0, max: 0xffff_ffff })),
});

/** A table beside a Map of the number of the action that added each row. */
class Compared {
  readonly #table: CallerTable;
  readonly #model = new Map<string, number>();
  readonly #changed = new Set<string>();

  constructor(rowsMax: number) {
    this.#table = new CallerTable(rowsMax, 2);
  }

  act({ kind, high, low }: Action, number: number): void {
    const row = this.#table.find(high, low);
    if (kind === 'take') this.#take();
    else if (kind === 'add' && row < 0) this.#add(high, low, number);
    else if (kind !== 'add' && row >= 0) this.#changeOrRemove(kind, row, `${high}/${low}`);
  }

  #add(high: number, low: number, number: number): void {
    const row = this.#table.add(high, low);
    expect(row >= 0).toBe(this.#model.size < this.#table.rowsMax);
    if (row < 0) return;
    expect([this.#table.value(row, 0), this.#table.value(row, 1), this.#table.day(row)]).toEqual([0, 0, 0]);
    this.#table.setValue(row, 1, number);
    this.#table.setDay(row, number);
    this.#model.set(`${high}/${low}`, number);
    this.#changed.add(`${high}/${low}`);
  }

  #changeOrRemove(kind: 'change' | 'remove', row: number, key: string): void {
    if (kind === 'change') {
      this.#table.markChanged(row);
      this.#changed.add(key);
      return;
    }
    this.#table.remove(row);
    this.#model.delete(key);
    this.#changed.delete(key);
  }

  #take(): void {
    const taken = new Set<string>();
    for (let row = this.#table.nextChanged(0); row >= 0; row = this.#table.nextChanged(row + 1))
      taken.add(`${this.#table.high(row)}/${this.#table.low(row)}`);
    expect(taken).toEqual(this.#changed);
    this.#changed.clear();
  }

  check({ high, low }: Action): void {
    expect(this.#table.size).toBe(this.#model.size);
    expect(this.#table.find(high, low) >= 0).toBe(this.#model.has(`${high}/${low}`));
    for (const [key, number] of this.#model) {
      const row = this.#table.find(...(key.split('/').map(Number) as [number, number]));
      expect([this.#table.isUsed(row), this.#table.value(row, 1), this.#table.day(row)]).toEqual([true, number, number]);
    }
  }
}

it('is what a Map is, for any order of additions and removals', () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 400 }), fc.constantFrom(1, 5, 1000), (actions, rowsMax) => {
      const compared = new Compared(rowsMax);
      for (const [i, action] of actions.entries()) {
        compared.act(action, i);
        compared.check(action);
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
  const feeder = callers.rowOf('feeder/0000000000000001', nowMs);
  for (let i = 0; i < limits.addressesKnownMax + 100_000; i += 1) callers.rowOf(addressOf(i), nowMs);
  expect(callers.stats()).toMatchObject({ addresses: limits.addressesKnownMax, feeders: 1 });
  expect(callers.stats().tableBytes).toBeLessThan(bytesMax);
  // The first are still known, those beyond the bound share rows, and feeders are apart.
  for (const i of [0, 1, limits.addressesKnownMax - 1]) expect(callers.nameOf(callers.rowOf(addressOf(i), nowMs))).toBe(addressOf(i));
  expect(callers.nameOf(callers.rowOf(addressOf(limits.addressesKnownMax), nowMs))).toMatch(/^sharing\/\d+$/);
  expect(callers.rowOf('feeder/0000000000000001', nowMs)).toBe(feeder);
  callers.dropUnseen(nowMs + limits.trialAgainMs, Number.POSITIVE_INFINITY);
  expect(callers.stats()).toMatchObject({ addresses: 0, feeders: 0 });
});
