// The record service against REST on the same snapshot, field by field, and its fields against the .proto file.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { AircraftFacts, AircraftRoute } from '../../pipeline/aircraft/facts.ts';
import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { AircraftListSchema, AircraftSchema, AircraftService, NetworkStatsResponseSchema } from '../../schemas/proto/v1/aircraft_pb.ts';
import { aircraftStates } from '../../test/support/aircraft-states.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, testModel } from '../../test/support/live-view.ts';
import { createQueryApi } from '../http/app.ts';
import { getAircraft, nearbyAircraft } from './operations.ts';
import { jsonName, recordFields } from './record-fields.ts';
import { aircraftRecord, listRecord } from './record-objects.ts';

type Json = Record<string, unknown>;

let facts = new Map<number, AircraftFacts>();
const view = await createTestView(0, { version: 0, facts: (key) => facts.get(key) ?? null });
const model = testModel(view);
// The contract is not checked: arbitrary values exceed its ranges.
const app = createQueryApi(model, { registry: new Registry() });

interface Known {
  readonly state: AircraftState;
  readonly facts: AircraftFacts | null;
  readonly route: AircraftRoute | null;
}

/** The snapshot of these aircraft, and of no others. */
function show(aircraft: readonly Known[]): void {
  view.table.clearPartition(0);
  facts = new Map(aircraft.flatMap(({ state, facts: known }) => (known === null ? [] : [[hexKey(state.hex), known]])));
  for (const { state, route } of aircraft) {
    view.table.applyState(state);
    view.table.putRoute(view.table.rowOf(state.hex), route);
  }
  view.tick(NOW_MS);
}

async function restBody(url: string): Promise<Json> {
  return (await app.inject(url)).json() as Json;
}

/** The record of an aircraft of `/v2`: its members under our names. An empty text is absent in proto3. */
function recordOfRest(object: Json): Json {
  const record: Json = {};
  for (const { name, member, kind } of recordFields) {
    const value = object[member];
    if (value !== undefined && value !== '' && value !== 'ground') record[jsonName(name)] = kind === 'bool' ? value === true : value;
  }
  return record;
}

/** A decoded message without what only messages have. */
function plain(message: object): Json {
  const { $typeName, $unknown, ...members } = message as Json;
  expect($unknown).toBeUndefined();
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '' && value !== undefined));
}

const word = fc.option(
  fc.string({ unit: 'binary', maxLength: 10 }).map((text) => Buffer.from(text).toString()),
  { nil: undefined },
);
const someFacts = fc.record(
  { registration: word, typeDesignator: word, description: fc.constantFrom('BOEING 737-800', 'x'.repeat(2000)), dbFlags: fc.nat(15) },
  { requiredKeys: ['dbFlags'] },
) as fc.Arbitrary<AircraftFacts>;
const someRoute = fc.record({ originIata: word, destinationIata: word }) as fc.Arbitrary<AircraftRoute>;
/** Half of them within some hundred miles of each other. */
const somewhere = fc.tuple(fc.integer({ min: 51_000_000, max: 53_000_000 }), fc.integer({ min: -1_000_000, max: 4_000_000 }));
const known: fc.Arbitrary<Known> = fc
  .tuple(aircraftStates, fc.option(someFacts), fc.option(someRoute), fc.option(somewhere))
  .map(([state, known, route, near]) => ({
    state:
      near === null ? state : { ...state, positionMs: NOW_MS, positionValid: true, latitudeMicrodeg: near[0], longitudeMicrodeg: near[1] },
    facts: known,
    route,
  }));
const skies = fc.uniqueArray(known, { selector: ({ state }) => state.hex, minLength: 1, maxLength: 30 });

describe('records', () => {
  it('GetAircraft has the values of /v2/hex', async () => {
    await fc.assert(
      fc.asyncProperty(skies, async (aircraft) => {
        show(aircraft);
        for (const { hex } of aircraft.map(({ state }) => state)) {
          const { ac } = (await restBody(`/v2/hex/${hex}`)) as { ac: Json[] };
          if (ac.length === 0) {
            expect(() => getAircraft(model, { hex })).toThrow(expect.objectContaining({ code: 'api.unknown_aircraft' }));
            continue;
          }
          const found = getAircraft(model, { hex: hex.toUpperCase() });
          expect(aircraftRecord(found)).toEqual(recordOfRest(ac[0]!));
          const bytes = toBinary(AircraftSchema, create(AircraftSchema, aircraftRecord(found)));
          expect(plain(fromBinary(AircraftSchema, bytes))).toEqual(recordOfRest(ac[0]!));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('NearbyAircraft has those of the radius, in its order, with their distances', async () => {
    const centre = fc.tuple(fc.double({ min: 51, max: 53, noNaN: true }), fc.double({ min: -1, max: 4, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(
        skies,
        centre,
        fc.double({ min: 1, max: 400, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        async (aircraft, [lat, lon], radiusNm, limit) => {
          show(aircraft);
          type Body = { ac: Json[]; total: number; now: number };
          const { ac, total, now } = (await restBody(`/v2/lat/${lat}/lon/${lon}/dist/${radiusNm}`)) as Body;
          const expected = ac.slice(0, limit).map(recordOfRest);
          const list = listRecord(nearbyAircraft(model, { lat, lon, radiusNm, limit }));
          expect(list).toEqual({ aircraft: expected, total, sourceTime: now });
          const decoded = fromBinary(AircraftListSchema, toBinary(AircraftListSchema, create(AircraftListSchema, list)));
          expect(decoded.aircraft.map(plain)).toEqual(expected);
          expect(decoded).toMatchObject({ total, sourceTime: now });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has the fields of the .proto file, and presence for every number, so that 0 is not unknown', () => {
    const inProto = AircraftSchema.fields.map(({ name, number, scalar }) => ({ name, number, scalar }));
    const scalars = { double: 1, int32: 5, bool: 8, string: 9 };
    expect(recordFields.map(({ name, number, kind }) => ({ name, number, scalar: scalars[kind] }))).toEqual(inProto);
    expect(AircraftSchema.fields.map(({ jsonName: name }) => name)).toEqual(recordFields.map(({ name }) => jsonName(name)));
    const messages = [AircraftSchema, AircraftListSchema, NetworkStatsResponseSchema, AircraftService.method.nearbyAircraft.input];
    const numbers = messages.flatMap(({ fields }) => fields.filter((field) => field.fieldKind === 'scalar' && field.scalar !== 9));
    expect(numbers.length).toBeGreaterThan(15);
    const EXPLICIT = 1;
    expect(numbers.filter(({ presence }) => presence !== EXPLICIT)).toEqual([]);
  });
});

it('20 of them without a limit, within 250 nm; NaN is no number', () => {
  const state = (i: number): AircraftState => ({ ...fullState(i), latitudeMicrodeg: 100_000 * i, longitudeMicrodeg: 0 });
  show(Array.from({ length: 70 }, (_, i) => ({ state: state(i), facts: null, route: null })));
  const { aircraft, total } = listRecord(nearbyAircraft(model, { lat: 0, lon: 0, radiusNm: 1e9 }));
  // 0.1° is 6 nm.
  expect([aircraft.length, total]).toEqual([20, 42]);
  expect(() => nearbyAircraft(model, { lat: Number.NaN, lon: 0 })).toThrow('lat cannot be "NaN": expected a decimal number');
});
