// When two values are the same.
import { expect, it } from 'vitest';
import { isSameValue, rulesByName, rulesInTurn, windValue } from './fields.ts';

it('a wind is one vector: the direction of a light one says little, that of a fast one much', () => {
  const isSame = (ours: readonly [number, number], theirs: readonly [number, number]): boolean =>
    isSameValue(rulesByName.get('wind')!, false, windValue(...ours)!, windValue(...theirs)!);
  expect(isSame([350, 3], [20, 4])).toBe(true);
  expect(isSame([359, 60], [1, 61])).toBe(true);
  expect(isSame([350, 60], [0, 60])).toBe(false);
  expect(isSame([350, 3], [350, 7])).toBe(false);
  expect(windValue(350, undefined)).toBeUndefined();
});

it('computed values come after those that they are computed from', () => {
  const turns = new Map(rulesInTurn.map(({ name }, turn) => [name, turn]));
  for (const { name, inputs = [] } of rulesInTurn)
    for (const input of inputs) expect([name, turns.get(input)! < turns.get(name)!]).toEqual([name, true]);
});
