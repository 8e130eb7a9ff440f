// Headings: their reference; the true heading from a magnetic one: where, when, and what it may replace.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { Message } from '../decode/message.ts';
import { fieldSource, fieldTime, fieldValue, isValid, put, SOURCE_ADSB, SOURCE_INDIRECT, SOURCE_MODE_S } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldHeading, foldMagneticHeading, foldReferences } from './heading.ts';
import { F_MAG_HEADING, F_POSITION, F_TRACK, F_TRUE_HEADING, X_LONGITUDE } from './layout.ts';

/** 2025-07-29T22:23:09Z over New York: the declination is −12.60°. */
const DATE_MS = 1_753_827_789_000;
const NEW_YORK = [40_640_000, -73_780_000] as const;
/** Over Sydney: +12.82°. */
const SYDNEY = [-33_950_000, 151_180_000] as const;

function movePosition(aircraft: Aircraft, [latitude, longitude]: readonly [number, number]): void {
  put(aircraft, F_POSITION, latitude);
  aircraft.words[aircraft.at + X_LONGITUDE] = longitude;
}

function overNewYork(): Aircraft {
  const { aircraft } = benchAircraft();
  aircraft.timeBaseMs = DATE_MS;
  movePosition(aircraft, NEW_YORK);
  return aircraft;
}

function status(headingMagnetic: number, trackNotHeading: number): Message {
  const message = new Message();
  Object.assign(message.operationalStatus, { headingMagnetic, trackNotHeading });
  return message;
}

const trueHeading = (aircraft: Aircraft) => (isValid(aircraft, F_TRUE_HEADING) ? fieldValue(aircraft, F_TRUE_HEADING) : null);

describe('a heading of an extended squitter', () => {
  test('is magnetic until the operational status says that headings are true', () => {
    const { aircraft } = benchAircraft();
    foldHeading(aircraft, 9000);
    expect([isValid(aircraft, F_MAG_HEADING), isValid(aircraft, F_TRUE_HEADING)]).toEqual([true, false]);
    foldReferences(aircraft, status(0, 1));
    foldHeading(hear(aircraft, 1000), 9100);
    expect([fieldTime(aircraft, F_MAG_HEADING), fieldValue(aircraft, F_TRUE_HEADING)]).toEqual([0, 9100]);
    expect(fieldSource(aircraft, F_TRUE_HEADING)).toBe(SOURCE_ADSB);
    foldReferences(aircraft, status(1, 1));
    foldHeading(hear(aircraft, 2000), 9200);
    expect(fieldValue(aircraft, F_MAG_HEADING)).toBe(9200);
  });
});

describe('the true heading of a magnetic one', () => {
  test('uses the declination at the position, and is indirect', () => {
    const aircraft = overNewYork();
    foldMagneticHeading(aircraft, 9000);
    expect(trueHeading(aircraft)).toBe(7740);
    expect(fieldSource(aircraft, F_TRUE_HEADING)).toBe(SOURCE_INDIRECT);
    expect(aircraft.source).toBe(SOURCE_ADSB);
    movePosition(hear(aircraft, 60_000), SYDNEY);
    foldMagneticHeading(aircraft, 9000);
    expect(trueHeading(aircraft)).toBe(10_282);
  });

  test('is not derived for an aircraft whose position is unknown, or was last known 10 minutes ago', () => {
    const { aircraft } = benchAircraft();
    foldMagneticHeading(aircraft, 9000);
    expect([isValid(aircraft, F_MAG_HEADING), trueHeading(aircraft)]).toEqual([true, null]);
    const lost = overNewYork();
    foldMagneticHeading(hear(lost, 600_000), 9000);
    expect(trueHeading(lost)).toBe(7740);
    const long = overNewYork();
    foldMagneticHeading(hear(long, 600_001), 9000);
    expect(trueHeading(long)).toBeNull();
  });

  test('is refused 45° and more from the track', () => {
    for (const [track, derived] of [
      [7740 + 4499, 7740],
      [7740 + 4500, null],
      [7740 - 4499, 7740],
      [7740 - 4500, null],
    ] as const) {
      const aircraft = overNewYork();
      put(aircraft, F_TRACK, track);
      foldMagneticHeading(aircraft, 9000);
      expect(trueHeading(aircraft)).toBe(derived);
    }
    const stale = overNewYork();
    put(stale, F_TRACK, 27_000);
    foldMagneticHeading(hear(stale, 60_001), 9000);
    expect(trueHeading(stale)).toBe(7740);
  });

  test('waits 15 s after a true heading that the aircraft itself reports', () => {
    const aircraft = overNewYork();
    put(aircraft, F_TRUE_HEADING, 7700);
    foldMagneticHeading(hear(aircraft, 14_000, SOURCE_MODE_S, false), 9000);
    expect([trueHeading(aircraft), fieldSource(aircraft, F_TRUE_HEADING)]).toEqual([7700, SOURCE_ADSB]);
    foldMagneticHeading(hear(aircraft, 15_000, SOURCE_MODE_S), 9000);
    expect([trueHeading(aircraft), fieldSource(aircraft, F_TRUE_HEADING)]).toEqual([7740, SOURCE_INDIRECT]);
    expect(aircraft.source).toBe(SOURCE_MODE_S);
  });
});
