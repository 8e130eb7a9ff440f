// Whatever is sent to /mcp: a status of the specification, JSON-RPC or nothing as the body, a response for every request, no fault, and other clients unaffected.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { createToolApi, type ToolApi } from '../support/tool-api.ts';

let api: ToolApi;
beforeAll(async () => {
  api = await createToolApi(50);
});
afterAll(async () => {
  // The server is as it was.
  const response = await api.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'network_stats' } });
  expect(await response.json()).toMatchObject({ result: { structuredContent: { aircraft_total: 50 } } });
  await api.close();
});

const methods = (
  'initialize ping tools/list tools/call resources/list resources/templates/list resources/read resources/subscribe prompts/list prompts/get ' +
  'completion/complete logging/setLevel tasks/get notifications/initialized notifications/cancelled notifications/progress'
).split(' ');
const name = fc.oneof(
  fc.constantFrom('get_aircraft', 'nearby_aircraft', 'network_stats', 'overhead', 'airport', '__proto__', 'constructor'),
  fc.string(),
);
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e308, -1e308, 90, 180.0000001));
const anything = fc.oneof(number, fc.string(), fc.jsonValue(), fc.constant(null));
const given = fc.dictionary(fc.constantFrom('hex', 'lat', 'lon', 'radius_nm', 'limit', '__proto__', 'toString', 'code', 'x'), anything, {
  maxKeys: 5,
});
const nearby = fc.record({ lat: number, lon: number, radius_nm: anything, limit: anything }, { requiredKeys: [] });
const uri = fc.oneof(
  fc.string().map((text) => `squitter://aircraft/${text}`),
  fc.string().map((text) => `squitter://airport/${text}`),
  fc.string(),
);
const params = fc.oneof(
  fc.record({ name, arguments: fc.oneof(given, nearby, anything) }, { requiredKeys: ['name'] }),
  fc.record({ uri }),
  fc.record(
    { requestId: fc.nat(9), progressToken: fc.nat(9), progress: number, _meta: fc.jsonValue(), task: fc.jsonValue() },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const id = fc.oneof(fc.nat(9), fc.string({ maxLength: 3 }));
const message = fc.oneof(
  fc.record({ jsonrpc: fc.constant('2.0'), id, method: fc.constantFrom(...methods), params }, { requiredKeys: ['jsonrpc', 'method'] }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: ['jsonrpc', 'id'] }),
  fc.jsonValue(),
);
const body = fc.oneof(
  message.map((each) => JSON.stringify(each)),
  fc.array(message, { maxLength: 20 }).map((list) => JSON.stringify(list)),
  fc.string({ unit: 'binary' }),
  // A message that breaks off.
  fc.tuple(message, fc.nat(200)).map(([each, end]) => JSON.stringify(each).slice(0, end)),
);

interface Parsed {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
}

test('any body gets a response of the specification', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const response = await api.post(text);
      const received = await response.text();
      expect([200, 202, 400]).toContain(response.status);
      if (response.status === 202) {
        expect(received).toBe('');
        return;
      }
      const parsed = JSON.parse(received) as Parsed | Parsed[];
      for (const each of [parsed].flat()) expect(each.jsonrpc).toBe('2.0');
      if (response.status === 400) return;
      const requests = [JSON.parse(text) as Parsed | Parsed[]].flat().filter((each) => each?.method !== undefined && each.id !== undefined);
      expect(new Set([parsed].flat().map((each) => each.id))).toEqual(new Set(requests.map((each) => each.id)));
    }),
    { numRuns: 600 },
  );
  expect(api.faults).toEqual([]);
});

test.each([
  ['lists in lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
  ['objects in objects', (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
])('%s as deep as a body can have', async (_, nested) => {
  for (const member of ['hex', 'lat', 'x', '_meta']) {
    const head = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_aircraft","arguments":{"${member}":`;
    const deep = nested(Math.floor((limits.toolBodyBytesMax - 200) / 6));
    const response = await api.post(`${head}${deep}}}}`);
    expect([200, 400]).toContain(response.status);
    expect(JSON.parse(await response.text())).toMatchObject({ jsonrpc: '2.0' });
  }
  expect(api.faults).toEqual([]);
});
