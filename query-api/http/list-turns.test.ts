// Turns of long lists: a few ms each round, in order.
import { setImmediate as round } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import { ListTurns } from './list-turns.ts';

it('lets what is over the time of a round wait for later rounds, first come, first served', async () => {
  const turns = new ListTurns();
  expect(turns.isBusy).toBe(false);
  turns.spend(limits.listTurnMsMax, 0);
  expect(turns.isBusy).toBe(true);
  const done: number[] = [];
  const work = (n: number): number => {
    expect(turns.isBusy).toBe(false);
    turns.spend(0.6 * limits.listTurnMsMax, 0);
    done.push(n);
    return n;
  };
  const all = Promise.all([1, 2, 3, 4, 5].map((n) => turns.later(() => work(n))));
  await round();
  expect(done).toEqual([1, 2]);
  await round();
  expect(done).toEqual([1, 2, 3, 4]);
  expect(await all).toEqual([1, 2, 3, 4, 5]);
  await round();
  expect(turns.isBusy).toBe(false);
});

it('passes on what fails, and goes on', async () => {
  const turns = new ListTurns();
  turns.spend(0, 100e6);
  const failing = turns.later(() => {
    throw new Error('broken');
  });
  const next = turns.later(async () => 'fine');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('fine');
});
