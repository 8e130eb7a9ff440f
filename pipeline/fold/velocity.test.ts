// Speeds and directions: version, surface angles, impossible airspeeds, and derived values.
import { expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { Message, Position, Velocity } from '../decode/message.ts';
import { fieldValue, isValid } from './accept.ts';
import { foldReferences } from './heading.ts';
import { F_GROUND_SPEED, F_IAS, F_MAG_HEADING, F_TAS, F_TRACK, F_TRUE_HEADING } from './layout.ts';
import { foldSurfaceMotion, foldVelocity } from './velocity.ts';

const velocity = (overrides: Partial<Velocity>): Velocity => Object.assign(new Velocity(), overrides);

function status(headingMagnetic: number, trackNotHeading: number): Message {
  const message = new Message();
  Object.assign(message.operationalStatus, { headingMagnetic, trackNotHeading });
  return message;
}

test('a surface position reports the heading of some aircraft, the track of others', () => {
  const { aircraft } = benchAircraft();
  const position = Object.assign(new Position(), { trackCentideg: 4500, groundSpeedDeciKt: 100, groundSpeedV0DeciKt: 105 });
  foldSurfaceMotion(aircraft, position);
  expect([isValid(aircraft, F_TRACK), isValid(aircraft, F_MAG_HEADING)]).toEqual([true, false]);
  foldReferences(aircraft, status(1, 0));
  foldSurfaceMotion(hear(aircraft, 500), position);
  expect(fieldValue(aircraft, F_MAG_HEADING)).toBe(4500);
  foldReferences(aircraft, status(0, 0));
  foldSurfaceMotion(hear(aircraft, 1000), position);
  expect(fieldValue(aircraft, F_TRUE_HEADING)).toBe(4500);
});

test.each([
  [0, 105],
  [1, 105],
  [2, 100],
])('surface speed of version %i', (version, deciKt) => {
  const { aircraft } = benchAircraft();
  aircraft.version = version;
  foldSurfaceMotion(aircraft, Object.assign(new Position(), { groundSpeedDeciKt: 100, groundSpeedV0DeciKt: 105 }));
  expect(fieldValue(aircraft, F_GROUND_SPEED)).toBe(deciKt);
});

test('a true airspeed below the indicated one is refused', () => {
  const { aircraft } = benchAircraft();
  foldVelocity(aircraft, velocity({ iasKt: 280 }));
  foldVelocity(hear(aircraft, 500), velocity({ tasKt: 279 }));
  expect(isValid(aircraft, F_TAS)).toBe(false);
  foldVelocity(hear(aircraft, 1000), velocity({ tasKt: 420 }));
  expect([fieldValue(aircraft, F_IAS), fieldValue(aircraft, F_TAS)]).toEqual([280, 420]);
});
