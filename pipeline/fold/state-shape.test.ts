// States as objects are cheap: they share one shape. Built by computed names, each had a shape of its own, and `stateOf` took ninety times as long.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { put } from './accept.ts';
import { F_ALTITUDE_BARO, F_SQUAWK, F_TRACK } from './layout.ts';
import { stateOf } from './state.ts';

setFlagsFromString('--allow-natives-syntax');
setFlagsFromString('--expose-gc');
const hasSameShape = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (one: object, other: object) => boolean;
const gc = runInNewContext('gc') as () => void;

/** States of an aircraft with values and of one without, in turns. */
function states(count: number): AircraftState[] {
  const [heard, silent] = [benchAircraft().aircraft, benchAircraft(0x4ca1fa).aircraft];
  for (const field of [F_ALTITUDE_BARO, F_SQUAWK, F_TRACK]) put(hear(heard, 1000), field, 1234);
  return Array.from({ length: count }, (_, i) => stateOf(i % 2 === 0 ? heard : silent, 2000, 0));
}

/** Number of different shapes (V8's hidden classes). */
function shapesOf(objects: readonly object[]): number {
  const found: object[] = [];
  for (const object of objects) if (!found.some((other) => hasSameShape(object, other))) found.push(object);
  return found.length;
}

test('states share their shape, and so do their copies', () => {
  const made = states(100);
  // V8 starts with a new shape when a value of a new kind comes: null, an integer, a text.
  expect(shapesOf(made)).toBeLessThan(5);
  expect(shapesOf(made.map((state) => ({ ...state })))).toBeLessThan(10);
});

test('a state needs no more memory than its values', () => {
  const COUNT = 5000;
  states(COUNT);
  gc();
  const before = process.memoryUsage().heapUsed;
  const made = states(COUNT);
  gc();
  const bytes = (process.memoryUsage().heapUsed - before) / COUNT;
  // One word for each value, and a few for texts and the object itself: 490 bytes. With separate shapes it was 1,900.
  expect(bytes / 8).toBeLessThan(1.5 * Object.keys(made[0]!).length);
});
