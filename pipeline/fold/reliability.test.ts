// Reliability of positions: what decodes add and implausible positions subtract.
import { expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { SOURCE_ADSB, takeOver } from './accept.ts';
import { B_LOCAL_ALLOWED, F_POSITION } from './layout.ts';
import { countBad, countDecode, isReliable, isUnsupported } from './reliability.ts';

test('two decodes of each parity make positions reliable; sixteen implausible ones in a row remove the highest reliability', () => {
  const { aircraft } = benchAircraft();
  takeOver(hear(aircraft, 1000, SOURCE_ADSB), F_POSITION);
  const reliable: boolean[] = [];
  for (let i = 0; i < 8; i += 1) {
    countDecode(aircraft, i % 2 === 1, 50e6, 8e6);
    reliable.push(isReliable(aircraft));
  }
  expect(reliable.indexOf(true)).toBe(2);
  const left: boolean[] = [];
  while (!left.at(-1)) left.push(countBad(aircraft, 1));
  expect(left).toHaveLength(16);
  expect([isReliable(aircraft), isUnsupported(aircraft)]).toEqual([false, true]);
  // The last position may still help to decode a single frame; the result is not shown.
  expect(aircraft.bytes[aircraft.byte + B_LOCAL_ALLOWED]).toBe(1);
});
