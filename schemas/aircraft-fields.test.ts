// The field table agrees with itself: numbers, names, scales and groups.
import { expect, test } from 'vitest';
import { type AircraftField, aircraftFields, fieldNames, memberFields, stateFields } from './aircraft-fields.ts';

const rows: readonly AircraftField[] = aircraftFields;

test('numbers count from 0 without a gap; names are used once; a row of the state has a name and a type, and masks of the lists have 32 bits', () => {
  expect(stateFields.map(({ number }) => number)).toEqual(stateFields.map((_, i) => i));
  for (const names of [stateFields.map(({ name }) => name), memberFields.map(({ member }) => member), fieldNames])
    expect(new Set(names).size).toBe(names.length);
  for (const row of rows) {
    expect([row.number, row.name, row.type].filter((value) => value !== undefined)).toHaveLength(row.number === undefined ? 0 : 3);
    expect(row.number ?? row.member).toBeDefined();
  }
  expect(fieldNames.length).toBeLessThanOrEqual(32);
});

test('the end of a name says the scale, and a description is one sentence', () => {
  const scales: readonly [RegExp, number][] = [
    [/Deci/, 1],
    [/Centideg/, 2],
    [/Milli$/, 3],
    [/Microdeg$/, 6],
  ];
  for (const { name, decimals } of stateFields) expect([name, decimals]).toEqual([name, scales.find(([ending]) => ending.test(name))?.[1]]);
  expect(rows.filter(({ about }) => !/^[A-Z][^.]*(\.\d[^.]*)?\.$/.test(about)).map(({ about }) => about)).toEqual([]);
});
