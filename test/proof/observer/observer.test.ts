// The observer accepts some messages and knows an aircraft for some time: the rules by which it may differ from the traffic.
import { describe, expect, test } from 'vitest';
import { createTraffic } from '../../../pipeline/simulate/traffic.ts';
import { rareFormats } from '../simulated/rare.ts';
import type { RareContents } from '../simulated/rare-contents.ts';
import { inSignedSteps, inSteps } from './coding.ts';
import { rank } from './known.ts';
import { contentOf } from './message-content.ts';
import { Observer, type Transmission } from './observer.ts';

const START_MS = 1_700_000_000_000;
const traffic = createTraffic({ aircraft: 1, seed: 1, startUs: START_MS * 1000, everyFormat: rareFormats });

/** A transmission without content except the presence of the aircraft. */
function transmission(given: Partial<Transmission>): Transmission {
  const content = { ...contentOf(traffic.sent as RareContents, ''), values: [], position: null };
  return {
    ...{
      transmission: 1,
      bits: '',
      content,
      register: [],
      aircraft: 0,
      sentMs: START_MS,
      key: '3c6586',
      source: rank.tisb,
      kind: 'tisb_icao',
    },
    ...{ addressed: true, announced: true, transponder: false, version: null, isAmbiguous: false },
    ...given,
  };
}

class Bench {
  readonly observer = new Observer(traffic);
  private count = 0;

  heard(atMs: number, given: Partial<Transmission>): boolean {
    this.count += 1;
    const reception = { bits: String(this.count), timeMs: START_MS + atMs, receiver: 1, signal: 100, intact: true };
    return this.observer.hear(transmission({ transmission: this.count, ...given }), reception);
  }
}

describe('an aircraft that is known from DF 18 alone', () => {
  test('may reply to an interrogator: an all-call reply contains its address, other replies do not', () => {
    const bench = new Bench();
    const allCall = { source: rank.allCall, kind: 'mode_s', announced: false, transponder: true };
    const reply = { ...allCall, source: rank.reply, addressed: false };
    expect(bench.heard(0, allCall)).toBe(false);
    expect(bench.heard(0, {})).toBe(true);
    expect([bench.heard(45_000, allCall), bench.heard(45_000, reply)]).toEqual([true, false]);
    expect(bench.heard(45_001, allCall)).toBe(false);
  });
});

describe('an aircraft without a position', () => {
  test('is forgotten five minutes after its last message, and starts again', () => {
    const bench = new Bench();
    for (let i = 0; i < 3; i += 1) bench.heard(i, {});
    bench.observer.forget(START_MS + 300_002);
    expect(bench.observer.aircraft.get('3c6586')?.messages).toBe(3);
    bench.observer.forget(START_MS + 300_003);
    expect(bench.observer.aircraft.size).toBe(0);
    bench.heard(400_000, {});
    expect(bench.observer.aircraft.get('3c6586')?.messages).toBe(1);
  });
});

test('halves of a step round away from zero with a separate sign, and up in two’s complement', () => {
  expect([inSteps(-1200, 32), inSignedSteps(-1200, 32)]).toEqual([-1216, -1184]);
  expect([inSteps(1200, 32), inSignedSteps(1200, 32)]).toEqual([1216, 1216]);
});
