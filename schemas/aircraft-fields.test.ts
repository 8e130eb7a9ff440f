// The field table agrees with itself: numbers, names, scales and groups.
import { expect, test } from 'vitest';
import { type AircraftField, aircraftFields, fieldNames, memberFields, stateFields } from './aircraft-fields.ts';

const rows: readonly AircraftField[] = aircraftFields;

test('numbers count from 0 without a gap, and names are used once', () => {
  expect(stateFields.map(({ number }) => number)).toEqual(stateFields.map((_, i) => i));
  for (const names of [stateFields.map(({ name }) => name), memberFields.map(({ member }) => member), fieldNames])
    expect(new Set(names).size).toBe(names.length);
});

test('a row of the state has a name and a type; a row without both state and member has none', () => {
  for (const row of rows) {
    expect([row.number, row.name, row.type].filter((value) => value !== undefined)).toHaveLength(row.number === undefined ? 0 : 3);
    expect(row.number ?? row.member).toBeDefined();
  }
});

test('the end of a name says the scale', () => {
  const scales: readonly [RegExp, number][] = [
    [/Deci/, 1],
    [/Centideg/, 2],
    [/Milli$/, 3],
    [/Microdeg$/, 6],
  ];
  for (const { name, decimals } of stateFields) {
    const scale = scales.find(([ending]) => ending.test(name))?.[1];
    expect([name, decimals]).toEqual([name, scale]);
  }
});

test('masks of the mlat and tisb lists have 32 bits', () => {
  expect(fieldNames.length).toBeLessThanOrEqual(32);
});

test('a description is one sentence', () => {
  expect(rows.filter(({ about }) => !/^[A-Z][^.]*(\.\d[^.]*)?\.$/.test(about)).map(({ about }) => about)).toEqual([]);
});
