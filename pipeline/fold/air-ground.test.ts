// Who is believed about being in the air or on the ground.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { KIND_AIRBORNE_POSITION, KIND_SURFACE_POSITION, Message } from '../decode/message.ts';
import { fieldValue, put, SOURCE_ADSB, SOURCE_MODE_S } from './accept.ts';
import { airGroundOf, foldAirGround, foldPositionForm } from './air-ground.ts';
import { AIRBORNE, F_AIR_GROUND, F_CPR_EVEN, F_CPR_ODD, F_RELIABLE, GROUND, UNCERTAIN } from './layout.ts';

const message = (overrides: Partial<Message>): Message => Object.assign(new Message(), overrides);
const surface = message({ df: 17, kind: KIND_SURFACE_POSITION });
const airborne = message({ df: 17, kind: KIND_AIRBORNE_POSITION });

test.each([
  ['capability 4', message({ df: 11, capability: 4 }), GROUND],
  ['capability 5', message({ df: 17, capability: 5 }), AIRBORNE],
  ['capability 6', message({ df: 17, capability: 6 }), UNCERTAIN],
  ['a surface position, whatever the capability', message({ df: 17, capability: 5, kind: KIND_SURFACE_POSITION }), GROUND],
  ['an extended squitter without capability', message({ df: 18 }), -1],
])('%s', (_, frame, expected) => {
  expect(airGroundOf(frame)).toBe(expected);
});

test('"airborne" of a reply is only "not said to be on the ground"', () => {
  const reply = message({ df: 4 });
  reply.surveillance.onGround = 0;
  expect(airGroundOf(reply)).toBe(UNCERTAIN);
  reply.surveillance.onGround = 1;
  expect(airGroundOf(reply)).toBe(GROUND);
});

describe('the state', () => {
  test('stays certain when something uncertain is said', () => {
    const { aircraft } = benchAircraft();
    foldAirGround(aircraft, GROUND);
    foldAirGround(hear(aircraft, 1000), UNCERTAIN);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
  });

  test('is not changed by replies while a better source told it in the last two minutes', () => {
    const { aircraft } = benchAircraft();
    foldAirGround(aircraft, AIRBORNE);
    foldAirGround(hear(aircraft, 120_000, SOURCE_MODE_S), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(AIRBORNE);
    foldAirGround(hear(aircraft, 120_001, SOURCE_MODE_S), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
  });

  test('is told by positions alone while they are fresh', () => {
    const { aircraft } = benchAircraft();
    foldPositionForm(aircraft, airborne, AIRBORNE);
    for (const field of [F_CPR_EVEN, F_CPR_ODD, F_RELIABLE]) put(aircraft, field, 1);
    foldAirGround(hear(aircraft, 5000, SOURCE_ADSB), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(AIRBORNE);
    foldAirGround(hear(aircraft, 20_000, SOURCE_ADSB), GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
  });

  test('follows the form of positions: landing and taking off', () => {
    const { aircraft } = benchAircraft();
    foldPositionForm(aircraft, airborne, AIRBORNE);
    foldPositionForm(hear(aircraft, 1000), surface, GROUND);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(GROUND);
    foldPositionForm(hear(aircraft, 2000), airborne, UNCERTAIN);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(AIRBORNE);
  });

  test('becomes uncertain, not airborne, when an aircraft on the ground sends airborne positions', () => {
    const { aircraft } = benchAircraft();
    foldAirGround(aircraft, GROUND);
    foldPositionForm(hear(aircraft, 1000), airborne, UNCERTAIN);
    expect(fieldValue(aircraft, F_AIR_GROUND)).toBe(UNCERTAIN);
  });
});
