// Selections of aircraft, filters and parsers, without HTTP; readsb's queries are made of the same.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { FlightModel } from '../../test/support/flight-api.ts';
import { createSixFlightsModel } from '../../test/support/six-flights.ts';
import { listAircraft } from './aircraft-list.ts';
import { declaredWithLifeguard, emergencies, emergencyReasons } from './emergencies.ts';
import { QueryError, unknownParameter } from './errors.ts';
import { listItems } from './list-filters.ts';
import { decimal, notDecimal } from './numbers.ts';
import { aircraftObjects, pickFields } from './objects.ts';
import { readsbSelect } from './readsb-query.ts';
import {
  boxOf,
  byHex,
  bySquawk,
  byText,
  circleOf,
  everyAircraft,
  everyWithPosition,
  nearest,
  parseHexes,
  parseSquawks,
  withFlags,
} from './selections.ts';

let six: FlightModel;
let snapshot: Snapshot;
beforeAll(async () => {
  six = await createSixFlightsModel();
  snapshot = six.model.view.current()!;
});

const hexes = (selection: Selection): unknown[] => aircraftObjects(snapshot, 'native', selection).map(({ hex }) => hex);
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('selections', () => {
  test('by hex, in the requested order, of the selected ones', () => {
    expect(hexes(byHex(snapshot, parseHexes('480002,480000,ABCDEF,480000'), undefined))).toEqual(['480002', '480000']);
    expect(hexes(byHex(snapshot, parseHexes('480002'), () => false))).toEqual([]);
    for (const bad of ['48000', 'xyzxyz']) expect(() => parseHexes(bad)).toThrow(code('api.bad_value'));
  });

  test('by text and squawk', () => {
    expect(hexes(byText(snapshot.listing, 'flight', listItems('klm 1,DLH99'), undefined))).toEqual(['480004', '480003']);
    expect(hexes(bySquawk(snapshot.listing, parseSquawks('7700'), undefined))).toEqual(['480003']);
  });

  test('by position', () => {
    expect(circleOf(50, 10, 9999).radiusNm).toBe(250);
    expect(hexes(nearest(snapshot.listing, circleOf(52.31, 4.77, 50), 1, undefined))).toEqual(['480001']);
    expect(() => boxOf(2, 0, 1, 0)).toThrow(code('api.bad_value'));
    expect(everyAircraft(snapshot, undefined).count).toBe(7);
    expect(everyWithPosition(snapshot, undefined).count).toBe(6);
    expect(withFlags(snapshot.listing, 1, undefined).count).toBe(0);
  });

  test('in an emergency', () => {
    const found = emergencies(snapshot.listing);
    expect(hexes(found)).toEqual(['480003']);
    expect(emergencyReasons(snapshot.listing, found.indices[0]!, declaredWithLifeguard)).toEqual(['squawk_7700']);
  });

  test('filtered and limited, as objects', () => {
    const { model } = six;
    const list = listAircraft(model, snapshot, { operator: 'KL', min_altitude: 1, limit: 1 }, everyAircraft);
    expect([list.selection.count, list.isTruncated]).toEqual([1, true]);
    expect(listAircraft(model, snapshot, {}, everyAircraft)).toMatchObject({ selection: { count: 7 }, isTruncated: false });
    const pick = pickFields('flight');
    expect(aircraftObjects(snapshot, 'native', byHex(snapshot, [0x48_0004], undefined)).map(pick)).toEqual([
      { hex: '480004', flight: 'KLM1    ' },
    ]);
  });
});

describe("readsb's queries", () => {
  const found = (query: Record<string, string>): unknown[] => hexes(readsbSelect(query)(snapshot, undefined)).sort();

  test('select and filter', () => {
    expect(found({ all: '' }).length).toBe(7);
    expect(found({ jv2: '' }).length).toBe(7);
    expect(found({ all: '', filter_squawk: '7700' })).toEqual(['480003']);
    expect(found({ circle: '52.31,4.77,5' })).toEqual(['480001', '480005']);
    expect(found({ closest: '52.31,4.77,5' })).toEqual(['480001']);
    expect(found({ box: '50,53,2,5' })).toEqual(['480001', '480004', '480005']);
    expect(found({ find_hex: '480000' })).toEqual(['480000']);
    expect(found({ filter_callsign_exact: 'klm1,DLH99,KLM' })).toEqual(['480003', '480004']);
    expect(found({ filter_callsign_prefix: 'DLH9,KLM1885' })).toEqual(['480000', '480003']);
  });

  test('a box whose south is greater than its north is an error', () => {
    expect(() => found({ box: '5,4,0,1' })).toThrow(code('api.bad_value'));
  });
});

test('errors name the parameters at fault', () => {
  const error = unknownParameter(['limt'], ['limit', 'sort']);
  expect(error).toBeInstanceOf(QueryError);
  expect(error.parameters).toEqual([{ param: 'limt', detail: 'did you mean limit?' }]);
});

test('numbers are read strictly', () => {
  expect(['1', '-1.5e2', ' 2', '+.5'].map(decimal)).toEqual([1, -150, 2, 0.5]);
  expect(['', ' ', '0x10', '1e400', '1,5', 'NaN'].map(decimal)).toEqual(Array(6).fill(Number.NaN));
  expect(['1,5', '1e400', 'x'].map(notDecimal)).toEqual([
    'expected a decimal point, got a comma',
    'the number is too large',
    'expected a decimal number',
  ]);
});
