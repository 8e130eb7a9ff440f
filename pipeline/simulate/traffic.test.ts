// Traffic from the outside: reproducible by seed, at real rates, fully visible, steady for hours. `npm run verify:simulated` and test/sim/truth.test.ts prove
// that each frame has what was flown.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { packFrame, viewOf } from '../../schemas/packed-frame.ts';
import { truthOf } from '../../test/proof/observer/flown.ts';
import { decodeFrame } from '../decode/decode.ts';
import {
  KIND_AIRBORNE_POSITION,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_TARGET_STATE,
  KIND_VELOCITY,
  Message,
} from '../decode/message.ts';
import { FLIGHT_VEHICLE } from './flights/classes.ts';
import { LINK_ADSB } from './flights/links.ts';
import { createTraffic, type Traffic } from './traffic.ts';

const START_US = 1_700_000_000_000_000;
const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;

/** SHA-256 of all frames of some seconds, packed, taken in steps of `stepUs`. */
function digest(aircraft: number, seed: number, seconds: number, stepUs: number): string {
  const traffic = createTraffic({ aircraft, seed, startUs: START_US });
  const hash = createHash('sha256');
  const packed = new Uint8Array(28);
  const view = viewOf(packed);
  for (let atUs = stepUs; atUs - stepUs < seconds * SECOND_US; atUs += stepUs) {
    traffic.advance(START_US + Math.min(atUs, seconds * SECOND_US), (frame) => {
      packFrame(view, 0, START_US, frame);
      hash.update(packed);
    });
  }
  return hash.digest('hex');
}

describe('seeds', () => {
  test('the same seed gives the same bytes, however the time is divided', () => {
    const whole = digest(100, 3, 20, 20 * SECOND_US);
    expect(digest(100, 3, 20, 20_000)).toBe(whole);
    expect(digest(100, 3, 20, 333_333)).toBe(whole);
    expect(digest(100, 4, 20, 20 * SECOND_US)).not.toBe(whole);
  });
});

const message = new Message();
describe('frames', () => {
  test('arrive in order, at most 3 ms after sending, and the counters of receivers run at 12 MHz', () => {
    const traffic = createTraffic({ aircraft: 500, seed: 1, startUs: START_US });
    let lastUs = 0;
    let latestUs = 0;
    const offsets = new Map<number, number>();
    let counterOff = 0;
    traffic.advance(START_US + 5 * SECOND_US, (frame, _aircraft, sentUs) => {
      if (frame.timeUs < lastUs) throw new Error('time went back');
      if (frame.byteLength !== (frame.bytes[frame.at]! >= 0x80 ? 14 : 7)) throw new Error('length');
      if (frame.signal < 1 || frame.signal > 255) throw new Error('signal');
      lastUs = frame.timeUs;
      latestUs = Math.max(latestUs, frame.timeUs - sentUs);
      const offset = frame.counter - (sentUs - START_US) * 12;
      const known = offsets.get(frame.receiver);
      if (known === undefined) offsets.set(frame.receiver, offset);
      else counterOff = Math.max(counterOff, Math.abs(offset - known));
    });
    expect(latestUs).toBeLessThan(3000);
    expect(offsets.size).toBeGreaterThan(10);
    expect(new Set(traffic.receivers.map(({ id }) => id)).size).toBe(traffic.receivers.length);
    // 1.6 ms of propagation, and 15 ppm of 5 s.
    expect(counterOff).toBeLessThan(12 * (1600 + 75));
  });
});

/** Frames per second and share of aircraft heard in 12 s from a given hour on. */
function measure(traffic: Traffic, hour: number): { framesPerS: number; heardShare: number; receptions: number } {
  const fromUs = START_US + hour * HOUR_US;
  traffic.skip(fromUs);
  const { sent, received, lost } = { ...traffic.counts };
  const heard = new Set<number>();
  const frames = traffic.advance(fromUs + 12 * SECOND_US, (_frame, aircraft) => heard.add(aircraft));
  const receptions = (traffic.counts.received - received) / (traffic.counts.sent - sent - (traffic.counts.lost - lost));
  return { framesPerS: frames / 12, heardShare: heard.size / traffic.fleet.length, receptions };
}

describe('traffic', () => {
  test.each([10, 50, 1000, 3000])('%i aircraft: all visible, frames at real rates, steady over a day', (aircraft) => {
    const traffic = createTraffic({ aircraft, seed: 1, startUs: START_US });
    const hours = [0, 2, 9, 24].map((hour) => measure(traffic, hour));
    for (const { framesPerS, heardShare, receptions } of hours) {
      expect(heardShare).toBeGreaterThan(aircraft < 100 ? 0.89 : 0.97);
      if (aircraft < 100) continue;
      expect(framesPerS / aircraft).toBeGreaterThan(6);
      expect(framesPerS / aircraft).toBeLessThan(7.6);
      expect(Math.abs(framesPerS / hours[0]!.framesPerS - 1)).toBeLessThan(0.07);
      expect(receptions).toBeGreaterThan(1.1);
      expect(receptions).toBeLessThan(1.25);
    }
  });

  test('squitters come in the intervals of DO-260B', () => {
    const traffic = createTraffic({ aircraft: 300, seed: 9, startUs: START_US, extraReceptionShare: 0 });
    const last = new Map<string, number>();
    const intervals = new Map<string, number[]>();
    traffic.advance(START_US + 30 * SECOND_US, (frame, aircraft, sentUs) => {
      const identity = traffic.fleet[aircraft]!;
      if (identity.link !== LINK_ADSB || identity.version !== 2 || identity.aircraftClass.flight === FLIGHT_VEHICLE) return;
      decodeFrame(frame.bytes, frame.at, frame.byteLength, message);
      if (truthOf(traffic, aircraft, sentUs).onGround) return;
      const key = `${aircraft} ${message.kind} ${message.df}`;
      const before = last.get(key);
      last.set(key, sentUs);
      if (before === undefined) return;
      const kind = `${message.kind} ${message.df}`;
      if (!intervals.has(kind)) intervals.set(kind, []);
      intervals.get(kind)!.push((sentUs - before) / SECOND_US);
    });
    const median = (kind: number) =>
      intervals.get(`${kind} 17`)!.sort((a, b) => a - b)[Math.floor(intervals.get(`${kind} 17`)!.length / 2)]!;
    const least = (kind: number) => Math.min(...intervals.get(`${kind} 17`)!);
    for (const [kind, from, to] of [
      [KIND_AIRBORNE_POSITION, 0.4, 0.6],
      [KIND_VELOCITY, 0.4, 0.6],
      [KIND_IDENTIFICATION, 4.8, 5.2],
      [KIND_OPERATIONAL_STATUS, 2.4, 2.6],
      [KIND_TARGET_STATE, 1.2, 1.3],
    ] as const) {
      expect(least(kind)).toBeGreaterThanOrEqual(from - 1e-6);
      expect(median(kind)).toBeGreaterThan(from);
      expect(median(kind)).toBeLessThan(to);
    }
  });

  test('zero aircraft, or too many, are refused', () => {
    for (const aircraft of [0, -1, Number.NaN, 60_001]) expect(() => createTraffic({ aircraft, seed: 1, startUs: 0 })).toThrow(RangeError);
  });
});
