// Mean signal level of the last eight messages.
import { expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { foldSignal, rssiDeciDbfs } from './signal.ts';

test('is the mean of powers, of the last eight only', () => {
  const { aircraft } = benchAircraft();
  for (let i = 0; i < 20; i += 1) foldSignal(hear(aircraft, i), 255);
  for (let i = 0; i < 4; i += 1) foldSignal(hear(aircraft, 20 + i), 1);
  expect(rssiDeciDbfs(aircraft)).toBe(-30);
});

test('is dropped after 15 s of messages without a level', () => {
  const { aircraft } = benchAircraft();
  for (let i = 0; i < 8; i += 1) foldSignal(hear(aircraft, i), 255);
  foldSignal(hear(aircraft, 15_007), 0);
  expect(rssiDeciDbfs(aircraft)).toBe(0);
  foldSignal(hear(aircraft, 15_008), 0);
  expect(rssiDeciDbfs(aircraft)).toBe(-495);
});
