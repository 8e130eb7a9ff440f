// Which source may write a field, and for how long its value stays.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { fieldSource, fieldValue, put, SOURCE_ADSB, SOURCE_MODE_S, SOURCE_TISB, STALE_MS } from './accept.ts';
import { F_TRACK } from './layout.ts';

describe('a value', () => {
  test('is taken from a higher source at once, from a lower one only after 15 s', () => {
    const { aircraft } = benchAircraft();
    hear(aircraft, 0, SOURCE_TISB);
    expect(put(aircraft, F_TRACK, 100)).toBe(true);
    hear(aircraft, 10, SOURCE_ADSB);
    expect(put(aircraft, F_TRACK, 200)).toBe(true);
    hear(aircraft, 10 + STALE_MS - 1, SOURCE_TISB);
    expect(put(aircraft, F_TRACK, 300)).toBe(false);
    hear(aircraft, 10 + STALE_MS, SOURCE_TISB);
    expect(put(aircraft, F_TRACK, 300)).toBe(true);
    expect(fieldValue(aircraft, F_TRACK)).toBe(300);
    expect(fieldSource(aircraft, F_TRACK)).toBe(SOURCE_TISB);
  });

  test('of a lower source replaces it after 15 s, also while nothing reliable is heard of the aircraft', () => {
    const { aircraft } = benchAircraft();
    put(aircraft, F_TRACK, 100);
    hear(aircraft, STALE_MS - 1, SOURCE_MODE_S, false);
    expect(put(aircraft, F_TRACK, 200)).toBe(false);
    hear(aircraft, STALE_MS, SOURCE_MODE_S, false);
    expect(put(aircraft, F_TRACK, 200)).toBe(true);
  });

  test('is not replaced by an older frame that comes late', () => {
    const { aircraft } = benchAircraft();
    hear(aircraft, 1000);
    put(aircraft, F_TRACK, 100);
    hear(aircraft, 999, SOURCE_ADSB, false);
    expect(put(aircraft, F_TRACK, 200)).toBe(false);
  });
});
