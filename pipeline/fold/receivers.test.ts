// Where a receiver is, as far as the aircraft that it hears tell.
import { expect, test } from 'vitest';
import { ReceiverTable } from './receivers.ts';

function learnt(positions: readonly (readonly [number, number])[], count = 100): ReturnType<ReceiverTable['roughPlace']> {
  const receivers = new ReceiverTable(null);
  const number = receivers.numberOf('here');
  for (let i = 0; i < count; i += 1) receivers.learn(number, ...(positions[i % positions.length]! as [number, number]));
  return receivers.roughPlace(number);
}

test('is the middle of them, once there are enough', () => {
  const around = [
    [49e6, 7e6],
    [51e6, 10e6],
  ] as const;
  expect(learnt(around)).toEqual({ latitudeMicrodeg: 50e6, longitudeMicrodeg: 8.5e6 });
  expect(learnt(around, 99)).toBeNull();
});

test('is unknown when they cannot all be heard from one place', () => {
  expect(
    learnt([
      [50e6, 8e6],
      [35e6, 8e6],
    ]),
  ).toBeNull();
  expect(
    learnt([
      [50e6, 179e6],
      [50e6, -179e6],
    ]),
  ).toBeNull();
});

test('is what was told, when it was', () => {
  const place = { latitudeMicrodeg: 1, longitudeMicrodeg: 2 };
  expect(new ReceiverTable(place).roughPlace(0)).toBe(place);
});

test('ids keep their numbers; nobody has number 0 and no place', () => {
  const receivers = new ReceiverTable(null);
  const numbers = Array.from({ length: 40 }, (_, i) => receivers.numberOf(`r${i}`));
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(receivers.numberOf('r7')).toBe(8);
  expect(receivers.roughPlace(0)).toBeNull();
});
