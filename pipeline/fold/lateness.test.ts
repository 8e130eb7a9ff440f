// Lateness of receivers: which are dated back, by how much, after how many comparisons, and how that ends.
import { describe, expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { AGREEMENT_MS, compareReceivers, ROW_MIN } from './lateness.ts';
import { R_DISAGREEMENTS, RECEIVER_NUMBERS, ReceiverTable } from './receivers.ts';

/** Receivers 1, 2, …, each with a delay that the test sets; the table learns. */
class Network {
  readonly receivers = new ReceiverTable(null);
  readonly delaysMs: number[];

  constructor(...delaysMs: number[]) {
    this.delaysMs = [0, ...delaysMs];
    for (const [i] of delaysMs.entries()) this.receivers.numberOf(`receiver ${i + 1}`);
  }

  /** Both hear some transmissions. `jitterMs` is added to the second one's delay. */
  hear(first: number, second: number, times = 1, jitterMs: (i: number) => number = () => 0): this {
    for (let i = 0; i < times; i += 1) {
      const differenceMs = this.dated(second) + jitterMs(i) - this.dated(first);
      compareReceivers(this.receivers, first, second, differenceMs);
    }
    return this;
  }

  lateMs(): number[] {
    return this.delaysMs.slice(1).map((_, i) => this.receivers.lateMs(i + 1));
  }

  private dated(number: number): number {
    return this.delaysMs[number]! - this.receivers.lateMs(number);
  }
}

describe('a receiver that is later than another', () => {
  test('is dated back after a run of comparisons, whichever was first', () => {
    expect(new Network(0, 1500).hear(1, 2, ROW_MIN - 1).lateMs()).toEqual([0, 0]);
    expect(new Network(0, 1500).hear(1, 2, ROW_MIN).lateMs()).toEqual([0, 1500]);
    expect(new Network(1500, 0).hear(1, 2, ROW_MIN).lateMs()).toEqual([1500, 0]);
  });

  test('is not when the difference is usual for networks', () => {
    expect(new Network(0, AGREEMENT_MS).hear(1, 2, 100).lateMs()).toEqual([0, 0]);
    expect(new Network(0, AGREEMENT_MS + 1).hear(1, 2, 100).lateMs()).toEqual([0, AGREEMENT_MS + 1]);
  });

  test('is dated back by the minimum of the run', () => {
    expect(new Network(0, 1000).hear(1, 2, ROW_MIN, (i) => 100 * i).lateMs()).toEqual([0, 1000]);
  });

  test('needs a longer run when it agreed before', () => {
    const network = new Network(0, 0).hear(1, 2, 100);
    network.delaysMs[2] = 1500;
    expect(network.hear(1, 2, ROW_MIN + 11).lateMs()).toEqual([0, 0]);
    expect(network.hear(1, 2).lateMs()).toEqual([0, 1500]);
  });

  test('is, although others are equally late', () => {
    const network = new Network(0, 1500, 1500, 1500);
    for (let i = 0; i < 40; i += 1) network.hear(2, 3).hear(2, 4).hear(3, 4).hear(1, 2).hear(1, 3).hear(1, 4);
    expect(network.lateMs()).toEqual([0, 1500, 1500, 1500]);
  });

  test('is not dated back beyond the limit, but counted', () => {
    const network = new Network(0, limits.receiverLatenessMsMax + 1).hear(1, 2, 2 * ROW_MIN);
    expect(network.lateMs()).toEqual([0, 0]);
    expect(network.receivers.numbers[2 * RECEIVER_NUMBERS + R_DISAGREEMENTS]).toBe(2);
  });
});

describe('a receiver that was dated back', () => {
  test('is no longer late when it is earlier than all', () => {
    const network = new Network(0, 1500, 0, 0).hear(1, 2, ROW_MIN);
    network.delaysMs[2] = 100;
    network.hear(1, 2).hear(3, 2).hear(4, 2).hear(1, 2);
    expect(network.lateMs()).toEqual([0, 100, 0, 0]);
  });

  test('stays late while one agrees', () => {
    const network = new Network(0, 1500, 3000);
    for (let i = 0; i < 40; i += 1) network.hear(2, 3).hear(1, 2);
    expect(network.lateMs()).toEqual([0, 1500, 3000]);
  });
});

test('a slow clock makes the others follow it: nothing is dated into the future', () => {
  const network = new Network(0, -3000, 0, 3000);
  for (let i = 0; i < 50; i += 1) network.hear(1, 2).hear(1, 3).hear(2, 4).hear(3, 4);
  expect(network.lateMs()).toEqual([3000, 0, 3000, 6000]);
});
