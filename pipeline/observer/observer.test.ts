// Whom the observer believes, and how long it knows an aircraft: the rules by which it may differ from what was sent.
import { describe, expect, test } from 'vitest';
import { createTraffic } from '../simulate/traffic.ts';
import { inSignedSteps, inSteps } from './coding.ts';
import { rank } from './known.ts';
import { Observer, type Transmission } from './observer.ts';
import { whatIsSaid } from './said.ts';

const START_MS = 1_700_000_000_000;
const traffic = createTraffic({ aircraft: 1, seed: 1, startUs: START_MS * 1000, everyFormat: true });

/** A transmission that says nothing but that the aircraft is there. */
function transmission(given: Partial<Transmission>): Transmission {
  const said = { ...whatIsSaid(traffic.sent, ''), values: [], place: null };
  return {
    ...{
      transmission: 1,
      bits: '',
      said,
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
    const copy = { bits: String(this.count), timeMs: START_MS + atMs, receiver: 1, signal: 100, intact: true };
    return this.observer.hear(transmission({ transmission: this.count, ...given }), copy);
  }
}

describe('an aircraft that is known from DF 18 alone', () => {
  test('may answer an interrogator: an all-call reply holds its address, other replies do not', () => {
    const bench = new Bench();
    const allCall = { source: rank.allCall, kind: 'mode_s', announced: false, transponder: true };
    const reply = { ...allCall, source: rank.reply, addressed: false };
    expect(bench.heard(0, allCall)).toBe(false);
    expect(bench.heard(0, {})).toBe(true);
    expect([bench.heard(45_000, allCall), bench.heard(45_000, reply)]).toEqual([true, false]);
    expect(bench.heard(45_001, allCall)).toBe(false);
  });
});

describe('an aircraft without a place', () => {
  test('is forgotten five minutes after its last message, and begins anew', () => {
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

test('halves of a step go away from zero where the sign is coded apart, and up in a two’s complement', () => {
  expect([inSteps(-1200, 32), inSignedSteps(-1200, 32)]).toEqual([-1216, -1184]);
  expect([inSteps(1200, 32), inSignedSteps(1200, 32)]).toEqual([1216, 1216]);
});
