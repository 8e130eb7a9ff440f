// Forms of text parameters: what they allow, and their words for what they do not.
import { describe, expect, test } from 'vitest';
import { codeList, routeList } from './flight-filters.ts';
import { cursorForm } from './flight-order.ts';
import { instantForm, instantMs } from './instants.ts';
import { boxForm, circleForm } from './readsb-query.ts';
import { anyList, EXPLAIN, hexForm, hexList, nameList, squawkList, type TextForm } from './text-forms.ts';

const fits = ({ pattern }: TextForm, value: string): boolean => new RegExp(pattern, 'u').test(value);
const names = nameList(['adsb', 'adsb_icao', 'mlat'], 'expected a source');

test.each([
  [hexForm, ['abc123', '~ABC123'], ['abc12', 'abc1234', ' abc123', '~~abc123', 'abc123,abc123', '']],
  [hexList, ['abc123', 'abc123, ~DEF456 ,000000'], ['', ',', 'abc123,', 'abc123,,abc123', 'xyz123', 'abc123;abc123']],
  [squawkList, ['7700', '7700,0000'], ['9999', '770', '7700,']],
  [names, ['mlat', 'adsb_icao,adsb', 'adsb , mlat'], ['MLAT', 'adsb_', '', 'adsb,adsb,adsb,adsb']],
  [codeList, ['AMS', 'ams,NL-0017'], ['', 'AMS,', 'É', 'AMS-LHR-', '123456789']],
  [routeList, ['AMS-LHR', 'ams-lhr,LHR-AMS'], ['AMS', 'AMS-', '-LHR', 'A-B-C']],
  [
    cursorForm,
    ['hex..4ca7b3', '-flight.S0xN.~4ca7b3', 'gs..4ca7b3', '-alt_baro.-25.4ca7b3'],
    ['gs.x.4ca7b3', 'hex.1.4ca7b3', 'name..4ca7b3', 'WyJoZXgi'],
  ],
  [boxForm, ['51,53,3,7', '-90, 90,-180,180.0', '.5,5.,1,99.9'], ['51,53,3', '91,53,3,7', '1,2,181,3', '1e1,2,3,4', '1,2,199,3']],
  [circleForm, ['52.3,4.76,100', '0,0,0'], ['52.3,4.76', '1,2,-5', '60,19,4,10']],
  [anyList, ['', 'any thing,,é', ','.repeat(999)], [','.repeat(1000)]],
])('%#', (form, valid, wrong) => {
  expect(valid.filter((value) => !fits(form, value))).toEqual([]);
  expect(wrong.filter((value) => fits(form, value))).toEqual([]);
});

test('the words name the item that does not fit, and the nearest name', () => {
  expect(names[EXPLAIN]('adsb,mlot')).toEqual({ value: 'mlot', detail: 'did you mean mlat?' });
  expect(names[EXPLAIN]('adsb,radar-station')).toEqual({ value: 'radar-station', detail: 'expected a source' });
  expect(names[EXPLAIN]('adsb,adsb,adsb,adsb').detail).toBe('expected at most 3 items, got 4');
  expect(hexList[EXPLAIN]('abc123,nonsense').value).toBe('nonsense');
});

test('no pattern is slow for a long value', () => {
  const long = [...[' ', ' ,', 'abc123 ', '-', '1'].map((text) => text.repeat(8000 / text.length)), `${'abc123 , '.repeat(900)}x`];
  for (const form of [hexList, squawkList, names, codeList, routeList, cursorForm, boxForm, circleForm, anyList, instantForm])
    for (const value of long) fits(form, value);
});

describe('moments', () => {
  test('every day from 1970 to 2199, and no other', () => {
    const two = (number: number): string => String(number).padStart(2, '0');
    const wrong: string[] = [];
    for (let year = 1970; year < 2200; year += 1)
      for (let month = 0; month <= 13; month += 1)
        for (let day = 27; day <= 32; day += 1) {
          const text = `${year}-${two(month)}-${two(day)}T00:00:00Z`;
          const ms = Date.parse(text);
          const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
          if (fits(instantForm, text) !== exists) wrong.push(text);
        }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['0', 0],
    ['1700000000.5', 1_700_000_000_500],
    ['9999999999', 9_999_999_999_000],
    ['2026-11-22T10:00:00Z', 1_795_341_600_000],
    ['2026-11-22T10:00:00.25+01:30', 1_795_336_200_250],
    ['1970-01-01T00:00:00+23:59', 0],
  ])('%s', (text, ms) => {
    expect(fits(instantForm, text)).toBe(true);
    expect(instantMs(text)).toBe(ms);
  });

  test.each([
    ...['', '-1', '99999999999', '1e3', '2026-02-30T10:00:00Z', '1969-12-31T00:00:00Z', '2200-01-01T00:00:00Z', '2026-11-22'],
    ...['2026-11-22T24:00:00Z', '2026-11-22T10:60:00Z', '2026-11-22T10:00:00', '2026-11-22T10:00:00+24:00', '2026-11-22 10:00:00Z'],
  ])('not %j', (text) => {
    expect(fits(instantForm, text)).toBe(false);
  });
});
