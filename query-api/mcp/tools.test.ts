// Tools, resources and prompts through the SDK's own client, which validates every structured result against the tool's output schema.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { memberFields } from '../../schemas/aircraft-fields.ts';
import { call, createToolApi, textOf } from '../../test/support/tool-api.ts';
import { toolDefinitions } from './definitions.ts';

const META = { tier: 'anonymous', data_age: 0, contribute: 'https://planes.example/contribute' };

const api = await createToolApi(600);
afterAll(() => api.close());
const client = await api.connect();
const restBody = async (path: string) => (await api.app.inject(path)).json();
/** One of the aircraft, as in `/v2`. */
const one: Record<string, unknown> & { readonly hex: string } = (await restBody('/v2/all')).ac[7];

describe('the tool server', () => {
  it('has three tools that only read, with schemas of arguments and results', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['get_aircraft', 'nearby_aircraft', 'network_stats']);
    expect(tools).toEqual(JSON.parse(JSON.stringify(toolDefinitions)));
    for (const { annotations, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true, destructiveHint: false });
      for (const schema of [inputSchema, outputSchema!]) new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    }
  });

  it('get_aircraft has the values of /v2/hex, and says them in words', async () => {
    const result = await call(client, 'get_aircraft', { hex: one.hex.toUpperCase() });
    const { hex, flight, lat, lon, alt_baro, on_ground, alt_geom, gs, track, squawk, emergency, category, seen } = one;
    expect(result.structuredContent).toEqual({
      ...{ hex, flight, lat, lon, alt_geom, track, squawk, emergency, category, on_ground, ground_speed: gs, seen_seconds: seen },
      ...(alt_baro === 'ground' ? {} : { alt_baro }),
    });
    expect([result._meta, result.isError]).toEqual([META, undefined]);
    expect(textOf(result)).toMatch(/^DLH\d+ \([0-9a-f]{6}\): \d+,\d{3} ft, \d+ kt, track \d+ degrees, at -?\d+\.\d{4}, -?\d+\.\d{4}, /);
  });

  it('nearby_aircraft has the nearest, at most 20 without a limit, and how many there are', async () => {
    const { lat, lon } = one;
    const { ac, total } = await restBody(`/v2/lat/${lat}/lon/${lon}/dist/250`);
    const result = await call(client, 'nearby_aircraft', { lat, lon, radius_nm: 250, limit: 2 });
    const content = result.structuredContent as { aircraft: { hex: string; distance_nm: number }[]; total: number };
    expect(content.total).toBe(total);
    expect(content.aircraft.map(({ hex, distance_nm }) => [hex, distance_nm])).toEqual(
      ac.slice(0, 2).map(({ hex, dst }: { hex: string; dst: number }) => [hex, dst]),
    );
    expect(textOf(result).split('\n')).toHaveLength(1 + Math.min(2, total));
    const none = await call(client, 'nearby_aircraft', { lat: 89, lon: 0, radius_nm: 1 });
    expect([none.structuredContent, textOf(none)]).toEqual([
      { aircraft: [], total: 0, source_time: expect.any(Number) },
      'No receiver hears an aircraft within the radius.',
    ]);
  });

  it('network_stats has the total of /v2/stats and the time of the data', async () => {
    const { aircraft_count } = await restBody('/v2/stats');
    const result = await call(client, 'network_stats');
    expect(result.structuredContent).toEqual({ aircraft_total: aircraft_count, source_time: 1_700_000_000, served_at: 1_700_000_000.3 });
    expect(textOf(result)).toBe('600 aircraft are heard. The data are of 2023-11-14 22:13:20 UTC, 0.3 s before this response.');
  });

  it('returns errors of arguments as results that say what to change', async () => {
    const errors: [string, Record<string, unknown>, string, string][] = [
      ['get_aircraft', { hex: 'zz' }, 'bad-value', 'hex cannot be "zz": expected 6 hex digits, with ~ before them for a non-ICAO address.'],
      ['get_aircraft', { hex: 'ffffff' }, 'unknown-aircraft', 'no aircraft with the address ffffff was heard lately.'],
      ['get_aircraft', { hex: 4_840 }, 'bad-value', 'hex cannot be "4840": expected a text.'],
      ['get_aircraft', { hex: [['x']] }, 'bad-value', 'hex cannot be "a list": expected a text.'],
      ['get_aircraft', {}, 'missing-parameter', 'the parameter hex is missing.'],
      ['nearby_aircraft', {}, 'missing-parameter', 'the parameter lat, lon is missing.'],
      ['nearby_aircraft', { lat: 91, lon: 0 }, 'bad-value', 'lat cannot be "91": expected at most 90.'],
      ['nearby_aircraft', { lat: '52', lon: 0 }, 'bad-value', 'lat cannot be "52": expected a number.'],
      ['nearby_aircraft', { lat: 1, lon: null }, 'bad-value', 'lon cannot be "null": expected a number.'],
      ['nearby_aircraft', { lat: 1, lon: 1, limit: 51 }, 'bad-value', 'limit cannot be "51": expected at most 50.'],
      ['nearby_aircraft', { lat: 1, lon: 1, limit: 1.5 }, 'bad-value', 'limit cannot be "1.5": expected a whole number.'],
      ['nearby_aircraft', { lat: 1, lon: 1, radius_nm: -1 }, 'bad-value', 'radius_nm cannot be "-1": expected at least 0.'],
      ['nearby_aircraft', { lat: 1, radius: 5 }, 'unknown-parameter', 'there is no query parameter radius (did you mean radius_nm?).'],
      ['network_stats', { verbose: true }, 'unknown-parameter', 'there is no query parameter verbose (this path has no query parameters).'],
    ];
    for (const [tool, given, code, text] of errors) {
      const result = await call(client, tool, given);
      expect([tool, result.isError, result._meta, textOf(result)]).toEqual([tool, true, { ...META, code }, text]);
      expect(result.structuredContent).toBeUndefined();
    }
  });

  it('counts calls by tool and result', async () => {
    api.counted.length = 0;
    await call(client, 'network_stats');
    await call(client, 'get_aircraft', { hex: 'ffffff' });
    await expect(client.callTool({ name: 'fly', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: /there is no tool fly: the tools are get_aircraft/,
    });
    expect(api.counted).toEqual(['network_stats ok', 'get_aircraft unknown-aircraft', 'unknown unknown-tool']);
    expect(api.faults).toEqual([]);
  });

  it('has resources: all fields of an aircraft, what each field means, an airport; and refuses others', async () => {
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['squitter://fields']);
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(templates).toEqual(['squitter://aircraft/{hex}', 'squitter://airport/{code}']);
    const uri = `squitter://aircraft/${one.hex}`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }]);
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual({ now: 1_700_000_000, aircraft: one });
    const { text } = (await client.readResource({ uri: 'squitter://fields' })).contents[0] as { text: string };
    for (const { member } of memberFields) expect(text).toContain(`\n| ${member} |`);
    expect(text).toContain('| gs | ground_speed | kt | Ground speed. |');
    const failures: [string, number, object][] = [
      ['squitter://aircraft/ffffff', -32002, { code: 'unknown-aircraft' }],
      ['squitter://aircraft/zz', -32602, { code: 'bad-value' }],
      ['squitter://airport/XXXX', -32002, { code: 'unknown-airport' }],
      ['squitter://airport/%E0%A4%A', -32002, { code: 'unknown-airport' }],
      ['squitter://airport/', -32002, { uri: 'squitter://airport/' }],
      ['squitter://aircraft/400007/x', -32002, { uri: 'squitter://aircraft/400007/x' }],
      ['file:///etc/passwd', -32002, { uri: 'file:///etc/passwd' }],
    ];
    for (const [uri, code, data] of failures) await expect(client.readResource({ uri })).rejects.toMatchObject({ code, data });
  });

  it('has prompts for common questions', async () => {
    const { messages } = await client.getPrompt({ name: 'overhead', arguments: { lat: '52.3', lon: '4.8' } });
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/within 10 nm of 52.3, 4.8 now\? Use nearby_aircraft/) } },
    ]);
    for (const [name, given, message] of [
      ['overhead', { lat: '1' }, /lon is missing/],
      ['aircraft', { hex: 'x'.repeat(65) }, /./],
      ['other', {}, /./],
    ] as const)
      await expect(client.getPrompt({ name, arguments: given })).rejects.toMatchObject({ code: -32602, message });
  });
});

describe('without live data', () => {
  it('calls have a result that says when to try again, and resources an error with the same', async () => {
    const api = await createToolApi(0);
    const client = await api.connect();
    const result = await call(client, 'network_stats');
    expect(result).toMatchObject({ isError: true, _meta: { tier: 'anonymous', code: 'no-snapshot', retry_after: 5 } });
    expect(textOf(result)).toBe('no live data yet, or the data are older than 60 s. Try again in 5 s.');
    expect(result._meta).not.toHaveProperty('data_age');
    await expect(client.readResource({ uri: 'squitter://aircraft/400000' })).rejects.toMatchObject({
      code: -32603,
      data: { code: 'no-snapshot', retry_after: 5 },
    });
    // The lists and the glossary need no data.
    expect((await client.listTools()).tools).toHaveLength(3);
    expect((await client.readResource({ uri: 'squitter://fields' })).contents).toHaveLength(1);
    expect(api.counted).toEqual(['network_stats no-snapshot']);
    await api.close();
  });

  it('a fault of the service is logged, and its text stays there', async () => {
    const api = await createToolApi(1, {
      steadyMs: () => {
        throw new Error('a secret');
      },
    });
    const client = await api.connect();
    await expect(client.readResource({ uri: 'squitter://aircraft/400000' })).rejects.toMatchObject({
      code: -32603,
      data: { code: 'internal' },
    });
    expect(api.faults).toHaveLength(1);
    await api.close();
  });
});
