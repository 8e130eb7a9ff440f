// Call sign, squawk, alert and identification.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { Identification, Position } from '../decode/message.ts';
import { fieldValue, isValid, SOURCE_MODE_S } from './accept.ts';
import { foldIdentification, foldSquawk, foldSurveillanceStatus, SQUAWK_AGAIN_MS } from './identity.ts';
import { B_CATEGORY, F_ALERT, F_CALLSIGN, F_SPI, F_SQUAWK, X_FLIGHT } from './layout.ts';

function identification(flight: string, flightValid = true): Identification {
  const out = new Identification();
  out.flight.set(Buffer.from(flight));
  return Object.assign(out, { flightValid, category: 0xa3 });
}

test('a call sign is stored as sent; one with invalid characters is refused', () => {
  const { aircraft } = benchAircraft();
  foldIdentification(aircraft, identification('DLH123  '));
  foldIdentification(hear(aircraft, 100), identification('D?H123  ', false));
  const at = aircraft.byte + 4 * X_FLIGHT;
  expect(Buffer.from(aircraft.bytes.subarray(at, at + 8)).toString()).toBe('DLH123  ');
  expect(isValid(aircraft, F_CALLSIGN)).toBe(true);
  expect(aircraft.bytes[aircraft.byte + B_CATEGORY]).toBe(0xa3);
});

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
