// Which messages decide whether an aircraft is in the air or on the ground.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { ABSENT, KIND_AIRBORNE_POSITION, KIND_SURFACE_POSITION, Message } from '../decode/message.ts';
import { fieldSource, fieldValue, put, SOURCE_ADSB, SOURCE_MODE_S, SOURCE_NONE } from './accept.ts';
import { airGroundOf, foldAirGround, foldPositionForm, rememberForm } from './air-ground.ts';
import type { Aircraft } from './aircraft.ts';
import { AIRBORNE, F_AIR_GROUND, F_CPR_EVEN, F_CPR_ODD, F_RELIABLE, GROUND, UNCERTAIN } from './layout.ts';
import { KIND_ADSB_ICAO, KIND_MODE_S, setKind } from './source.ts';

/** An aircraft shown as ADS-B, and an ADS-B frame of it. */
function adsbAircraft(): Aircraft {
  const { aircraft } = benchAircraft();
  aircraft.kind = KIND_ADSB_ICAO;
  setKind(aircraft, KIND_ADSB_ICAO);
  return aircraft;
}

function foldForm(aircraft: Aircraft, frame: Message, reported: number): void {
  foldPositionForm(aircraft, frame, reported);
  rememberForm(aircraft, frame);
}

const message = (overrides: Partial<Message>): Message => Object.assign(new Message(), overrides);
const surface = message({ df: 17, kind: KIND_SURFACE_POSITION });
const airborne = message({ df: 17, kind: KIND_AIRBORNE_POSITION });

test.each([
  ['capability 4', message({ df: 11, capability: 4 }), GROUND],
  ['capability 5', message({ df: 17, capability: 5 }), AIRBORNE],
  ['capability 6', message({ df: 17, capability: 6 }), UNCERTAIN],
  ['capability 2, which is reserved', message({ df: 11, capability: 2 }), -1],
  ['a surface position, whatever the capability', message({ df: 17, capability: 5, kind: KIND_SURFACE_POSITION }), GROUND],
  ['an extended squitter without capability', message({ df: 18 }), -1],
])('%s', (_, frame, expected) => {
  expect(airGroundOf(frame)).toBe(expected);
});

test('"airborne" of a reply only means "not reported on the ground"', () => {
  const reply = message({ df: 4 });
  reply.surveillance.onGround = 0;
  expect(airGroundOf(reply)).toBe(UNCERTAIN);
  reply.surveillance.onGround = 1;
  expect(airGroundOf(reply)).toBe(GROUND);
});

test('flight status 4 and 5 mean on the ground or airborne, 6 and 7 nothing', () => {
  const reply = message({ df: 4 });
  Object.assign(reply.surveillance, { onGround: ABSENT, alert: 0 });
  expect(airGroundOf(reply)).toBe(UNCERTAIN);
  reply.surveillance.alert = ABSENT;
  expect(airGroundOf(reply)).toBe(-1);
});

describe('the state', () => {
  test('stays certain when something uncertain is reported', () => {
    const { aircraft } = benchAircraft();
    foldAirGround(aircraft, GROUND);
    foldAirGround(hear(aircraft, 1000), UNCERTAIN);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
  });

  test('is not changed by replies while a higher source reported it in the last two minutes', () => {
    const { aircraft } = benchAircraft();
    foldAirGround(aircraft, AIRBORNE);
    foldAirGround(hear(aircraft, 120_000, SOURCE_MODE_S), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(AIRBORNE);
    foldAirGround(hear(aircraft, 120_001, SOURCE_MODE_S), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
  });

  test('is decided by positions alone while they are fresh', () => {
    const aircraft = adsbAircraft();
    foldForm(aircraft, airborne, AIRBORNE);
    for (const field of [F_CPR_EVEN, F_CPR_ODD, F_RELIABLE]) put(aircraft, field, 1);
    foldAirGround(hear(aircraft, 5000, SOURCE_ADSB), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(AIRBORNE);
    foldAirGround(hear(aircraft, 20_000, SOURCE_ADSB), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
  });

  test('follows the form of positions: landing and take-off', () => {
    const aircraft = adsbAircraft();
    foldForm(aircraft, airborne, AIRBORNE);
    foldForm(hear(aircraft, 1000), surface, GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
    foldForm(hear(aircraft, 2000), airborne, UNCERTAIN);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(AIRBORNE);
  });

  test('ignores the form while the aircraft does not yet have the kind of the position', () => {
    const aircraft = adsbAircraft();
    setKind(aircraft, KIND_MODE_S);
    foldForm(aircraft, surface, GROUND);
    expect(fieldSource(aircraft, F_AIR_GROUND)).toBe(SOURCE_NONE);
  });

  test('becomes uncertain, not airborne, when an aircraft on the ground sends airborne positions', () => {
    const aircraft = adsbAircraft();
    foldAirGround(aircraft, GROUND);
    foldForm(hear(aircraft, 1000), airborne, UNCERTAIN);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(UNCERTAIN);
  });
});
