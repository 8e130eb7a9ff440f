// The hub accepts the messages that the contract allows, and refuses all others. Filters in queries are the same as filters in messages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filterKey, parseFilter, parseFilterQuery } from '../../../../push/hub/filter.ts';
import { filterRows, pushMembers } from '../../../../schemas/push.ts';
import { testModel } from '../../../../test/support/live-view.ts';
import { PushContract, type PushDocument } from '../../../../test/support/push-contract.ts';
import { RecordingHub } from '../../../../test/support/recording-hub.ts';
import { projectDir } from '../../../../test/support/requirements.ts';
import { World } from '../../../../test/support/world.ts';

const RUNS = 600;

interface QuerySchema {
  readonly properties: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
}

const contract = new PushContract(JSON.parse(readFileSync(join(projectDir, 'schemas/api/push-asyncapi.json'), 'utf8')) as PushDocument);
let recording: RecordingHub;
beforeAll(async () => {
  const world = await World.create();
  for (let n = 0; n < 3; n += 1) world.do({ kind: 'state', n, empty: false });
  world.tick();
  recording = new RecordingHub(world);
});
afterAll(() => recording.close());

const isIn = (range: readonly [number, number]) =>
  fc.oneof(fc.double({ min: range[0], max: range[1], noNaN: true }), fc.constantFrom(...range));
const texts = (items: fc.Arbitrary<string>, max: number) => fc.array(items, { minLength: 1, maxLength: Math.min(max, 6) });
const valid: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  bbox: fc.tuple(isIn([-90, 90]), isIn([-180, 180]), isIn([-90, 90]), isIn([-180, 180])),
  hex: texts(fc.stringMatching(/^~?[0-9a-fA-F]{6}$/), 100),
  callsign: texts(fc.constantFrom('KLM', 'klm-1', ' dlh 2 ', 'É', '1'), 100),
  types: texts(fc.constantFrom('A320', 'b738'), 100),
  operators: texts(fc.constantFrom('KLM', 'lh', '??'), 100),
  // The only data that a filter depends on: an unknown airport is an error.
  squawks: texts(fc.stringMatching(/^[0-7]{4}$/), 100),
  fields: texts(fc.constantFrom(...pushMembers), pushMembers.length),
  military: fc.boolean(),
};
/** A value that the contract allows for a member of a filter. */
const validOf = (name: string): fc.Arbitrary<unknown> => {
  const row = filterRows.find((each) => each.name === name)!;
  return row.kind === 'number' ? isIn(row.range) : valid[name]!;
};
const names = filterRows.map(({ name }) => name).filter((name) => name !== 'airports');
// biome-ignore format: a table
const nearly = fc.oneof(
  fc.constantFrom(null, true, '', ' ', '-', '0', 0, -91, 91, 181, 251, -2001, 200_001, 1e300),
  fc.constantFrom<unknown>([], {}, [''], [' '], ['-'], [' gs'], [' 123456'], ['7700 '], ['gs', 1], [null]),
  fc.constantFrom([1, 2, 3], [1, 2, 3, 4, 5], [91, 0, 92, 0], [0, 0, '1', 1], ['12345'], ['1234567'], ['~12345g'], ['8000'], ['777'], ['dst']),
  fc.array(fc.constant('123456'), { minLength: 99, maxLength: 102 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const membersOf = (arbitraryOf: (name: string) => fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(names.map((name) => [name, arbitraryOf(name)])), { requiredKeys: [] });
const nearlyOf = (name: string) => fc.oneof({ weight: 9, arbitrary: validOf(name) }, { weight: 1, arbitrary: nearly });
// biome-ignore format: a table
const filters = fc.oneof(
  { weight: 6, arbitrary: membersOf(validOf) },
  { weight: 4, arbitrary: membersOf(nearlyOf) },
  { weight: 3, arbitrary: fc.constantFrom(...names).chain((name) => fc.record({ [name]: fc.oneof(validOf(name), nearly) })) },
  { weight: 1, arbitrary: fc.record({ lat: isIn([-90, 90]), lon: isIn([-180, 180]), radius_nm: isIn([-1, 251]) }) },
  { weight: 1, arbitrary: nearly },
  { weight: 1, arbitrary: fc.constantFrom({ squawk: ['7700'] }, { radius: 3, lat: 1, lon: 1 }, { zones: ['0,0'] }) },
);
const corner = fc.oneof(
  fc.tuple(fc.integer({ min: -10, max: 10 }), fc.integer({ min: -19, max: 19 })).map(([lat, lon]) => `${lat * 10},${lon * 10}`),
  fc.constantFrom('0,0', '-0,0', '00,0', '5,5', '50', '50,10 ', ' 50,10', '50,10,20', 50, null, ['50,10']),
);
const zones = fc.oneof(fc.array(corner, { maxLength: 3 }), fc.array(fc.constant('50,10'), { minLength: 63, maxLength: 66 }), nearly);
const object = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: ['type'] });
const seq = fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, 2 ** 32, 2 ** 32 - 1), nearly);
// biome-ignore format: a table
const messages = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('subscribe'), filter: filters }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('subscribe'), zones }) },
  { weight: 1, arbitrary: object({ type: fc.constant('subscribe'), zones, filter: filters }) },
  { weight: 2, arbitrary: object({ type: fc.constant('resume'), stream: fc.oneof(fc.constant('e1'), nearly), seq }) },
  { weight: 1, arbitrary: object({ type: fc.constantFrom('ping', 'unsubscribe'), id: fc.oneof(fc.nat(), fc.string(), nearly) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.oneof(fc.constantFrom('hello', 'Ping', 'subscribe '), nearly) }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** A rule that the contract has in words only: an order of two values. */
function isInOrder({ filter }: { filter?: Readonly<Record<string, unknown>> | null }): boolean {
  const { bbox, min_altitude: least, max_altitude: greatest } = filter ?? {};
  const [south, , north] = Array.isArray(bbox) ? (bbox as number[]) : [0, 0, 0];
  return south! <= north! && !(typeof least === 'number' && typeof greatest === 'number' && least > greatest);
}

function isAllowed(message: unknown): boolean {
  const isOne = contract.messages('named', 'receive').some((name) => contract.payloadFaults(name, message).length === 0);
  return isOne && isInOrder(message as object);
}

/** The hub's refusal of a message; null if it accepted it. */
async function refusal(message: unknown): Promise<string | null> {
  const socket = await recording.open('/v2/ws', { protocols: ['aircraft.v2.json'] });
  await recording.receive(socket, message);
  const replies = recording.texts(socket).map((text) => JSON.parse(text) as { type: string; code: string; detail: string });
  const error = replies.find(({ type, code }) => type === 'error' && code !== 'not-resumable');
  expect(error === undefined).toBe(recording.end(socket) === null);
  recording.hub.closed(socket);
  return error === undefined ? null : `${error.code}: ${error.detail}`;
}

test('messages are accepted if and only if the contract allows them', { timeout: 60_000 }, async () => {
  const counts = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(messages, async (each) => {
      // JSON has no -0.
      const message = JSON.parse(JSON.stringify(each)) as unknown;
      const refused = await refusal(message);
      expect([message, refused ?? true]).toEqual([message, isAllowed(message) || refused]);
      counts[refused === null ? 'accepted' : 'refused'] += 1;
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(RUNS / 10);
});

test('a text that is no JSON is refused', async () => {
  for (const text of ['', '{', 'ping', '{"type":"ping"', '[]', 'null', '"ping"'])
    expect(await refusal(text)).toMatch(/^bad-(message|value)/);
});

test('a filter in a query is the same filter', () => {
  const model = testModel(recording.world.view);
  fc.assert(
    fc.property(membersOf(validOf), (filter) => {
      // Decimal numbers only, which a query has.
      const given = JSON.parse(JSON.stringify(filter), (_, value: unknown) =>
        typeof value === 'number' ? Math.round(value * 1000) / 1000 : value,
      ) as object;
      const query = new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]));
      const keyOf = (parse: () => Parameters<typeof filterKey>[0]): string => {
        try {
          return filterKey(parse());
        } catch (error) {
          return (error as Error).message;
        }
      };
      // A call sign with a blank at its end is trimmed in a query, and blanks do not count anyway.
      expect(keyOf(() => parseFilterQuery(query, model))).toBe(keyOf(() => parseFilter(given, model)));
    }),
    { numRuns: RUNS },
  );
});

test('each channel has the query parameters of its address, and no others', async () => {
  const { channels, operations } = contract.document;
  const openings = {
    plain: { kind: 'websocket', protocols: [] },
    named: { kind: 'websocket', protocols: ['aircraft.v2.json'] },
    binary: { kind: 'websocket', protocols: ['aircraft.v2.bin'] },
    events: { kind: 'events' },
    snapshot: { kind: 'events' },
  } as const;
  const world = await World.create();
  world.tick();
  const hub = new RecordingHub(world);
  const refused = async (name: keyof typeof openings, query: URLSearchParams): Promise<string | null> => {
    const socket = await hub.open(`${channels[name]!.address}?${query}`, openings[name]);
    const refusal = hub.refusal(socket);
    if (refusal !== null) expect(contract.payloadFaults('Refused', JSON.parse(refusal.body), 'some')).toEqual([]);
    return refusal === null ? null : `${refusal.status} ${(JSON.parse(refusal.body) as { detail: string }).detail}`;
  };
  for (const name of Object.keys(openings) as (keyof typeof openings)[]) {
    const http = operations[`${name}.send`] as { bindings?: { http: { query: QuerySchema } } };
    const { properties } = (channels[name]!.bindings?.ws.query ?? http.bindings!.http.query) as unknown as QuerySchema;
    for (const [parameter, { examples = ['x'] }] of Object.entries(properties)) {
      const needed = parameter === 'lon' ? { lat: '1' } : ['lat', 'radius_nm', 'radius'].includes(parameter) ? { lat: '1', lon: '1' } : {};
      const query = new URLSearchParams({ ...needed, [parameter]: String(examples[0]) });
      const expected = parameter === 'airports' ? '404 no airport has the code AMS' : null;
      expect([name, parameter, await refused(name, query)]).toEqual([name, parameter, expected]);
    }
    const detail = await refused(name, new URLSearchParams({ nonsense: '1' }));
    expect(detail).toMatch(/^400 there is no query parameter nonsense/);
    const named = detail!.slice(detail!.indexOf('one of ') + 'one of '.length, -1).split(', ');
    for (const parameter of filterRows) expect(named).toContain(parameter.name);
    // Names that the hub knows and this channel ignores.
    const ignored = name === 'plain' || name === 'snapshot' ? ['stream', 'seq'] : [];
    expect([...Object.keys(properties), ...ignored].filter((parameter) => parameter !== 'radius').sort()).toEqual(named.sort());
  }
  hub.close();
});
