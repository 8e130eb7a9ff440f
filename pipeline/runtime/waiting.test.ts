// Turns of the event loop that many pieces of work share.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Turns } from './waiting.ts';

test('the event loop turns after the time of one turn, however many share it, and all work is done in order', async () => {
  let ms = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms);
  onTestFinished(() => clock.mockRestore());
  const turns = new Turns(100);
  const done: number[][] = Array.from({ length: 20 }, () => []);
  let working = true;
  const all = Promise.all(
    done.map((list) =>
      turns.each([1, 2, 3, 4, 5], (item) => {
        list.push(item);
        ms += 60;
      }),
    ),
  ).finally(() => {
    working = false;
  });
  const turnsMs: number[] = [];
  for (let before = ms; working; before = ms) {
    await nextTurn();
    turnsMs.push(ms - before);
  }
  await all;
  expect(done).toEqual(done.map(() => [1, 2, 3, 4, 5]));
  expect(Math.max(...turnsMs)).toBe(120);
});
