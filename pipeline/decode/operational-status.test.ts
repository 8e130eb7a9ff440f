// Operational status: real version-2 frames, and what older and unknown versions omit.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_EXTENDED_OTHER, KIND_OPERATIONAL_STATUS, ORIGIN_ADSB_NON_TRANSPONDER } from './message.ts';

test('surface vehicle, DF 18, version 2 (test frame of xoolive/rs1090, MIT)', () => {
  const message = decodeHex('903a33fff90200040049001ea8e2');
  expect(message).toMatchObject({ kind: KIND_OPERATIONAL_STATUS, df: 18, origin: ORIGIN_ADSB_NON_TRANSPONDER, subtype: 1 });
  expect(message.operationalStatus).toMatchObject({ version: 2, surface: true, nicA: 0, nicC: 0, nacP: 9, nacV: 0, sil: 0, gva: ABSENT });
});

describe('synthetic: all bits after the version set', () => {
  /** The first two bits of capability class and operational mode are their formats; only 0 is defined. */
  const of = (subtype: number, version: number, classFormat = 0, modeFormat = 0) =>
    decodeHex(squitter([31, 5, subtype, 3, classFormat, 2, 0x3fff, 14, modeFormat, 2, 0x3fff, 14, version, 3, 0x1fff, 13]))
      .operationalStatus;

  test('version 0 contains only its version', () => {
    const { version, surface, ...rest } = of(0, 0);
    expect([version, surface]).toEqual([0, false]);
    expect(new Set(Object.values(rest))).toEqual(new Set([ABSENT]));
  });

  test('version 1 has no SIL supplement, GVA, SDA, NACv, NIC C', () => {
    const newer = { silType: 0, gva: ABSENT, sda: ABSENT, nacV: ABSENT, nicC: ABSENT };
    expect(of(0, 1)).toMatchObject({ nicA: 1, nacP: 15, sil: 3, nicBaro: 1, headingMagnetic: 1, trackNotHeading: ABSENT, ...newer });
    expect(of(1, 1)).toMatchObject({ nicA: 1, nacP: 15, sil: 3, nicBaro: ABSENT, headingMagnetic: 1, trackNotHeading: 0, ...newer });
  });

  test('versions 2 and 3', () => {
    for (const version of [2, 3]) {
      expect(of(0, version)).toMatchObject({ version, silType: 2, gva: 3, sda: 3, nacV: ABSENT, nicC: ABSENT, nicBaro: 1 });
      expect(of(1, version)).toMatchObject({
        version,
        silType: 2,
        gva: ABSENT,
        sda: 3,
        nacV: 7,
        nicC: 1,
        trackNotHeading: 0,
        surface: true,
      });
    }
  });

  test('other formats of capability class and operational mode are not read', () => {
    for (const format of [1, 2, 3]) {
      expect(of(1, 2, format, 0)).toMatchObject({ nacV: ABSENT, nicC: ABSENT, sda: 3, nacP: 15 });
      expect(of(1, 2, 0, format)).toMatchObject({ nacV: 7, nicC: 1, sda: ABSENT, nacP: 15 });
    }
  });

  test('versions 4 to 7 are not defined: nothing else is read', () => {
    for (const version of [4, 5, 6, 7]) expect(of(0, version)).toMatchObject({ version, nicA: ABSENT, nacP: ABSENT, sil: ABSENT });
  });
});

test('subtypes above 1 have no decoder', () => {
  for (const subtype of [2, 7]) expect(decodeHex(squitter([31, 5, subtype, 3]))).toMatchObject({ kind: KIND_EXTENDED_OTHER, subtype });
});
