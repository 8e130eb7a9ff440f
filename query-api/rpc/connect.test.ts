// The record service on the HTTP port with plain requests: GET with the cache headers of REST, compression, and refusals.

import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { AircraftSchema, GetAircraftRequestSchema, NearbyAircraftRequestSchema } from '../../schemas/proto/v1/aircraft_pb.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, type TestView, testModel } from '../../test/support/live-view.ts';
import { unlimitedAccess } from '../access/access.ts';
import { createQueryApi } from '../http/app.ts';
import { recordProtocol } from './http-protocol.ts';
import { getAircraft } from './operations.ts';
import { aircraftRecord } from './record-objects.ts';
import { AircraftWatch } from './watch/aircraft-watch.ts';

const hex = fullState(3).hex;
const path = (method: string): string => `/v1.AircraftService/${method}`;
const faults: unknown[] = [];
let view: TestView;
let url = '';
let close: () => Promise<void>;

beforeAll(async () => {
  view = await createTestView(240);
  for (let i = 240; i < 300; i += 1)
    view.table.applyState({ ...fullState(i), latitudeMicrodeg: 52_000_000 + i * 1000, longitudeMicrodeg: 4_500_000 });
  view.tick(NOW_MS);
  const model = testModel(view);
  const watch = new AircraftWatch(model, 1000);
  const app = createQueryApi(model, {
    registry: new Registry(),
    protocols: [recordProtocol({ model, watch, access: unlimitedAccess, onFault: (error) => faults.push(error) })],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  close = async () => {
    await app.close();
    watch.close();
  };
});
afterAll(() => close());
afterEach(() => expect(faults.splice(0)).toEqual([]));

describe('GET', () => {
  const query = (message: object, more = ''): string =>
    `?connect=v1&encoding=json&message=${encodeURIComponent(JSON.stringify(message))}${more}`;

  it('has the cache headers of REST, an ETag, and 304 until the next snapshot', async () => {
    const first = await fetch(`${url}${path('GetAircraft')}${query({ hex })}`);
    const rest = await fetch(`${url}/v2/hex/${hex}`);
    expect(await first.json()).toEqual(aircraftRecord(getAircraft(testModel(view), { hex })));
    for (const name of ['cache-control', 'vary', 'link', 'x-service-tier', 'x-service-data-age', 'access-control-allow-origin'])
      expect([name, first.headers.get(name)]).toEqual([name, rest.headers.get(name)]);
    const etag = first.headers.get('etag')!;
    const again = (): Promise<Response> => fetch(`${url}${path('GetAircraft')}${query({ hex })}`, { headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    view.tick(NOW_MS);
    expect((await again()).status).toBe(200);
  });

  it('has a weak ETag where the time of the response is in it', async () => {
    const stats = `${url}${path('NetworkStats')}${query({})}`;
    const etag = (await fetch(stats)).headers.get('etag')!;
    expect(etag).toMatch(/^W\//);
    expect((await fetch(stats, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('HEAD has the same headers without a body', async () => {
    const nearby = `${url}${path('NearbyAircraft')}${query({ lat: 52, lon: 4.5 })}`;
    const [get, head] = [await fetch(nearby), await fetch(nearby, { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(head.headers.get('content-length') ?? get.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect(await head.text()).toBe('');
  });

  it('takes base64, compressed messages, and the path with a slash', async () => {
    const message = toBinary(GetAircraftRequestSchema, create(GetAircraftRequestSchema, { hex }));
    const packed = gzipSync(message).toString('base64url');
    const response = await fetch(`${url}${path('GetAircraft')}/?encoding=proto&base64=1&compression=gzip&message=${packed}`);
    expect(response.headers.get('content-type')).toBe('application/proto');
    expect(fromBinary(AircraftSchema, new Uint8Array(await response.arrayBuffer())).hex).toBe(hex);
  });

  it('is refused for the stream, which is not safe to repeat', async () => {
    const response = await fetch(`${url}${path('WatchAircraft')}${query({ hex })}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('responses', () => {
  it.each(['gzip', 'br'])('are compressed with %s when they are large', async (encoding) => {
    const response = await fetch(`${url}${path('NearbyAircraft')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': encoding },
      body: JSON.stringify({ lat: 52, lon: 4.5, limit: 50 }),
    });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(((await response.json()) as { aircraft: unknown[] }).aircraft).toHaveLength(50);
  });
});

describe('requests that are refused', () => {
  const post = (method: string, type: string | undefined, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path(method)}`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body as string)),
      headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers },
    });
  const codeOf = async (response: Response): Promise<[number, unknown]> => [
    response.status,
    ((await response.json()) as { code: string }).code,
  ];
  const hexBytes = toBinary(GetAircraftRequestSchema, create(GetAircraftRequestSchema, { hex }));

  it.each([
    ['text/plain'],
    ['application/octet-stream'],
    ['application/grpc'],
    ['application/grpc+proto'],
    ['application/grpc-web-text'],
    ['application/connect+json'],
    ['application/connect+proto'],
    ['application/json; charset=latin1'],
    ['application/'],
  ])('content type %s: 415', async (type) => {
    expect(await codeOf(await post('GetAircraft', type, '{}'))).toEqual([415, 'invalid_argument']);
  });

  it.each([
    ['application/json', '{'],
    ['application/json', ''],
    ['application/json', '[]'],
    ['application/json', '{"hex":5}'],
    ['application/json', '{"hex":"4ca1d2"} x'],
    ['application/proto', '\x0a\x7f'],
    ['application/proto', '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'],
  ])('a malformed body of %s: %j', async (type, body) => {
    expect(await codeOf(await post('GetAircraft', type, Buffer.from(body, 'latin1')))).toEqual([400, 'invalid_argument']);
  });

  it('ignores unknown fields', async () => {
    expect((await post('GetAircraft', 'application/json', JSON.stringify({ hex, later: [1] }))).status).toBe(200);
    const bytes = toBinary(NearbyAircraftRequestSchema, create(NearbyAircraftRequestSchema, { lat: 52, lon: 4 }));
    expect((await post('NearbyAircraft', 'application/proto', Buffer.concat([bytes, Buffer.from([0xf8, 0x01, 5])]))).status).toBe(200);
  });

  it('unknown compression, damaged compression, and more bytes than a request may have', async () => {
    const send = (encoding: string, body: Buffer): Promise<Response> =>
      post('GetAircraft', 'application/proto', body, { 'content-encoding': encoding });
    const unknown = await send('snappy', Buffer.from(hexBytes));
    expect(unknown.headers.get('accept-encoding')).toBe('gzip,br');
    expect(await codeOf(unknown)).toEqual([501, 'unimplemented']);
    expect(await codeOf(await send('gzip', Buffer.from(hexBytes)))).toEqual([400, 'invalid_argument']);
    const bomb = Buffer.alloc(50_000_000, 1);
    expect(await codeOf(await send('br', brotliCompressSync(bomb)))).toEqual([429, 'resource_exhausted']);
    const large = gzipSync(Buffer.alloc(2_000_000));
    expect(large.length).toBeLessThan(limits.recordRequestBytesMax);
    expect(await codeOf(await send('gzip', large))).toEqual([429, 'resource_exhausted']);
    expect((await send('gzip', gzipSync(hexBytes))).status).toBe(200);
  });

  it('a timeout that is none', async () => {
    expect(await codeOf(await post('NetworkStats', 'application/json', '{}', { 'connect-timeout-ms': '-1' }))).toEqual([
      400,
      'invalid_argument',
    ]);
    expect((await post('NetworkStats', 'application/json', '{}', { 'connect-timeout-ms': '1000' })).status).toBe(200);
  });

  it('GET without encoding or with broken base64', async () => {
    expect(await codeOf(await fetch(`${url}${path('NetworkStats')}`))).toEqual([415, 'invalid_argument']);
    expect(await codeOf(await fetch(`${url}${path('GetAircraft')}?encoding=proto&base64=1&message=!`))).toEqual([400, 'invalid_argument']);
  });

  it('unknown methods are problems of the HTTP API', async () => {
    const response = await post('DeleteAircraft', 'application/json', '{}');
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
  });
});
