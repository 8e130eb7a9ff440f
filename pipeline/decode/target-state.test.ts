// Target state: real version-2 frames, and version 1 by its own layout.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_EXTENDED_OTHER } from './message.ts';

const AUTOPILOT = 1;
const VNAV = 2;
const ALTITUDE_HOLD = 4;
const LNAV = 16;
const TCAS = 32;

describe('subtype 1', () => {
  test('autopilot, VNAV, LNAV and TCAS (test frame of xoolive/rs1090, MIT)', () => {
    expect(decodeHex('8da05629ea21485cbf3f8cadaeeb').targetState).toMatchObject({
      navAltitudeMcpFt: 16_992,
      navQnhDeciHpa: 10_128,
      navHeadingCentideg: 6680,
      navModes: AUTOPILOT | VNAV | LNAV | TCAS,
    });
  });

  test('FMS altitude, per-sample SIL, the limits of each range, no modes engaged', () => {
    const of = (...groups: number[]) => decodeHex(squitter([29, 5, 1, 2, ...groups])).targetState;
    expect(of(1, 1, 1, 1, 2047, 11, 511, 9, 1, 1, 511, 9)).toMatchObject({
      navAltitudeMcpFt: ABSENT,
      navAltitudeFmsFt: 65_472,
      navQnhDeciHpa: 12_080,
      navHeadingCentideg: 35_930,
      silType: 2,
    });
    expect(of(0, 1, 0, 1, 1, 11, 1, 9, 0, 1, 511, 9, 0, 4, 0, 1, 0, 2, 1, 1)).toMatchObject({
      navAltitudeMcpFt: 0,
      navAltitudeFmsFt: ABSENT,
      navQnhDeciHpa: 8000,
      navHeadingCentideg: ABSENT,
      navModes: 0,
    });
    expect(of()).toMatchObject({ navAltitudeMcpFt: ABSENT, navAltitudeFmsFt: ABSENT, navQnhDeciHpa: ABSENT, navModes: ABSENT });
  });
});

describe('subtype 0', () => {
  const of = (
    verticalSource: number,
    verticalMode: number,
    altitude: number,
    horizontalSource: number,
    heading: number,
    horizontalMode: number,
  ) =>
    decodeHex(
      squitter([
        ...[29, 5, 0, 2, verticalSource, 2, 0, 4, verticalMode, 2, altitude, 10, horizontalSource, 2, heading, 9],
        ...[0, 1, horizontalMode, 2, 9, 4, 1, 1, 2, 2, 0, 7, 3, 3],
      ]),
    ).targetState;

  test('altitude by source, heading, quality, emergency', () => {
    expect(of(1, 1, 360, 1, 271, 2)).toEqual({
      navAltitudeMcpFt: 35_000,
      navAltitudeFmsFt: ABSENT,
      navQnhDeciHpa: ABSENT,
      navHeadingCentideg: 27_100,
      navModes: AUTOPILOT,
      nicBaro: 1,
      nacP: 9,
      sil: 2,
      silType: 0,
      emergency: 3,
    });
  });

  test('FMS on both axes; holding; nothing available; out of range', () => {
    expect(of(3, 2, 0, 3, 0, 1)).toMatchObject({ navAltitudeFmsFt: -1000, navAltitudeMcpFt: ABSENT, navModes: VNAV | LNAV });
    expect(of(2, 2, 300, 0, 90, 0)).toMatchObject({ navAltitudeMcpFt: ABSENT, navHeadingCentideg: ABSENT, navModes: ALTITUDE_HOLD });
    expect(of(0, 0, 300, 0, 90, 0).navModes).toBe(ABSENT);
    expect(of(1, 1, 1011, 1, 360, 0)).toMatchObject({ navAltitudeMcpFt: ABSENT, navHeadingCentideg: ABSENT });
  });
});

test('subtypes 2 and 3 are not defined', () => {
  for (const subtype of [2, 3]) expect(decodeHex(squitter([29, 5, subtype, 2]))).toMatchObject({ kind: KIND_EXTENDED_OTHER, subtype });
});
