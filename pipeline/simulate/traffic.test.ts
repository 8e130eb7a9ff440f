// Traffic from the outside: reproducible by seed, true to the flights, at real rates, fully visible, steady for hours.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { packFrame, type ReceivedFrame, viewOf } from '../../schemas/packed-frame.ts';
import { type CprResult, cprLocalAirborne, cprLocalSurface } from '../decode/cpr.ts';
import { decodeFrame } from '../decode/decode.ts';
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_COMM_B,
  KIND_EMERGENCY,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_SURVEILLANCE,
  KIND_TARGET_STATE,
  KIND_VELOCITY,
  Message,
  REJECT_NONE,
} from '../decode/message.ts';
import { distanceM, setPosition } from '../geo/great-circle.ts';
import { vector } from '../geo/vector.ts';
import { FLIGHT_VEHICLE } from './flights/classes.ts';
import { LINK_ADSB } from './flights/fleet.ts';
import { createTraffic, type Traffic, type Truth } from './traffic.ts';

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

describe('emergencies', () => {
  test('are few, and there is nearly always one to see', () => {
    const traffic = createTraffic({ aircraft: 500, seed: 1, startUs: START_US });
    const counts = [0, 1, 2, 3].map((turn) => {
      const atUs = START_US + (turn * HOUR_US) / 3;
      return traffic.fleet.filter((_, aircraft) => [7500, 7600, 7700].includes(traffic.truth(aircraft, atUs).squawk)).length;
    });
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(2);
  });
});

const message = new Message();
const found: CprResult = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };
const here = vector();
const there = vector();

/** Content of a frame that contradicts its aircraft's truth at the time of sending; empty when they agree. */
function disagreement(frame: ReceivedFrame, truth: Truth): string {
  decodeFrame(frame.bytes, frame.at, frame.byteLength, message);
  if (message.reject !== REJECT_NONE) return `rejected: ${message.reject}`;
  const { surveillance, identification, emergency } = message;
  switch (message.kind) {
    case KIND_SURVEILLANCE:
    case KIND_COMM_B:
      if (surveillance.squawk !== ABSENT && surveillance.squawk !== truth.squawk) return `squawk ${surveillance.squawk}`;
      if (surveillance.altitudeBaroFt !== ABSENT) return altitudeFault(surveillance.altitudeBaroFt, truth);
      return surveillance.onGround === Number(truth.onGround) ? '' : 'ground';
    case KIND_AIRBORNE_POSITION:
      return airbornePositionFault(truth);
    case KIND_SURFACE_POSITION:
      return surfacePositionFault(truth);
    case KIND_VELOCITY:
      return velocityFault(truth);
    case KIND_IDENTIFICATION:
      return String.fromCharCode(...identification.flight).trimEnd() === truth.flight ? '' : 'call sign';
    case KIND_EMERGENCY:
      return emergency.code === truth.emergency ? '' : `emergency ${emergency.code}`;
    default:
      return '';
  }
}

function airbornePositionFault(truth: Truth): string {
  if (truth.onGround) return 'airborne on the ground';
  const { cprLat, cprLon, odd, altitudeBaroFt } = message.position;
  cprLocalAirborne(cprLat, cprLon, odd, Math.round(truth.latDeg * 1e6), Math.round(truth.lonDeg * 1e6), found);
  return positionFault(truth, 4.5) || altitudeFault(altitudeBaroFt, truth);
}

function surfacePositionFault(truth: Truth): string {
  if (!truth.onGround) return 'on the ground in the air';
  const { cprLat, cprLon, odd, groundSpeedDeciKt, trackCentideg } = message.position;
  cprLocalSurface(cprLat, cprLon, odd, Math.round(truth.latDeg * 1e6), Math.round(truth.lonDeg * 1e6), found);
  if (Math.abs(groundSpeedDeciKt / 10 - truth.groundSpeedKt) > 2.6) return `speed ${groundSpeedDeciKt}`;
  if (trackCentideg === ABSENT) return truth.groundSpeedKt > 0.2 ? 'no track' : positionFault(truth, 1.2);
  return angleFault(trackCentideg / 100, truth.trackDeg, 1.42) || positionFault(truth, 1.2);
}

function velocityFault(truth: Truth): string {
  const { velocity } = message;
  const rate = velocity.baroRateFpm === ABSENT ? velocity.geomRateFpm : velocity.baroRateFpm;
  if (Math.abs(rate - truth.rateFpm) > 32.1) return `rate ${rate}`;
  if (Math.abs(velocity.geomDeltaFt - truth.geomDeltaFt) > 13) return `geometric ${velocity.geomDeltaFt}`;
  if (velocity.tasKt !== ABSENT) return Math.abs(velocity.tasKt - truth.tasKt) > 0.6 ? `tas ${velocity.tasKt}` : '';
  if (Math.abs(velocity.groundSpeedDeciKt / 10 - truth.groundSpeedKt) > 0.8) return `speed ${velocity.groundSpeedDeciKt}`;
  return angleFault(velocity.trackCentideg / 100, truth.trackDeg, Math.max(0.1, 42 / truth.groundSpeedKt));
}

function angleFault(foundDeg: number, sentDeg: number, limitDeg: number): string {
  return Math.abs(((foundDeg - sentDeg + 540) % 360) - 180) > limitDeg ? `track ${foundDeg}` : '';
}

function altitudeFault(foundFt: number, truth: Truth): string {
  return Math.abs(foundFt - truth.altitudeFt) > 50.1 ? `altitude ${foundFt}` : '';
}

function positionFault(truth: Truth, limitM: number): string {
  setPosition(truth.latDeg, truth.lonDeg, here);
  setPosition(found.latitudeMicrodeg / 1e6, found.longitudeMicrodeg / 1e6, there);
  const offM = distanceM(here, there);
  return offM > limitM ? `position off by ${offM} m` : '';
}

describe('frames', () => {
  test('match the truth at the time of sending, for flights all over the world at any hour', () => {
    const wrong: string[] = [];
    const kinds = new Set<number>();
    let frames = 0;
    for (const hour of [0, 1.3, 7.7]) {
      const traffic = createTraffic({ aircraft: 700, seed: 11, startUs: START_US, airports: 242 });
      traffic.skip(START_US + hour * HOUR_US);
      traffic.advance(START_US + hour * HOUR_US + 2 * SECOND_US, (frame, aircraft, sentUs) => {
        const truth = traffic.truth(aircraft, sentUs);
        const fault = disagreement(frame, truth);
        if (fault !== '') wrong.push(`${fault}: ${traffic.fleet[aircraft]!.aircraftClass.name} ${JSON.stringify(truth)}`);
        frames += 1;
        kinds.add(message.kind);
      });
    }
    expect(wrong).toEqual([]);
    expect(frames).toBeGreaterThan(8000);
    for (const kind of [KIND_AIRBORNE_POSITION, KIND_SURFACE_POSITION, KIND_VELOCITY, KIND_IDENTIFICATION, KIND_EMERGENCY])
      expect(kinds).toContain(kind);
    for (const kind of [KIND_TARGET_STATE, KIND_OPERATIONAL_STATUS, KIND_COMM_B, KIND_SURVEILLANCE]) expect(kinds).toContain(kind);
  });

  test('carry the address of their aircraft', () => {
    const traffic = createTraffic({ aircraft: 400, seed: 5, startUs: START_US });
    const addresses = new Set(traffic.fleet.map((identity) => identity.address));
    expect(addresses.size).toBe(400);
    traffic.advance(START_US + 3 * SECOND_US, (frame, aircraft) => {
      decodeFrame(frame.bytes, frame.at, frame.byteLength, message);
      if (message.address !== traffic.fleet[aircraft]!.address)
        throw new Error(`${message.address} is not ${traffic.fleet[aircraft]!.address}`);
    });
  });

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
      if (traffic.truth(aircraft, sentUs).onGround) return;
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

  test.each([10, 500, 30_000])('%i aircraft have their own receivers', (aircraft) => {
    const traffic = createTraffic({ aircraft, seed: 1, startUs: START_US });
    expect(traffic.fleet.length).toBe(aircraft);
    expect(traffic.receivers.length).toBeGreaterThanOrEqual(12);
    expect(new Set(traffic.receivers.map((receiver) => receiver.id)).size).toBe(traffic.receivers.length);
  });

  test('truth is finite for everyone at any time', () => {
    const traffic = createTraffic({ aircraft: 400, seed: 21, startUs: START_US });
    const wrong: string[] = [];
    for (let i = 0; i < 400; i += 1) {
      for (const hours of [0, 0.5, 3, 11]) {
        const truth = traffic.truth(i, START_US + hours * HOUR_US);
        if (Object.values(truth).some((value) => typeof value === 'number' && !Number.isFinite(value))) wrong.push(JSON.stringify(truth));
      }
    }
    expect(wrong).toEqual([]);
  });

  test('zero aircraft, or too many, are refused', () => {
    for (const aircraft of [0, -1, Number.NaN, 60_001]) expect(() => createTraffic({ aircraft, seed: 1, startUs: 0 })).toThrow(RangeError);
  });
});
