// The arena's bytes against the plain serialiser, digit by digit if necessary, and the rules of the two views.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AircraftState, fieldNames, sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { aircraftStates } from '../../test/support/aircraft-states.ts';
import { bareState, CLIMB_ADVISORY, fullState, NOW_MS } from '../../test/support/full-state.ts';
import { type Decimals, putFixed, putInteger, putUnsigned } from './digits.ts';
import { type AircraftFacts, type AircraftRoute, ANNOTATION_BYTES_MAX } from './facts.ts';
import { aircraftObject, isListed, type View } from './plain.ts';
import { OBJECT_BYTES_MAX } from './render.ts';
import { SnapshotBuilder } from './snapshot.ts';
import { LiveTable } from './table.ts';

const views: readonly View[] = ['native', 'readsb'];

interface Body {
  readonly ac?: Record<string, unknown>[];
  readonly aircraft?: Record<string, unknown>[];
}

/** Content of a snapshot of these states. */
function rendered(states: readonly AircraftState[], view: View): { text: string; aircraft: Record<string, unknown>[] } {
  const table = new LiveTable();
  for (const state of states) table.applyState(state);
  const text = new SnapshotBuilder(table, () => NOW_MS, 'test').build(NOW_MS, 0).body(view).toString('utf8');
  const body = JSON.parse(text) as Body;
  return { text, aircraft: body.ac ?? body.aircraft! };
}

const listed = (change: Partial<AircraftState>): AircraftState => bareState('a1b2c3', change);

describe('the digit writer', () => {
  const bytes = Buffer.alloc(64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

  it('writes every integer as String does', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.integer({ min: -10_000, max: 10_000 })), (value) => {
        expect(bytes.toString('latin1', 1, putInteger(view, 1, value))).toBe(String(value));
      }),
      { numRuns: 3000 },
    );
    for (const value of [0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999_999, 100_000_000, Number.MAX_SAFE_INTEGER])
      expect(bytes.toString('latin1', 0, putUnsigned(view, 0, value))).toBe(String(value));
  });

  it('writes scaled decimals as toFixed does', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.integer({ min: -2000, max: 2000 })),
        fc.constantFrom<Decimals>(0, 1, 2, 3, 6),
        (value, decimals) => {
          const text = bytes.toString('latin1', 1, putFixed(view, 1, value, decimals));
          expect(text).toBe((value / 10 ** decimals).toFixed(decimals).replace(/^-(0\.?0*)$/, '$1'));
          expect(Number(text)).toBe(value / 10 ** decimals);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('the arena', () => {
  it.each(views)('gives the same values as the plain serialiser: %s view', (view) => {
    fc.assert(
      fc.property(fc.uniqueArray(aircraftStates, { selector: ({ hex }) => hex, maxLength: 20 }), (states) => {
        const expected = states.filter((state) => isListed(state, NOW_MS)).map((state) => aircraftObject(state, NOW_MS, view));
        // Aircraft are in the order of their positions.
        const byHex = (objects: Record<string, unknown>[]): Record<string, unknown>[] =>
          objects.toSorted((one, other) => (String(one['hex']) < String(other['hex']) ? -1 : 1));
        expect(byHex(rendered(states, view).aircraft)).toEqual(byHex(expected));
      }),
      { numRuns: 500 },
    );
  });

  it.each(views)('shows facts and routes as the plain serialiser does, with any texts: %s view', (view) => {
    const word = fc.option(fc.string({ unit: 'binary', maxLength: 40 }), { nil: undefined });
    const facts = fc.record(
      { registration: word, typeDesignator: word, description: word, operator: word, year: word, dbFlags: fc.nat(15) },
      { requiredKeys: ['dbFlags'] },
    ) as fc.Arbitrary<AircraftFacts>;
    const route = fc.option(fc.record({ originIata: word, destinationIata: word }) as fc.Arbitrary<AircraftRoute>, { nil: null });
    fc.assert(
      fc.property(aircraftStates, facts, route, (state, known, flown) => {
        const table = new LiveTable({ version: 0, facts: () => known });
        table.applyState({ ...state, messages: 2, seenMs: NOW_MS });
        table.putRoute(0, flown);
        const body = JSON.parse(new SnapshotBuilder(table, () => NOW_MS, 'test').build(NOW_MS, 0).body(view).toString()) as Body;
        const expected = aircraftObject({ ...state, messages: 2, seenMs: NOW_MS }, NOW_MS, view, { facts: known, route: flown });
        expect((body.ac ?? body.aircraft!)[0]).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('looks up facts again after they were loaded, and leaves out free texts that are too long', () => {
    const source = { version: 0, known: null as AircraftFacts | null, facts: () => source.known };
    const table = new LiveTable(source);
    table.applyState(fullState(1));
    const builder = new SnapshotBuilder(table, () => NOW_MS, 'test');
    const first = (): Record<string, unknown> => (JSON.parse(builder.build(NOW_MS, 0).body('native').toString()) as Body).ac![0]!;
    expect(first()).not.toHaveProperty('r');
    source.known = { registration: 'D-ABCD', description: 'x'.repeat(2 * ANNOTATION_BYTES_MAX), dbFlags: 0 };
    expect(first()).not.toHaveProperty('r');
    source.version = 1;
    expect(first()).toMatchObject({ r: 'D-ABCD' });
    expect(first()).not.toHaveProperty('desc');
    source.known = { description: 'x'.repeat(2 * ANNOTATION_BYTES_MAX), dbFlags: 0 };
    source.version = 2;
    expect(first()).not.toHaveProperty('desc');
  });

  it.each(views)('has the plain order of members except rare ones that only one view shows: %s view', (view) => {
    const [object] = rendered([fullState(1)], view).aircraft;
    expect(Object.keys(object!)).toEqual(Object.keys(aircraftObject(fullState(1), NOW_MS, view)));
  });

  it('keeps the longest object within its bound', () => {
    const all = 2 ** fieldNames.length - 1;
    const long = Object.fromEntries(
      Object.entries(fullState(1)).map(([name, value]) => [name, typeof value === 'number' ? -0x7fff_ffff : value]),
    );
    const state = {
      ...long,
      hex: '~ffffff',
      flight: '\u0000'.repeat(8),
      source: 10,
      emergency: 2,
      navModes: 63,
      silType: 2,
      acasRa: {
        ...CLIMB_ADVISORY,
        ...{ advisory: 'Descend; increase rate; reversal; crossing; several threats', complement: 'Do not turn left; '.repeat(4) },
        ...{ threatAltitudeFt: 126_700, threatRangeDeciNm: 126, threatBearingDeg: 357 },
      },
    } as unknown as AircraftState;
    const times = {
      seenMs: NOW_MS - 60_000,
      positionMs: 0,
      nic: 11,
      rcM: 0x7fff_ffff,
      mlatFields: all,
      tisbFields: all,
      messages: 0x7fff_ffff,
    };
    const { text } = rendered([{ ...state, ...times, positionValid: true, calcTrackDeg: -0x7fff_ffff }], 'native');
    expect(text.length).toBeLessThan(OBJECT_BYTES_MAX);
    expect(text.length).toBeGreaterThan(1500);
  });

  it('reuses the row of a removed aircraft without a trace of it', () => {
    const table = new LiveTable();
    table.applyState({ ...fullState(1), hex: 'aaaaaa', acasRa: CLIMB_ADVISORY });
    expect(table.remove('AAAAAA')).toBe(true);
    expect(table.remove('aaaaaa')).toBe(false);
    table.applyState(bareState('bbbbbb'));
    expect(table.highWater).toBe(1);
    const body = JSON.parse(new SnapshotBuilder(table, () => NOW_MS, 'test').build(NOW_MS, 0).body('native').toString()) as Body;
    expect(body.ac).toEqual([aircraftObject(bareState('bbbbbb'), NOW_MS, 'native')]);
  });
});

describe('the views', () => {
  const one = (change: Partial<AircraftState>, view: View): Record<string, unknown> => rendered([listed(change)], view).aircraft[0]!;

  it.each(views)('show an advisory under the names of readsb: %s view', (view) => {
    expect(one({ acasRa: CLIMB_ADVISORY }, view)['acas_ra']).toEqual({
      ...{ utc: '2023-11-14 22:13:18.7', unix_timestamp: 1_699_999_998.77, df_type: 17, bytes: 'E2C20106A9DFE4', ARA: '1100001' },
      ...{
        RAT: '0',
        MTE: '0',
        RAC: '0100',
        advisory_complement: 'Do not pass above',
        advisory: 'Climb',
        TTI: '01',
        threat_id_hex: 'aa77f9',
      },
    });
    const threat = { threatHex: null, threatAltitudeFt: 9900, threatRangeDeciNm: 12, threatBearingDeg: 93 };
    const shown = one({ acasRa: { ...CLIMB_ADVISORY, ...threat } }, view)['acas_ra'];
    expect(shown).toMatchObject({ threat_altitude: 9900, threat_range: 1.2, threat_bearing: 93 });
    expect(shown).not.toHaveProperty('threat_id_hex');
    expect(one({ acasRa: null }, view)).not.toHaveProperty('acas_ra');
  });

  it('maps sources to the four native types and always names the source', () => {
    const types = Object.fromEntries(sourceKinds.map((kind, source) => [kind, one({ source }, 'native')['type']]));
    expect(types).toEqual({
      adsb_icao: 'adsb_icao',
      adsb_icao_nt: 'adsb_icao',
      adsb_other: 'adsb_icao',
      adsr_icao: 'adsr',
      adsr_other: 'adsr',
      tisb_icao: 'tisb',
      tisb_trackfile: 'tisb',
      tisb_other: 'tisb',
      mlat: 'mlat',
      adsc: undefined,
      other: undefined,
      mode_s: undefined,
      mode_ac: undefined,
      unknown: undefined,
    });
    sourceKinds.forEach((kind, source) => {
      expect(one({ source }, 'native')['source']).toBe(kind);
      expect(one({ source }, 'readsb')['type']).toBe(kind);
      expect(one({ source }, 'readsb')).not.toHaveProperty('source');
    });
  });

  it('has ground in alt_baro, and on_ground only in the native view', () => {
    expect(one({ onGround: true, altitudeBaroFt: 100 }, 'native')).toMatchObject({ alt_baro: 'ground', on_ground: true });
    expect(one({ onGround: false, altitudeBaroFt: 100 }, 'native')).toMatchObject({ alt_baro: 100, on_ground: false });
    expect(one({ altitudeBaroFt: -75 }, 'native')).not.toHaveProperty('on_ground');
    expect(one({ onGround: true }, 'readsb')).toMatchObject({ alt_baro: 'ground' });
    expect(one({ onGround: true }, 'readsb')).not.toHaveProperty('on_ground');
  });

  it('omits categories and SIL types that the native specification does not list', () => {
    for (const category of ['A0', 'B0', 'C0', 'C4', 'D1']) {
      expect(one({ category }, 'native')).not.toHaveProperty('category');
      expect(one({ category }, 'readsb')).toMatchObject({ category });
    }
    for (const category of ['A1', 'A7', 'B7', 'C3']) expect(one({ category }, 'native')).toMatchObject({ category });
    expect(one({ silType: 0 }, 'native')).not.toHaveProperty('sil_type');
    expect(one({ silType: 0 }, 'readsb')).toMatchObject({ sil_type: 'unknown' });
    expect(one({ silType: 1 }, 'native')).toMatchObject({ sil_type: 'perhour' });
  });

  it('shows the whole position, or the last one, or none', () => {
    const position = { positionMs: NOW_MS - 1234, latitudeMicrodeg: 52_257_202, longitudeMicrodeg: -3_919_370, nic: 8, rcM: 186 };
    const group = { lat: 52.257202, lon: -3.91937, nic: 8, rc: 186, seen_pos: 1.234 };
    expect(one({ ...position, positionValid: true }, 'native')).toMatchObject(group);
    const old = one({ ...position, positionValid: false }, 'native');
    expect(old['lastPosition']).toEqual(group);
    for (const name of ['lat', 'lon', 'nic', 'rc', 'seen_pos']) expect(old).not.toHaveProperty(name);
    expect(one({}, 'native')).not.toHaveProperty('lastPosition');
  });

  it('shows when and where satellite navigation last worked, while it is lost', () => {
    const lost = { gpsOkMs: NOW_MS - 61_250, gpsOkLatitudeMicrodeg: 52_257_202, gpsOkLongitudeMicrodeg: -3_919_370 };
    for (const view of views) {
      expect(one(lost, view)).toMatchObject({ gpsOkBefore: 1_699_999_938.8, gpsOkLat: 52.257202, gpsOkLon: -3.91937 });
      expect(Object.keys(one({}, view)).filter((name) => name.startsWith('gps'))).toEqual([]);
    }
    expect(rendered([listed(lost)], 'native').text).toContain(',"gpsOkBefore":1699999938.8,"gpsOkLat":52.257202,"gpsOkLon":-3.919370,');
  });

  it('always has the seven members, and never null', () => {
    for (const view of views) {
      const object = one({}, view);
      for (const name of ['hex', 'mlat', 'tisb', 'messages', 'seen', 'rssi']) expect(object).toHaveProperty(name);
      expect(JSON.stringify(object)).not.toContain('null');
    }
    expect(one({}, 'readsb')['type']).toBe('mode_s');
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

  it('prints numbers with the decimals of the specification', () => {
    const { text } = rendered([fullState(0)], 'native');
    expect(text).toContain('"gs":300.0,');
    expect(text).toContain('"mach":0.700,');
    expect(text).toMatch(/"seen":0\.0,"rssi":-3\.0\}\]\}\n$/);
  });
});
