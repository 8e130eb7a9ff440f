// Rough position of a receiver, learnt from the aircraft that it hears; numbers and counts of receivers.
import { expect, test } from 'vitest';
import { ReceiverTable } from './receivers.ts';

function learnt(positions: readonly (readonly [number, number])[], count = 100): ReturnType<ReceiverTable['roughPosition']> {
  const receivers = new ReceiverTable(null);
  const number = receivers.numberOf('here');
  for (let i = 0; i < count; i += 1) receivers.learn(number, ...(positions[i % positions.length]! as [number, number]));
  return receivers.roughPosition(number);
}

test('is the middle of them, once there are enough', () => {
  const around = [
    [49e6, 7e6],
    [51e6, 10e6],
  ] as const;
  expect(learnt(around)).toEqual({ latitudeMicrodeg: 50e6, longitudeMicrodeg: 8.5e6 });
  expect(learnt(around, 99)).toBeNull();
});

test('is unknown when no single receiver can hear all of them', () => {
  expect(
    learnt([
      [50e6, 8e6],
      [35e6, 8e6],
    ]),
  ).toBeNull();
  expect(
    learnt([
      [50e6, 164e6],
      [50e6, -164e6],
    ]),
  ).toBeNull();
});

test.each([179.5e6, -179.5e6])('is also found across the antimeridian, with the first position at longitude %d', (first) => {
  const around = [
    [50e6, first],
    [50e6, -177e6],
    [52e6, 179e6],
  ] as const;
  expect(learnt(around)).toEqual({ latitudeMicrodeg: 51e6, longitudeMicrodeg: -179e6 });
});
