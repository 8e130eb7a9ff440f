// ACAS resolution advisories: a published report, every field at its bits, the words, and fields that are not a report.
import { describe, expect, test } from 'vitest';
import { decodeHex, frameBytes, squitter, withParity } from '../../test/golden/frames.ts';
import { altitudeCode13 } from '../simulate/encode/codes.ts';
import { advisoryText, complementText, decodeAdvisory, holdsAdvisory } from './advisory.ts';
import { ABSENT, Advisory, KIND_ADVISORY, KIND_SURVEILLANCE } from './message.ts';

/** ARA from its first bits; the rest is zero. */
const araOf = (bits: string) => Number.parseInt(bits.padEnd(14, '0'), 2);
const report = (part: Partial<Advisory>) => Object.assign(new Advisory(), part);

test('an advisory and its threat, N858AE over Texas, 2021-04-05 00:07:16 UTC (ADS-B Exchange, report E2C00006A9DFE4 as published)', () => {
  const message = decodeHex(withParity('8dabc515e2c00006a9dfe4'));
  expect(message).toMatchObject({ kind: KIND_ADVISORY, typeCode: 28, subtype: 2, addressNonIcao: false });
  expect(message.advisory).toMatchObject({ ara: araOf('1100000'), rac: 0, rat: 0, mte: 0, tti: 1, threatAddress: 0xaa77f9 });
  expect(advisoryText(message.advisory)).toBe('Level off');
});

describe('TC 28 subtype 2', () => {
  const of = (tti: number, tid: readonly number[], ara = 0x3fff) =>
    decodeHex(squitter([28, 5, 2, 3, ara, 14, 5, 4, 1, 1, 0, 1, tti, 2, ...tid])).advisory;

  test('a threat with an address', () => {
    expect(of(1, [0x4bab45, 24])).toMatchObject({ ara: 0x3fff, rac: 5, rat: 1, mte: 0, tti: 1, threatAddress: 0x4bab45 });
    expect(of(1, [0x4bab45, 24])).toMatchObject({ threatAltitudeFt: ABSENT, threatRangeDeciNm: ABSENT, threatBearingDeg: ABSENT });
  });

  test('a threat with altitude, range and bearing', () => {
    const located = (altitude: number, range: number, bearing: number) => of(2, [altitude, 13, range, 7, bearing, 6]);
    expect(located(altitudeCode13(35_000, true), 1, 1)).toMatchObject({
      ...{ threatAddress: ABSENT, threatAltitudeFt: 35_000, threatRangeDeciNm: 0, threatBearingDeg: 3 },
    });
    expect(located(0, 0, 0)).toMatchObject({ threatAltitudeFt: ABSENT, threatRangeDeciNm: ABSENT, threatBearingDeg: ABSENT });
    expect(located(0, 127, 60)).toMatchObject({ threatRangeDeciNm: 126, threatBearingDeg: 357 });
    for (const bearing of [61, 62, 63]) expect(located(0, 2, bearing).threatBearingDeg).toBe(ABSENT);
  });

  test('no value of the previous threat survives', () => {
    const out = new Advisory();
    decodeAdvisory(frameBytes('e2c00006a9dfe4'), 0, true, out);
    decodeAdvisory(frameBytes('e2c00000000000'), 0, true, out);
    expect(out).toMatchObject({ tti: 0, threatAddress: ABSENT });
    decodeAdvisory(frameBytes('30c00006a9dfe4'), 0, false, out);
    expect(out).toMatchObject({ tti: ABSENT, threatAddress: ABSENT });
  });

  test('is recognised by the subtype alone; bit 56 belongs to the threat, also when it is relayed', () => {
    const relayed = decodeHex(squitter([28, 5, 2, 3, 0x2000, 14, 0, 6, 2, 2, 0, 25, 1, 1], '963c6586'));
    expect(relayed).toMatchObject({ kind: KIND_ADVISORY, addressNonIcao: false });
  });
});

describe('DF 16', () => {
  const of = (mv: string) => decodeHex(withParity(`80e19530${mv}`, 0x4bab45));

  test('with VDS 3,0 is an advisory without a threat, and still contains the altitude', () => {
    const message = of('30e10000000000');
    expect(message).toMatchObject({ kind: KIND_ADVISORY, df: 16, address: 0x4bab45 });
    expect(message.advisory).toMatchObject({ ara: araOf('11100001'), tti: ABSENT });
    expect(message.surveillance.altitudeBaroFt).toBe(33_000);
  });

  test.each([
    ['another VDS', '31e10000000000'],
    ['no advisory at all', '30000000000000'],
    ['unused bits set', '30e10000000001'],
    ['contradictory complements', '30e10300000000'],
    ['contradictory complements, the other two', '30e100c0000000'],
  ])('%s: not an advisory', (_, mv) => {
    expect(of(mv).kind).toBe(KIND_SURVEILLANCE);
  });
});

test('register 3,0 is recognised by the bits that cannot be set', () => {
  const holds = (hex: string) => holdsAdvisory(frameBytes(hex), 0);
  expect(holds('30c00006a9dfe4')).toBe(true);
  expect(holds('30c00000000000')).toBe(true);
  expect(holds('30000020000000')).toBe(true);
  // Threat altitude, range and bearing 60, then 61.
  expect(holds('30c000080000bc')).toBe(true);
  expect(holds('30c000080000bd')).toBe(false);
  for (const none of ['20c00000000000', '30000000000000', '30c00000000001', '30c00006a9dfe5', '30c0000c000000', '30c00040000000'])
    expect([none, holds(none)]).toEqual([none, false]);
});

describe('in words', () => {
  test.each([
    ['1100000', 'Level off'],
    ['1110000', 'Level off'],
    ['1100001', 'Climb'],
    ['1110001', 'Descend'],
    ['1101001', 'Climb; increase rate'],
    ['1110101', 'Descend; reversal'],
    ['1111111', 'Descend; increase rate; reversal; crossing'],
    ['1000000', 'Monitor vertical speed'],
    ['1000001', 'Maintain vertical speed'],
    ['1000011', 'Maintain vertical speed; crossing'],
  ])('%s with one threat: %s', (bits, text) => {
    expect(advisoryText(report({ ara: araOf(bits) }))).toBe(text);
    // There may be more than one threat, but one advisory covers them all.
    expect(advisoryText(report({ ara: araOf(bits), mte: 1 }))).toBe(text);
  });

  test.each([
    ['0000000', 'Monitor vertical speed'],
    ['0100000', 'Correct upwards; several threats'],
    ['0110000', 'Climb; several threats'],
    ['0001000', 'Correct downwards; several threats'],
    ['0001100', 'Descend; several threats'],
    ['0100111', 'Correct upwards; Descend; crossing; reversal; several threats'],
  ])('%s with several threats: %s', (bits, text) => {
    expect(advisoryText(report({ ara: araOf(bits), mte: 1 }))).toBe(text);
  });

  test('its end, and none', () => {
    expect(advisoryText(report({ ara: araOf('1110001'), rat: 1 }))).toBe('Clear of conflict');
    expect(advisoryText(report({}))).toBe('');
  });

  test('complements', () => {
    expect(complementText(report({ rac: 0 }))).toBe('');
    expect(complementText(report({ rac: 8 }))).toBe('Do not pass below');
    expect(complementText(report({ rac: 6 }))).toBe('Do not pass above; Do not turn left');
    expect(complementText(report({ rac: 1 }))).toBe('Do not turn right');
  });
});
