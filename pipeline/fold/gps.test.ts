// Loss of satellite navigation: what counts as one, when it is shown and for how long.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { BenchFlight, FLIGHT_START_US } from '../../test/support/fold-flight.ts';
import { KIND_AIRBORNE_POSITION, KIND_OPERATIONAL_STATUS, KIND_TARGET_STATE, Message } from '../decode/message.ts';
import { put } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldGps, isGpsLost } from './gps.ts';
import { B_GPS_LOST, F_AIR_GROUND, F_GROUND_SPEED, F_NAC_P, GROUND } from './layout.ts';

function message(kind: number, typeCode: number, nacP = 0, df = 17): Message {
  const made = Object.assign(new Message(), { kind, typeCode, df });
  Object.assign(made.targetState, { nacP });
  Object.assign(made.operationalStatus, { nacP });
  return made;
}
const noPosition = message(KIND_AIRBORNE_POSITION, 0);
const goodPosition = message(KIND_AIRBORNE_POSITION, 11);

const losses = (aircraft: Aircraft): number => aircraft.bytes[aircraft.byte + B_GPS_LOST]!;

/** Version 2, last good position at 0. */
function flying(nacP = 9): Aircraft {
  const { aircraft } = benchAircraft();
  put(aircraft, F_NAC_P, nacP);
  put(aircraft, F_GROUND_SPEED, 4000);
  foldGps(aircraft, goodPosition, true);
  return aircraft;
}

/** `count` messages of this kind, one a second, from `fromMs`. */
function say(aircraft: Aircraft, said: Message, count: number, fromMs: number): Aircraft {
  for (let i = 0; i < count; i += 1) foldGps(hear(aircraft, fromMs + 1000 * i), said, false);
  return aircraft;
}

describe('a loss', () => {
  test('is shown after 17 messages without a position, from 15 s to 15 min after the last good one', () => {
    const aircraft = say(flying(), noPosition, 16, 10_001);
    expect(isGpsLost(aircraft)).toBe(false);
    say(aircraft, noPosition, 1, 26_001);
    expect(isGpsLost(aircraft)).toBe(true);
    expect(isGpsLost(hear(aircraft, 15_000))).toBe(false);
    expect(isGpsLost(hear(aircraft, 15_001))).toBe(true);
    expect(isGpsLost(hear(aircraft, 899_999))).toBe(true);
    expect(isGpsLost(hear(aircraft, 900_000))).toBe(false);
  });

  test.each([
    ['target state', KIND_TARGET_STATE, 29],
    ['operational status', KIND_OPERATIONAL_STATUS, 31],
  ])('counts an accuracy of 2 NM or worse in a %s', (_name, kind, typeCode) => {
    expect(losses(say(flying(), message(kind, typeCode, 2), 3, 11_000))).toBe(3);
    expect(losses(say(flying(), message(kind, typeCode, 3), 3, 11_000))).toBe(0);
  });

  test('counts a version 0 position whose type code implies no accuracy', () => {
    const aircraft = flying();
    aircraft.version = 0;
    expect(losses(say(aircraft, message(KIND_AIRBORNE_POSITION, 18), 3, 11_000))).toBe(3);
    aircraft.version = 2;
    expect(losses(say(aircraft, message(KIND_AIRBORNE_POSITION, 18), 3, 15_000))).toBe(3);
  });

  test('does not count within 10 s of a good position, nor slow, nor on the ground, nor in other formats', () => {
    expect(losses(say(flying(), noPosition, 1, 10_000))).toBe(0);
    const slow = flying();
    put(slow, F_GROUND_SPEED, 500);
    expect(losses(say(slow, noPosition, 3, 11_000))).toBe(0);
    const grounded = flying();
    put(grounded, F_AIR_GROUND, GROUND);
    expect(losses(say(grounded, noPosition, 3, 11_000))).toBe(0);
    expect(losses(say(flying(), message(KIND_AIRBORNE_POSITION, 0, 0, 18), 3, 11_000))).toBe(0);
  });

  test('ends with good accuracy after a good position, and after 15 min', () => {
    const aircraft = say(flying(), noPosition, 20, 11_000);
    foldGps(hear(aircraft, 40_000), goodPosition, true);
    expect(isGpsLost(hear(aircraft, 56_000))).toBe(true);
    say(aircraft, message(KIND_TARGET_STATE, 29, 9), 4, 42_000);
    expect(losses(aircraft)).toBe(16);
    say(aircraft, message(KIND_TARGET_STATE, 29, 9), 4, 60_000);
    expect(losses(aircraft)).toBe(16);
    say(aircraft, message(KIND_TARGET_STATE, 29, 9), 1, 940_001);
    expect(losses(aircraft)).toBe(0);
  });
});

test('a flight that loses its position: shown with the last good position, and gone at the tick that it ends', () => {
  const flight = new BenchFlight();
  for (let i = 0; i < 12; i += 1) {
    flight.timeS = 0.5 * i;
    flight.airborne(50, 8 + 0.001 * i, i % 2 === 1);
    flight.velocity(300, 100);
  }
  const okMs = flight.nowMs;
  const position = { gpsOkLatitudeMicrodeg: flight.state().latitudeMicrodeg, gpsOkLongitudeMicrodeg: flight.state().longitudeMicrodeg };
  flight.typeCode = 0;
  for (let i = 0; i < 40; i += 1) {
    flight.timeS = 6 + 0.5 * i;
    flight.airborne(50, 8, i % 2 === 1);
  }
  expect(flight.state()).toMatchObject({ positionValid: true, gpsOkMs: okMs, ...position });
  // Silence: what is emitted then is emitted because values expire.
  const shown: [sinceMs: number, gpsOkMs: number | null][] = [];
  for (let second = 26; second < 930; second += 1)
    flight.fold.advance(FLIGHT_START_US + second * 1e6, ({ tickMs, aircraft }) => {
      for (const { gpsOkMs } of aircraft.build()) shown.push([tickMs - okMs, gpsOkMs]);
    });
  expect(shown.filter(([sinceMs, gpsOkMs]) => (sinceMs < 900_000 ? okMs : null) !== gpsOkMs)).toEqual([]);
  expect(shown.at(-1)).toEqual([900_500, null]);
});
