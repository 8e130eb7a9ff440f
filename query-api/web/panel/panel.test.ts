// Words, routes, samples and waiting times of the panels, without a browser.
import { describe, expect, it } from 'vitest';
import type { Fact } from '../page/lists.ts';
import { ResponseError } from '../page/parts.ts';
import { problemOf, waitOf } from '../page/watch.ts';
import type { Aircraft } from '../sky/picture.ts';
import { onGround } from './board-lines.ts';
import { emergencyOf, factsOf, flightRows, identityRows, integrityRows, positionAge } from './facts.ts';
import { flightAt, pastRouteOf, routeOf, shownTime } from './flight.ts';
import { Samples } from './samples.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const NOW_S = NOW_MS / 1000;
// biome-ignore format: an aircraft as `/v2` has it
const aircraft: Aircraft = {
  hex: '4840d6', source: 'adsb_icao', on_ground: false, flight: 'KLM1023 ', r: 'PH-BXA', t: 'B738', desc: 'BOEING 737-800', dbFlags: 9,
  category: 'A3', alt_baro: 35_000, gs: 450.4, ias: 253, mach: 0.784, track: 271.2, baro_rate: -640, wd: 256, ws: 16, oat: -56, tat: -30,
  true_heading: 270, squawk: '7700', emergency: 'minfuel', nav_modes: ['autopilot', 'tcas'], lat: 52, lon: 5, nic: 8, rc: 186, seen_pos: 0.4,
  version: 2, nac_p: 9, sil: 3, sil_type: 'perhour', mlat: [], tisb: [], messages: 12_345, seen: 0.2, rssi: -13.94,
};
const known = (facts: readonly Fact[]) => Object.fromEntries(facts.filter(([, text]) => text !== undefined));

describe('facts of an aircraft', () => {
  it('says who it is, what it does and how far its position can be trusted, in words', () => {
    const context = { units: 'aviation', me: { lat: 51, lon: 5 }, operator: 'KLM (KLM)' } as const;
    expect(known(factsOf(identityRows, aircraft, context))).toMatchObject({
      ...{ Type: 'B738 · BOEING 737-800', Operator: 'KLM (KLM)', Country: 'Netherlands', Category: 'A3: large aeroplane' },
      Flags: 'military, limited display requested (LADD)',
    });
    expect(known(factsOf(flightRows, aircraft, { ...context, units: 'metric' }))).toMatchObject({
      ...{ Altitude: '10,668 m', 'Climb or descent': '−3.3 m/s', Airspeed: '469 km/h indicated, Mach 0.78' },
      ...{ 'Wind, calculated': '30 km/h from 256°', 'Temperature, calculated': '−56 °C outside, −30 °C total' },
      Autopilot: 'autopilot, collision avoidance on',
    });
    expect(known(factsOf(integrityRows, aircraft, context))).toMatchObject({
      ...{ Position: 'heard 0 s ago', 'From me': '60 nm, bearing 0°', 'Integrity (NIC)': '8: within 186 m' },
      ...{ 'Risk to be outside (SIL)': '3: at most 1 in 10 million per flight hour', 'Accuracy (NACp)': '9: within 30 m' },
      ...{ 'Calculated here': 'wind, temperature, true heading', Signal: '−13.9 dBFS', Messages: '12,345' },
    });
    expect(emergencyOf(aircraft)).toBe('general emergency (squawk 7700), minimum fuel');
    expect(emergencyOf({ hex: '4840d6', squawk: '1000', emergency: 'none' })).toBe('');
  });

  it('tells heard, dead-reckoned, stale and lost positions apart', () => {
    const ages = [{ lat: 1, seen_pos: 3 }, { lat: 1, seen_pos: 12 }, { lat: 1, seen_pos: 40 }, { lastPosition: { seen_pos: 300 } }, {}];
    expect(ages.map((each) => positionAge({ hex: '4840d6', ...each }))).toEqual([
      ...['heard 3 s ago', 'heard 12 s ago, since then dead-reckoned', 'stale: heard 40 s ago'],
      ...['lost: the last one is 5 min old', 'none yet'],
    ]);
  });
});

describe('routes', () => {
  it('has times, and says where a route comes from, or that it is refused', () => {
    const ends = { origin: { iata: 'AMS', name: 'Schiphol' }, destination: { icao: 'EGLL', name: 'Heathrow' } };
    const times = { departed_at: NOW_S - 86_400, eta: NOW_S + 600 };
    const route = routeOf({ hex: '4840d6', ...ends, route_source: 'plan', ...times }, NOW_MS, 'aviation');
    expect(known(route.facts)).toEqual({ 'Took off': '11-25 12:00 UTC', Expected: '12:10 UTC, in 10 min at this speed' });
    expect(route.note).toBe('The route comes from a flight plan: it was not observed.');
    expect(routeOf({ hex: '4840d6', route_plausible: false }, NOW_MS, 'aviation').note).toContain('contradict');
    expect(shownTime(NOW_S, NOW_MS)).toBe('12:00');
  });

  it('finds the flight of a moment among those that ended', () => {
    const times = { first_seen: NOW_S - 100, last_seen: NOW_S + 300, takeoff: NOW_S - 100, landing: NOW_S + 100 };
    const flight = { hex: '4840d6', end: 'parked', ...times };
    expect(flightAt([flight], NOW_MS)).toBe(flight);
    expect(flightAt([flight], NOW_MS + 301_000)).toBeUndefined();
    expect(pastRouteOf(flight, NOW_MS).progress).toBe(50);
    expect(pastRouteOf(flight, NOW_MS + 200_000).progress).toBe(100);
  });

  it('has an aircraft on the ground of an airport once, and not one that is on the ground of its origin', () => {
    const here = { hex: 'a', alt_baro: 'ground', distance_from_origin_nm: 0.5, distance_to_destination_nm: 0.5 } as const;
    const away = { hex: 'b', alt_baro: 'ground', distance_to_destination_nm: 200 } as const;
    const airport = { name: 'Schiphol', lat: 52, lon: 5 };
    const board = { now: NOW_S, airport, arrivals: { flights: [here, away] }, departures: { flights: [here] } };
    expect(onGround(board).map(({ hex }) => hex)).toEqual(['a']);
  });
});

it('samples for plots puts the track before the pictures, with a gap where nothing was heard', () => {
  const samples = new Samples();
  samples.clear(NOW_S);
  samples.add(NOW_S, aircraft);
  samples.add(NOW_S + 0.2, aircraft);
  samples.addTrack([
    { time: NOW_S - 200, alt_baro: 'ground', stale: true },
    { time: NOW_S - 20, alt_baro: 3000, gs: 200, rssi: -20, stale: true },
  ]);
  expect(samples.rows.map(({ time, ...values }) => ({ ...values, age: NOW_S - time }))).toEqual([
    { age: 200 },
    { age: expect.closeTo(20.001, 4) },
    { age: 20, altitude: 3000, speed: 200, signal: -20 },
    { age: 0, altitude: 35_000, speed: 450.4, signal: -13.94 },
  ]);
  expect([NOW_S - 1, NOW_S + 100, NOW_S + 130].map((each) => samples.isElsewhere(each))).toEqual([true, false, true]);
  samples.add(NOW_S + 3700, aircraft);
  expect(samples.rows.map(({ time }) => Math.round(time - NOW_S))).toEqual([3700, 3700]);
});

it('requests of panels are repeated later after errors, and not at once where that cannot help', () => {
  const rate = new ResponseError(429, 'the next turn has not come', { retryAfterS: 17 });
  expect([waitOf(rate, 1, 10), waitOf(new TypeError(), 1, 10), waitOf(new TypeError(), 9, 10)]).toEqual([17, 5, 60]);
  const unknown = new ResponseError(404, 'no airport has the code QQQ');
  expect([waitOf(unknown, 1, 10), waitOf(unknown, 1, null)]).toEqual([60, null]);
  expect([problemOf(rate), problemOf(unknown), problemOf(new TypeError())]).toEqual([
    'Too many requests from this address. The next try is in 17 s.',
    'No airport has the code QQQ.',
    'No connection to the service. It is tried again.',
  ]);
});
