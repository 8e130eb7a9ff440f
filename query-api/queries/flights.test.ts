// Queries about flights, airports, operators and the network: plain functions over a read model, without HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { FlightModel } from '../../test/support/flight-api.ts';
import { AMS, createSixFlightsModel, VIE } from '../../test/support/six-flights.ts';
import { airportPair, pairMembers, pairSummary } from './airport-pair.ts';
import { activeAirports, knownAirport, nearbyAirports, trafficSummary } from './airports.ts';
import { callsignRoute } from './callsign-routes.ts';
import type { FlightIndex } from './flight-index.ts';
import { alternative, findFlight } from './flight-lookup.ts';
import { flightPage } from './flight-page.ts';
import { outlineFile, receiverFile, statisticsFile } from './maps/figures.ts';
import { aircraftByCountry, bySourceKind, countryRows, networkStatistics } from './network.ts';
import { knownOperator, knownType, operatorsNow, typesNow } from './operators.ts';
import type { ReadModel } from './read-model.ts';

let six: FlightModel;
let model: ReadModel;
let snapshot: Snapshot;
let index: FlightIndex;
beforeAll(async () => {
  six = await createSixFlightsModel();
  model = six.model;
  snapshot = model.view.current()!;
  index = model.flights.of(snapshot);
});

const callsigns = (indices: readonly number[]): (string | undefined)[] => indices.map((i) => snapshot.listing.flights[i]?.trim());

describe('one flight', () => {
  test('is found by call sign, registration and address, whatever its letters', () => {
    const [{ i, matchedBy }] = findFlight(snapshot, ' klm1885');
    expect([callsigns([i]), matchedBy]).toEqual([['KLM1885'], 'callsign']);
    const registration = snapshot.listing.facts[i]!.registration!;
    expect(findFlight(snapshot, registration.replace('-', '').toLowerCase())[0]).toEqual({ i, matchedBy: 'registration' });
    expect(findFlight(snapshot, '480000')[0]).toEqual({ i, matchedBy: 'hex' });
    expect(alternative(snapshot.listing, { i, matchedBy })).toEqual({
      hex: '480000',
      flight: 'KLM1885 ',
      r: registration,
      matched_by: 'callsign',
    });
  });

  test('without an aircraft is an error of the catalogue that repeats little of the request', () => {
    expect(() => findFlight(snapshot, 'X'.repeat(1000))).toThrow(expect.objectContaining({ code: 'api.flight_not_found' }));
    expect(() => findFlight(snapshot, 'X'.repeat(1000))).toThrow(/X{40}…$/);
  });
});

describe('pages of flights', () => {
  const walk = (sort: string, limit: number): { callsigns: unknown[]; pages: number } => {
    const found: unknown[] = [];
    let cursor: string | null = null;
    for (let pages = 1; ; pages += 1) {
      const page = flightPage(index, { limit, sort, ...(cursor === null ? {} : { cursor }) }, {});
      expect(page.matches).toBe(6);
      found.push(...callsigns(page.indices));
      cursor = page.next;
      if (cursor === null) return { callsigns: found, pages };
    }
  };

  test('follow each other without a gap, in every order, and vehicles are none', () => {
    const all = ['DLH4AB', 'DLH99', 'KLM1', 'KLM1885', 'KLM27N', 'PHABC'];
    expect(walk('flight', 4)).toEqual({ callsigns: all, pages: 2 });
    expect(walk('-flight', 6)).toEqual({ callsigns: [...all].reverse(), pages: 1 });
    expect(walk('alt_baro', 1)).toEqual({ callsigns: ['KLM27N', 'KLM1', 'DLH4AB', 'KLM1885', 'DLH99', 'PHABC'], pages: 6 });
  });

  test('hold those that are wanted, among those given', () => {
    const among = index.flights.filter((i) => snapshot.listing.flights[i]?.startsWith('KLM'));
    const page = flightPage(index, { limit: 1, sort: 'flight' }, { among, isWanted: (i) => snapshot.listing.flights[i] !== 'KLM1    ' });
    expect([callsigns(page.indices), page.matches]).toEqual([['KLM1885'], 2]);
  });
});

describe('airports', () => {
  test('are known by any code, with blanks around it', () => {
    expect(knownAirport(model, ' ams ').block).toEqual(AMS);
    expect(() => knownAirport(model, 'QQQQ')).toThrow(expect.objectContaining({ code: 'api.unknown_airport' }));
  });

  test('nearby ones are sorted by distance, within the greatest radius', () => {
    const { radiusNm, airports } = nearbyAirports(model, { lat: 52.3, lon: 4.8, radius: 9999, limit: 2 });
    expect(radiusNm).toBe(500);
    expect(airports).toEqual([
      expect.objectContaining({ local: 'NL-0017', distance_nm: 0, bearing: expect.any(Number) }),
      expect.objectContaining({ icao: 'EHAM', distance_nm: expect.closeTo(1.4, 0) }),
    ]);
  });

  test('active ones have the most movements first', () => {
    const rows = activeAirports(index).map(({ airport, arrivals, departures }) => [airport.code, arrivals, departures]);
    expect(rows).toEqual([
      ['EHAM', 1, 3],
      ['LOWW', 2, 1],
      ['EGLL', 1, 0],
    ]);
    const ams = knownAirport(model, 'AMS');
    expect(trafficSummary(model, index, index.at(ams))).toMatchObject({ arrivals: 1, departures: 3 });
  });

  test('between two of them', () => {
    const pair = airportPair(model, 'AMS', 'VIE');
    const flights = index.between(pair.origin.key, pair.destination.key);
    expect(callsigns(flights).sort()).toEqual(['KLM1885', 'KLM27N']);
    expect(pairMembers(pair)).toEqual({ origin: AMS, destination: VIE, distance_nm: 518.1 });
    expect(pairSummary(model, index, flights)).toMatchObject({
      flights: ['KLM1885', 'KLM27N'],
      altitude: { min: 0, max: 36_000, mean: 18_000 },
    });
    expect(pairSummary(model, index, [])).not.toHaveProperty('altitude');
  });

  test('routes of call signs: the live one, else the schedule, else nothing', () => {
    six.reference.routes.set('XYZ1', ['EHAM', 'LOWW']);
    const codes = (callsign: string) => (callsignRoute(model, { callsign }) as Record<string, unknown>)['airport_codes'];
    expect(['KLM1', 'XYZ1', 'XYZ2'].map(codes)).toEqual(['EHAM-EGLL', 'EHAM-LOWW', 'unknown']);
    expect(callsignRoute(model, { callsign: 'XYZ1', lat: 50, lng: 10 })).toHaveProperty('plausible', true);
  });
});

describe('operators, types and the network', () => {
  test('operators and types by code: those of reference data, and those that only fly', () => {
    expect(knownOperator(model, snapshot, 'kl')).toMatchObject({ icao: 'KLM', country: 'NL' });
    expect(() => knownOperator(model, snapshot, 'QQQ')).toThrow(expect.objectContaining({ code: 'api.unknown_operator' }));
    expect(knownType(model, snapshot, 'b738')).toEqual({ t: 'B738', desc: 'BOEING 737-800' });
    expect(() => knownType(model, snapshot, 'QQQ')).toThrow(expect.objectContaining({ code: 'api.unknown_type' }));
  });

  test('who flies now, and with what', () => {
    expect(operatorsNow(model, index)).toEqual([
      expect.objectContaining({ icao: 'KLM', aircraft_count: 3, airborne: 2, ground: 1, callsigns: ['KLM1', 'KLM1885', 'KLM27N'] }),
      expect.objectContaining({ icao: 'DLH', aircraft_count: 2, airborne: 2, ground: 0 }),
    ]);
    expect(typesNow(model, index)).toEqual([
      expect.objectContaining({ t: 'B738', aircraft_count: 4 }),
      expect.objectContaining({ t: 'A320', aircraft_count: 2 }),
    ]);
  });

  test('the network in numbers', () => {
    expect(networkStatistics(model, index)).toMatchObject({
      ...{ aircraft_total: 7, with_position: 6, airborne: 5, ground: 2 },
      sources: { adsb_icao: 7, mlat: 0, tisb: 0, adsr: 0 },
      countries: [{ code: 'NL', name: 'Netherlands', count: 7 }],
    });
    expect(countryRows(model, index)).toEqual({
      rows: [{ country: 'NL', name: 'Netherlands', aircraft_count: 7, airborne: 5, ground: 2 }],
      unknown: 0,
    });
    expect(aircraftByCountry(model, index)).toBe(aircraftByCountry(model, index));
    expect(bySourceKind(snapshot.listing)['adsb_icao']).toBe(7);
  });

  test('the small files of web maps', () => {
    const reader = { history: 7, hasTraces: true, isReplayed: false };
    const settings = { version: 'squitter', readsb: true, refresh: 1000, history: 7 };
    expect(receiverFile(model.maps, reader)).toEqual({ ...settings, haveTraces: true });
    expect(receiverFile(model.maps, { ...reader, isReplayed: true })).toMatchObject({ haveReplay: true });
    expect(receiverFile(model.maps, { ...reader, hasTraces: false })).toEqual(settings);
    expect(statisticsFile(model.maps, snapshot)).toMatchObject({ aircraft_with_pos: 6, aircraft_without_pos: 1 });
    expect(outlineFile(model.maps)).toEqual({ actualRange: { last24h: { points: [] } } });
  });
});
