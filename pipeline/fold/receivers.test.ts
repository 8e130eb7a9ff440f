// Rough position of a receiver, learnt from the aircraft that it hears; numbers and counts of receivers.
import { expect, test } from 'vitest';
import { REASON_DUPLICATE, REASON_PARITY, REASON_POSITION_IMPLAUSIBLE } from './address-filter.ts';
import { R_POSITIONS, ReceiverTable } from './receivers.ts';

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

test('is the configured one, if there is one', () => {
  const given = { latitudeMicrodeg: 1, longitudeMicrodeg: 2 };
  expect(new ReceiverTable(given).roughPosition(0)).toBe(given);
});

test('ids keep their numbers; number 0 is no receiver and has no position', () => {
  const receivers = new ReceiverTable(null);
  const numbers = Array.from({ length: 40 }, (_, i) => receivers.numberOf(`r${i}`));
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(receivers.numberOf('r7')).toBe(8);
  expect(receivers.roughPosition(0)).toBeNull();
});

test("counts show the results of each receiver's frames", () => {
  const receivers = new ReceiverTable(null);
  for (const id of ['a', 'b', 'c', 'd']) receivers.numberOf(id);
  receivers.countFrame(1, 1000, -1);
  receivers.countFrame(1, 2000, REASON_DUPLICATE);
  receivers.countFrame(2, 1500, REASON_PARITY);
  receivers.countFrame(3, 3000, REASON_POSITION_IMPLAUSIBLE);
  receivers.countFrame(4, 2500, -1);
  receivers.count(4, R_POSITIONS);
  const none = { frames: 0, messages: 0, duplicates: 0, positions: 0, disagreements: 0, cleanDf17: 0, lateMs: 0 };
  expect(receivers.counts(100_000)).toEqual([
    { ...none, id: 'a', frames: 2, messages: 1, duplicates: 1, heardMs: 102_000 },
    { ...none, id: 'b', frames: 1, heardMs: 101_500 },
    { ...none, id: 'c', frames: 1, disagreements: 1, heardMs: 103_000 },
    { ...none, id: 'd', frames: 1, messages: 1, positions: 1, heardMs: 102_500 },
  ]);
  receivers.shiftTimes(50_000);
  expect(receivers.counts(150_000).map(({ heardMs }) => heardMs)).toEqual([102_000, 101_500, 103_000, 102_500]);
});
