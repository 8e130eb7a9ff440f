// The record service on the HTTP port with plain requests: GET with the cache headers of REST, compression, refusals, and arbitrary requests.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { AircraftSchema, GetAircraftRequestSchema, NearbyAircraftRequestSchema } from '../../schemas/proto/v1/aircraft_pb.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { recordStand } from '../../test/support/grpc.ts';
import { createTestView } from '../../test/support/live-view.ts';
import { getAircraft } from './operations.ts';
import { aircraftRecord } from './record-objects.ts';

const hex = fullState(3).hex;
const hexBytes = toBinary(GetAircraftRequestSchema, create(GetAircraftRequestSchema, { hex }));
const NEARBY = { lat: 52, lon: 4.5, limit: 50 };
const view = await createTestView(240);
for (let i = 240; i < 300; i += 1)
  view.table.applyState({ ...fullState(i), latitudeMicrodeg: 52_000_000 + i * 1000, longitudeMicrodeg: 4_500_000 });
view.tick(NOW_MS);
const stand = await recordStand(view);
const service = `${stand.url}/v1.AircraftService/`;
afterAll(() => stand.close());
afterEach(() => expect(stand.faults.splice(0)).toEqual([]));

const get = (method: string, message: object, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service}${method}?connect=v1&encoding=json&message=${encodeURIComponent(JSON.stringify(message))}`, init);
const post = (method: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service}${method}`, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers: { 'content-type': type, ...headers } });
const codeOf = async (response: Response): Promise<[number, unknown]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe('GET', () => {
  it('has the cache headers of REST, an ETag, and 304 until the next snapshot', async () => {
    const first = await get('GetAircraft', { hex });
    const ofRest = await fetch(new URL(`/v2/hex/${hex}`, service));
    expect(await first.json()).toEqual(aircraftRecord(getAircraft(stand.model, { hex })));
    for (const name of ['cache-control', 'vary', 'link', 'x-service-tier', 'x-service-data-age', 'access-control-allow-origin'])
      expect([name, first.headers.get(name)]).toEqual([name, ofRest.headers.get(name)]);
    const again = { headers: { 'if-none-match': first.headers.get('etag')! } };
    expect((await get('GetAircraft', { hex }, again)).status).toBe(304);
    view.tick(NOW_MS);
    expect((await get('GetAircraft', { hex }, again)).status).toBe(200);
    // Weak where the time of the response is in it.
    const etag = (await get('NetworkStats', {})).headers.get('etag')!;
    expect(etag).toMatch(/^W\//);
    expect((await get('NetworkStats', {}, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await get('NearbyAircraft', NEARBY, { method: 'HEAD' });
    const { headers } = await get('NearbyAircraft', NEARBY);
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, headers.get('etag'), '']);
    // Pages of other origins read errors of gRPC-Web.
    const web = await post('NetworkStats', 'application/grpc-web+proto', new Uint8Array(5));
    expect(web.headers.get('access-control-expose-headers')).toContain('Grpc-Status');
  });

  it('takes base64, compressed messages, and the path with a slash; the stream is not safe to repeat', async () => {
    const packed = gzipSync(hexBytes).toString('base64url');
    const response = await fetch(`${service}GetAircraft/?encoding=proto&base64=1&compression=gzip&message=${packed}`);
    expect(response.headers.get('content-type')).toBe('application/proto');
    expect(fromBinary(AircraftSchema, new Uint8Array(await response.arrayBuffer())).hex).toBe(hex);
    expect(await codeOf(await fetch(`${service}NetworkStats`))).toEqual([415, 'invalid_argument']);
    expect(await codeOf(await fetch(`${service}GetAircraft?encoding=proto&base64=1&message=!`))).toEqual([400, 'invalid_argument']);
    const stream = await get('WatchAircraft', { hex });
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('POST', () => {
  it.each(['gzip', 'br'])('has large responses compressed with %s', async (encoding) => {
    const response = await post('NearbyAircraft', 'application/json', JSON.stringify(NEARBY), { 'accept-encoding': encoding });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(((await response.json()) as { aircraft: unknown[] }).aircraft).toHaveLength(50);
  });

  it('with another content type gets 415, with a malformed body 400', async () => {
    for (const type of [
      ...['text/plain', 'application/octet-stream', 'application/grpc', 'application/grpc+proto', 'application/grpc-web-text'],
      ...['application/connect+json', 'application/connect+proto', 'application/json; charset=latin1', 'application/'],
    ])
      expect([type, ...(await codeOf(await post('GetAircraft', type, '{}')))]).toEqual([type, 415, 'invalid_argument']);
    for (const [type, body] of [
      ...['{', '', '[]', '{"hex":5}', '{"hex":"4ca1d2"} x'].map((text) => ['application/json', text] as const),
      ...['\x0a\x7f', '\xff'.repeat(11)].map((text) => ['application/proto', text] as const),
    ])
      expect([body, ...(await codeOf(await post('GetAircraft', type, Buffer.from(body, 'latin1'))))]).toEqual([
        body,
        400,
        'invalid_argument',
      ]);
  });

  it('ignores unknown fields', async () => {
    expect((await post('GetAircraft', 'application/json', JSON.stringify({ hex, later: [1] }))).status).toBe(200);
    const bytes = toBinary(NearbyAircraftRequestSchema, create(NearbyAircraftRequestSchema, { lat: 52, lon: 4 }));
    expect((await post('NearbyAircraft', 'application/proto', Buffer.concat([bytes, Buffer.from([0xf8, 0x01, 5])]))).status).toBe(200);
  });

  it('unknown and damaged compression, more bytes than a request may have, a wrong timeout, an unknown method', async () => {
    const send = (encoding: string, body: Uint8Array) => post('GetAircraft', 'application/proto', body, { 'content-encoding': encoding });
    const unknown = await send('snappy', hexBytes);
    expect(unknown.headers.get('accept-encoding')).toBe('gzip,br');
    expect(await codeOf(unknown)).toEqual([501, 'unimplemented']);
    expect(await codeOf(await send('gzip', hexBytes))).toEqual([400, 'invalid_argument']);
    expect(await codeOf(await send('br', brotliCompressSync(Buffer.alloc(50_000_000, 1))))).toEqual([429, 'resource_exhausted']);
    const large = gzipSync(Buffer.alloc(2_000_000));
    expect(large.length).toBeLessThan(limits.recordRequestBytesMax);
    expect(await codeOf(await send('gzip', large))).toEqual([429, 'resource_exhausted']);
    expect((await send('gzip', gzipSync(hexBytes))).status).toBe(200);
    const late = await post('NetworkStats', 'application/json', '{}', { 'connect-timeout-ms': '-1' });
    expect(await codeOf(late)).toEqual([400, 'invalid_argument']);
    const method = await post('DeleteAircraft', 'application/json', '{}');
    expect([method.status, method.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
  });
});

const methods = fc.constantFrom('GetAircraft', 'NearbyAircraft', 'NetworkStats');
const jsonBodies = fc.oneof(
  fc.record({ hex: fc.constantFrom(hex, 'ffffff', 'x', '') }).map((value) => JSON.stringify(value)),
  fc
    .record({ lat: fc.double(), lon: fc.double(), radiusNm: fc.double(), limit: fc.integer() }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);
const more = fc.uint8Array({ maxLength: 50 });
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  jsonBodies.map((text) => Buffer.from(text)),
  // Fields of the request messages, cut and damaged; envelopes of streams and gRPC-Web, also with lengths that are wrong.
  fc
    .tuple(fc.constantFrom(...[0x0a, 0x09, 0x11, 0x19, 0x20, 0x12], ...[0, 1, 2, 0x80, 0xff]), more)
    .map(([first, bytes]) => Buffer.from([first, ...bytes])),
  more.map((bytes) => Buffer.from([0, 0, 0, 0, bytes.length, ...bytes])),
);
const types = fc.constantFrom(
  ...['application/json', 'application/proto', 'application/grpc-web', 'application/grpc-web+proto', 'application/grpc-web+json'],
  ...['application/connect+json', 'application/connect+proto', 'application/grpc-web-text', 'application/grpc', 'text/html', '', 'a/+; '],
);
const query = fc.record(
  {
    encoding: fc.constantFrom('json', 'proto', 'xml'),
    message: fc.oneof(jsonBodies, fc.base64String(), fc.string({ unit: 'binary' })),
    base64: fc.constantFrom('0', '1', 'yes'),
    compression: fc.constantFrom('gzip', 'br', 'identity', 'x'),
    connect: fc.constantFrom('v1', 'v2'),
  },
  { requiredKeys: [] },
);

it('every request has a status that its sender caused, and no internal error', { timeout: 90_000 }, async () => {
  const encodings = fc.constantFrom('', 'gzip', 'br', 'identity', 'zstd', 'x');
  const posts = fc.tuple(methods, types, encodings, bodies).map(([method, type, encoding, body]) => () => {
    const packed = { 'content-encoding': encoding, 'grpc-encoding': encoding, 'connect-content-encoding': encoding };
    return post(method, type.trim(), body, encoding === '' ? {} : packed);
  });
  const gets = fc.tuple(methods, query).map(
    ([method, parameters]) =>
      () =>
        fetch(`${service}${method}?${new URLSearchParams(parameters as Record<string, string>)}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(posts, gets), async (send) => {
      const response = await send();
      // Errors of gRPC-Web and of streams are in the body. It has 13, internal, for a message that it cannot parse.
      expect([200, 400, 404, 415, 429, 501], await response.text()).toContain(response.status);
    }),
    { numRuns: 500 },
  );
  expect((await get('NetworkStats', {})).status).toBe(200);
});
