// The arena's bytes against the plain serialiser, and the rules of the two views.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AircraftState, fieldNames, sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { limits } from '../../schemas/limits/index.ts';
import { aircraftStates, annotations } from '../../test/support/aircraft-states.ts';
import { bareState, CLIMB_ADVISORY, fullState, NOW_MS } from '../../test/support/full-state.ts';
import type { AircraftFacts } from '../aircraft/facts.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import { aircraftObject, isListed, type View, views } from '../aircraft/plain.ts';
import { LiveTable } from '../aircraft/table.ts';
import { OBJECT_BYTES } from './render.ts';
import { SnapshotBuilder } from './snapshot.ts';

interface Body {
  readonly ac?: Record<string, unknown>[];
  readonly aircraft?: Record<string, unknown>[];
}

/** Content of a snapshot: the same with tails that the other view wrote. */
function shownBy(table: LiveTable, view: View): { text: string; aircraft: Record<string, unknown>[] } {
  const [alone, behind] = [1, 2].map(() => new SnapshotBuilder(table, () => NOW_MS, 'test').build(NOW_MS, 0));
  const text = alone!.body(view).toString();
  behind!.body(view === 'native' ? 'readsb' : 'native');
  expect(behind!.body(view).toString()).toBe(text);
  const body = JSON.parse(text) as Body;
  return { text, aircraft: body.ac ?? body.aircraft! };
}

function rendered(states: readonly AircraftState[], view: View): ReturnType<typeof shownBy> {
  const table = new LiveTable();
  for (const state of states) table.applyState(state);
  return shownBy(table, view);
}

const listed = (change: Partial<AircraftState>): AircraftState => bareState('a1b2c3', change);

describe('the arena', () => {
  it.each(views)('gives the same values as the plain serialiser, with facts, routes and any texts: %s view', (view) => {
    const known = fc.uniqueArray(fc.tuple(aircraftStates, annotations), { selector: ([{ hex }]) => hex, maxLength: 20 });
    fc.assert(
      fc.property(known, (aircraft) => {
        const facts = new Map(aircraft.map(([{ hex }, annotation]) => [hexKey(hex), annotation.facts]));
        const table = new LiveTable({ version: 0, facts: (key) => facts.get(key)! });
        for (const [state, { route }] of aircraft) {
          table.applyState(state);
          table.putRoute(table.rowOf(state.hex), route);
        }
        const expected = aircraft
          .filter(([state]) => isListed(state, NOW_MS))
          .map(([state, annotation]) => aircraftObject(state, NOW_MS, view, annotation));
        // Aircraft are in the order of their positions.
        const byHex = (objects: Record<string, unknown>[]): Record<string, unknown>[] =>
          objects.toSorted((one, other) => (String(one['hex']) < String(other['hex']) ? -1 : 1));
        expect(byHex(shownBy(table, view).aircraft)).toEqual(byHex(expected));
      }),
      { numRuns: 250 },
    );
  });

  it('looks up facts again after they were loaded, and leaves out free texts that are too long', () => {
    const source = { version: 0, known: null as AircraftFacts | null, facts: () => source.known };
    const table = new LiveTable(source);
    table.applyState(fullState(1));
    const first = () => shownBy(table, 'native').aircraft[0]!;
    expect(first()).not.toHaveProperty('r');
    source.known = { registration: 'D-ABCD', description: 'x'.repeat(2 * limits.annotationBytesMax), dbFlags: 0 };
    expect(first()).not.toHaveProperty('r');
    source.version = 1;
    expect(first()).toMatchObject({ r: 'D-ABCD' });
    expect(first()).not.toHaveProperty('desc');
    source.known = { description: 'x'.repeat(2 * limits.annotationBytesMax), dbFlags: 0 };
    source.version = 2;
    expect(first()).not.toHaveProperty('desc');
  });

  it.each(views)('has the plain order of members except rare ones that only one view shows: %s view', (view) => {
    const [object] = rendered([fullState(1)], view).aircraft;
    expect(Object.keys(object!)).toEqual(Object.keys(aircraftObject(fullState(1), NOW_MS, view)));
  });

  it('keeps the longest object within its bound', () => {
    const all = 2 ** fieldNames.length - 1;
    const numbers = Object.entries(fullState(1)).map(([name, value]) => [name, typeof value === 'number' ? -0x7fff_ffff : value]);
    const { text } = rendered(
      [
        {
          ...(Object.fromEntries(numbers) as unknown as AircraftState),
          ...{ hex: '~ffffff', flight: '\u0000'.repeat(8), source: 10, emergency: 2, navModes: 63, silType: 2, calcTrackDeg: -0x7fff_ffff },
          ...{ seenMs: NOW_MS - 60_000, positionMs: 0, positionValid: true, nic: 11, rcM: 0x7fff_ffff, messages: 0x7fff_ffff },
          ...{ mlatFields: all, tisbFields: all },
          acasRa: {
            ...CLIMB_ADVISORY,
            ...{ advisory: 'Descend; increase rate; reversal; crossing; several threats', complement: 'Do not turn left; '.repeat(4) },
            ...{ threatAltitudeFt: 126_700, threatRangeDeciNm: 126, threatBearingDeg: 357 },
          },
        },
      ],
      'native',
    );
    expect(text.length).toBeLessThan(OBJECT_BYTES);
    expect(text.length).toBeGreaterThan(1500);
  });

  it('reuses the row of a removed aircraft without a trace of it', () => {
    const table = new LiveTable();
    table.applyState({ ...fullState(1), hex: 'aaaaaa', acasRa: CLIMB_ADVISORY });
    expect(table.remove('AAAAAA')).toBe(true);
    expect(table.remove('aaaaaa')).toBe(false);
    table.applyState(bareState('bbbbbb'));
    expect(table.highWater).toBe(1);
    expect(shownBy(table, 'native').aircraft).toEqual([aircraftObject(bareState('bbbbbb'), NOW_MS, 'native')]);
  });
});

describe('the views', () => {
  const one = (change: Partial<AircraftState>, view: View): Record<string, unknown> => rendered([listed(change)], view).aircraft[0]!;

  it('maps sources to the four native types and always names the source', () => {
    const types = Object.fromEntries(sourceKinds.map((kind, source) => [kind, one({ source }, 'native')['type']]));
    expect(types).toEqual({
      ...{ adsb_icao: 'adsb_icao', adsb_icao_nt: 'adsb_icao', adsb_other: 'adsb_icao', adsr_icao: 'adsr', adsr_other: 'adsr' },
      ...{ tisb_icao: 'tisb', tisb_trackfile: 'tisb', tisb_other: 'tisb', mlat: 'mlat' },
    });
    sourceKinds.forEach((kind, source) => {
      expect(one({ source }, 'native')['source']).toBe(kind);
      expect(one({ source }, 'readsb')['type']).toBe(kind);
      expect(one({ source }, 'readsb')).not.toHaveProperty('source');
    });
  });

  const position = { positionMs: NOW_MS - 1234, latitudeMicrodeg: 52_257_202, longitudeMicrodeg: -3_919_370, nic: 8, rcM: 186 };
  const shownPosition = { lat: 52.257202, lon: -3.91937, nic: 8, rc: 186, seen_pos: 1.234 };
  const advisory = {
    ...{ utc: '2023-11-14 22:13:18.7', unix_timestamp: 1_699_999_998.77, df_type: 17, bytes: 'E2C20106A9DFE4', ARA: '1100001' },
    ...{ RAT: '0', MTE: '0', RAC: '0100', advisory_complement: 'Do not pass above', advisory: 'Climb', TTI: '01' },
  };
  const threat = { threatHex: null, threatAltitudeFt: 9900, threatRangeDeciNm: 12, threatBearingDeg: 93 };
  const lost = { gpsOkMs: NOW_MS - 61_250, gpsOkLatitudeMicrodeg: 52_257_202, gpsOkLongitudeMicrodeg: -3_919_370 };
  const lostSince = { gpsOkBefore: 1_699_999_938.8, gpsOkLat: 52.257202, gpsOkLon: -3.91937 };

  it.each<readonly [what: string, change: Partial<AircraftState>, native: object, readsb: object | null]>([
    ['nothing but what every aircraft has', {}, {}, null],
    ['an advisory with an address', { acasRa: CLIMB_ADVISORY }, { acas_ra: { ...advisory, threat_id_hex: 'aa77f9' } }, null],
    [
      'an advisory with a position of the threat',
      { acasRa: { ...CLIMB_ADVISORY, ...threat } },
      { acas_ra: { ...advisory, threat_altitude: 9900, threat_range: 1.2, threat_bearing: 93 } },
      null,
    ],
    ['the ground', { onGround: true, altitudeBaroFt: 100 }, { alt_baro: 'ground', on_ground: true }, { alt_baro: 'ground' }],
    ['the air', { onGround: false, altitudeBaroFt: -75 }, { alt_baro: -75, on_ground: false }, { alt_baro: -75 }],
    ...['A1', 'A7', 'B7', 'C3'].map((category) => [`category ${category}`, { category }, { category }, null] as const),
    ...['A0', 'B0', 'C0', 'C4', 'D1'].map((category) => [`category ${category}`, { category }, {}, { category }] as const),
    ['a SIL of unknown type', { silType: 0 }, {}, { sil_type: 'unknown' }],
    ['a SIL by hour', { silType: 1 }, { sil_type: 'perhour' }, null],
    ['a valid position', { ...position, positionValid: true }, shownPosition, null],
    ['the last position', { ...position, positionValid: false }, { lastPosition: shownPosition }, null],
    ['when and where satellite navigation last worked', lost, lostSince, null],
  ])('show %s', (_, change, native, readsb) => {
    const always = { hex: 'a1b2c3', messages: 2, seen: 0, rssi: -49.5, mlat: [], tisb: [] };
    expect(one(change, 'native')).toEqual({ ...always, source: 'mode_s', ...native });
    expect(one(change, 'readsb')).toEqual({ ...always, type: 'mode_s', ...(readsb ?? native) });
  });

  it('lists an aircraft with a valid position, or with two messages and one within 60 s', () => {
    const shown = (change: Partial<AircraftState>): boolean => rendered([listed(change)], 'native').aircraft.length === 1;
    const position = { positionMs: NOW_MS - 59_000, latitudeMicrodeg: 1, longitudeMicrodeg: 1 };
    expect(shown({ messages: 1 })).toBe(false);
    expect(shown({ messages: 2, seenMs: NOW_MS - 60_000 })).toBe(true);
    expect(shown({ messages: 2, seenMs: NOW_MS - 60_001 })).toBe(false);
    expect(shown({ messages: 1, ...position, positionValid: true })).toBe(true);
    expect(shown({ messages: 9, seenMs: NOW_MS - 61_000, ...position, positionValid: false })).toBe(false);
  });

  it('print numbers with the decimals of the specification', () => {
    const { text } = rendered([fullState(0)], 'native');
    expect(rendered([listed(lost)], 'native').text).toContain(',"gpsOkBefore":1699999938.8,"gpsOkLat":52.257202,"gpsOkLon":-3.919370,');
    expect(text).toContain('"gs":300.0,');
    expect(text).toContain('"mach":0.700,');
    expect(text).toMatch(/"seen":0\.0,"rssi":-3\.0\}\]\}\n$/);
  });
});
