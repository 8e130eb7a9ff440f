// Compares what the field table says of a value with what the fold does.
import { expect, test } from 'vitest';
import { type FieldGroup, KEPT_S, stateFields } from '../../schemas/aircraft-fields.ts';
import { lifetimeOf } from './accept.ts';
import { fieldByGroup, listedFields } from './state-fields.ts';

test('values live as long as the table says', () => {
  for (const { name, group, keptS } of stateFields)
    if (group !== undefined) expect([name, lifetimeOf(fieldByGroup[group as FieldGroup])]).toEqual([name, 1000 * (keptS ?? KEPT_S)]);
});

test('every name of the mlat and tisb lists has a field', () => {
  expect(listedFields.length).toBe(stateFields.filter(({ listed }) => listed !== undefined).length);
});
