// One transmission heard twice, and an aircraft that sends the same twice.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { KIND_AIRBORNE_POSITION, KIND_VELOCITY, Message } from '../decode/message.ts';
import { put } from './accept.ts';
import { DUPLICATE_MS, isDuplicate, POSITION_DUPLICATE_MS, RECENT_TIME_SPAN_MS, UNIQUE_DUPLICATE_MS } from './duplicates.ts';
import { LATE_MS } from './lateness.ts';
import { F_GROUND_SPEED, RECENT_OTHERS, RECENT_POSITIONS } from './layout.ts';
import { LATENESS_WORDS, ReceiverTable } from './receivers.ts';

const velocity = Object.assign(new Message(), { kind: KIND_VELOCITY, df: 17 });
const position = Object.assign(new Message(), { kind: KIND_AIRBORNE_POSITION, df: 17 });
position.position.cprLat = 1;

/** One aircraft with its stored frames. */
class Bench {
  readonly aircraft = benchAircraft().aircraft;
  readonly receivers = new ReceiverTable(null);

  constructor(groundSpeedDeciKt = 0) {
    for (const id of ['one', 'two', 'three']) this.receivers.numberOf(id);
    put(this.aircraft, F_GROUND_SPEED, groundSpeedDeciKt);
  }

  /** True for a duplicate. `now` is its time as dated. */
  heard(now: number, receiver: number, message: Message, print = 1234, multilaterated = false): boolean {
    hear(this.aircraft, now).receiver = receiver;
    return isDuplicate(this.aircraft, message, print, multilaterated, this.receivers);
  }
}

describe('the same frame', () => {
  test.each([
    ['velocity soon after', velocity, 0, false, 2, DUPLICATE_MS - 1, true],
    ['velocity later', velocity, 0, false, 2, DUPLICATE_MS, false],
    ['velocity from the same receiver', velocity, 0, false, 1, 100, false],
    ['velocity dated before the stored one', velocity, 0, false, 2, -200, true],
    ['airborne position', position, 499, false, 2, POSITION_DUPLICATE_MS - 1, true],
    ['airborne position later', position, 499, false, 2, POSITION_DUPLICATE_MS, false],
    ['airborne position of a moving aircraft', position, 500, false, 2, UNIQUE_DUPLICATE_MS - 1, true],
    ['airborne position of a moving aircraft later', position, 500, false, 2, UNIQUE_DUPLICATE_MS, false],
    ['multilaterated position of a moving aircraft', position, 500, true, 2, POSITION_DUPLICATE_MS, false],
  ] as const)('%s', (_, message, speedDeciKt, multilaterated, receiver, laterMs, expected) => {
    const bench = new Bench(speedDeciKt);
    expect(bench.heard(1000, 1, message, 1234, multilaterated)).toBe(false);
    expect(bench.heard(1000 + laterMs, receiver, message, 1234, multilaterated)).toBe(expected);
  });

  test('is compared with the time that the first one would have now', () => {
    const bench = new Bench();
    bench.heard(0, 1, velocity);
    bench.receivers.lateness[LATENESS_WORDS + LATE_MS] = 3000;
    expect(bench.heard(0, 2, velocity)).toBe(false);
    expect(bench.heard(-3000, 3, velocity)).toBe(true);
  });
});

test('receivers learn their lateness from moving aircraft alone', () => {
  for (const [speedDeciKt, lateMs] of [
    [4500, 1500],
    [0, 0],
  ] as const) {
    const bench = new Bench(speedDeciKt);
    for (let i = 0; i < 8; i += 1) {
      bench.heard(500 * i, 1, position, 1000 * i);
      bench.heard(500 * i + 1500 - bench.receivers.lateMs(2), 2, position, 1000 * i);
    }
    expect([bench.receivers.lateMs(1), bench.receivers.lateMs(2)]).toEqual([0, lateMs]);
  }
});

test('other frames in between do not hide it: as many positions, and others, as are stored', () => {
  for (const [message, other, remembered] of [
    [position, velocity, RECENT_POSITIONS],
    [velocity, position, RECENT_OTHERS],
  ] as const) {
    const bench = new Bench();
    const print = (i: number) => Math.imul(1 + i, 0x9e37_79b1);
    bench.heard(0, 1, message, print(0));
    for (let i = 1; i < remembered; i += 1) bench.heard(10 * i, 1, message, print(i));
    for (let i = 100; i < 150; i += 1) bench.heard(300, 1, other, print(i));
    expect(bench.heard(310, 2, message, print(0))).toBe(true);
    bench.heard(320, 1, message, print(remembered));
    expect(bench.heard(330, 3, message, print(0))).toBe(false);
  }
});

test('a repeated frame is stored as long as a new one', () => {
  // TC 0 has no coordinates, so an airborne aircraft repeats it; a helicopter that hovers repeats its position.
  for (const [message, remembered] of [
    [position, RECENT_POSITIONS],
    [velocity, RECENT_OTHERS],
  ] as const) {
    for (let between = 0; between < remembered; between += 1) {
      const bench = new Bench();
      const print = (i: number) => Math.imul(1 + i, 0x9e37_79b1);
      bench.heard(0, 1, message, print(0));
      // Its entry is the next one to be overwritten.
      for (let i = 1; i < remembered; i += 1) bench.heard(10 * i, 1, message, print(i));
      bench.heard(5000, 1, message, print(0));
      for (let i = 0; i < between; i += 1) bench.heard(5000 + 10 * i, 1, message, print(100 + i));
      expect([between, bench.heard(5200, 2, message, print(0))]).toEqual([between, true]);
    }
  }
});

test('times continue when the time base moves by its step', () => {
  const bench = new Bench();
  bench.heard(1000 + RECENT_TIME_SPAN_MS, 1, velocity);
  expect(bench.heard(1000, 2, velocity)).toBe(true);
  expect(bench.heard(1000 + DUPLICATE_MS, 2, velocity)).toBe(false);
});
