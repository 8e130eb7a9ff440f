// Call sign, squawk, alert and identification.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { Position } from '../decode/message.ts';
import { fieldValue, isValid, SOURCE_MODE_S } from './accept.ts';
import { foldSquawk, foldSurveillanceStatus, SQUAWK_AGAIN_MS } from './identity.ts';
import { F_ALERT, F_SPI, F_SQUAWK } from './layout.ts';

describe('a squawk', () => {
  test('is accepted when it is repeated after 750 ms', () => {
    const { aircraft } = benchAircraft();
    foldSquawk(aircraft, 7700);
    foldSquawk(hear(aircraft, SQUAWK_AGAIN_MS - 1), 7700);
    expect(isValid(aircraft, F_SQUAWK)).toBe(false);
    foldSquawk(hear(aircraft, SQUAWK_AGAIN_MS), 7700);
    expect(isValid(aircraft, F_SQUAWK)).toBe(true);
    expect(fieldValue(aircraft, F_SQUAWK)).toBe(7700);
  });

  test('that came once in between does not replace the known one', () => {
    const { aircraft } = benchAircraft();
    for (const [time, squawk] of [
      [0, 1000],
      [1000, 1000],
      [2000, 7500],
      [3000, 1000],
      [4000, 1000],
    ] as const)
      foldSquawk(hear(aircraft, time, SOURCE_MODE_S), squawk);
    expect(fieldValue(aircraft, F_SQUAWK)).toBe(1000);
  });
});

test('the surveillance status of positions reports alert and SPI', () => {
  const { aircraft } = benchAircraft();
  const reported = [0, 1, 2, 3, 1].map((surveillanceStatus, i) => {
    foldSurveillanceStatus(hear(aircraft, i), Object.assign(new Position(), { surveillanceStatus }));
    return [fieldValue(aircraft, F_ALERT), fieldValue(aircraft, F_SPI)];
  });
  expect(reported).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
    [0, 1],
    // An alert leaves SPI as it was.
    [1, 1],
  ]);
});
