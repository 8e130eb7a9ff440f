// Arbitrary requests to the record service: right codes, no internal error, bounded memory.

import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { fullState } from '../../test/support/full-state.ts';
import { createTestView, testModel } from '../../test/support/live-view.ts';
import { unlimitedAccess } from '../access/access.ts';
import { createQueryApi } from '../http/app.ts';
import { recordProtocol } from './http-protocol.ts';
import { AircraftWatch } from './watch/aircraft-watch.ts';

const faults: unknown[] = [];
let app: ReturnType<typeof createQueryApi>;
let watch: AircraftWatch;
let url = '';

beforeAll(async () => {
  const view = await createTestView(50);
  const model = testModel(view);
  watch = new AircraftWatch(model, 1000);
  const options = { model, watch, access: unlimitedAccess, onFault: (error: unknown) => faults.push(error) };
  app = createQueryApi(model, { registry: new Registry(), protocols: [recordProtocol(options)] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await app.close();
  watch.close();
});

const hex = fullState(3).hex;
const methods = fc.constantFrom('GetAircraft', 'NearbyAircraft', 'NetworkStats');
const jsonBodies = fc.oneof(
  fc.record({ hex: fc.constantFrom(hex, 'ffffff', 'x', '') }).map((value) => JSON.stringify(value)),
  fc
    .record({ lat: fc.double(), lon: fc.double(), radiusNm: fc.double(), limit: fc.integer() }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  jsonBodies.map((text) => Buffer.from(text)),
  // Fields of the request messages, cut and damaged.
  fc
    .tuple(fc.constantFrom(0x0a, 0x09, 0x11, 0x19, 0x20, 0x12), fc.uint8Array({ maxLength: 30 }))
    .map(([tag, rest]) => Buffer.from([tag, ...rest])),
  // Envelopes of streams and gRPC-Web, with lengths that are wrong.
  fc
    .tuple(fc.constantFrom(0, 1, 2, 0x80, 0xff), fc.integer({ min: 0, max: 0xffffffff }), fc.uint8Array({ maxLength: 50 }))
    .map(([flags, length, rest]) =>
      Buffer.from([flags, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255, ...rest]),
    ),
  fc.uint8Array({ maxLength: 50 }).map((rest) => Buffer.from([0, 0, 0, 0, rest.length, ...rest])),
);
const types = fc.oneof(
  fc.constantFrom(
    ...['application/json', 'application/proto', 'application/grpc-web', 'application/grpc-web+proto', 'application/grpc-web+json'],
    ...['application/connect+json', 'application/connect+proto', 'application/grpc-web-text', 'application/grpc', 'text/html', ''],
  ),
  fc.string({ unit: fc.constantFrom(...'aplicton/jsrgwe-+; ') }),
);

test('every request has a code that its sender caused', { timeout: 90_000 }, async () => {
  const encodings = fc.constantFrom('', 'gzip', 'br', 'identity', 'zstd', 'x');
  await fc.assert(
    fc.asyncProperty(methods, types, encodings, bodies, async (method, type, encoding, body) => {
      const headers = {
        'content-type': type.trim(),
        ...(encoding === '' ? {} : { 'content-encoding': encoding, 'grpc-encoding': encoding, 'connect-content-encoding': encoding }),
      };
      const response = await fetch(`${url}/v1.AircraftService/${method}`, { method: 'POST', headers, body: new Uint8Array(body) });
      const text = await response.text();
      // Errors of gRPC-Web and of streams are in the body. It has 13, internal, for a message that it cannot parse.
      expect([200, 400, 404, 415, 429, 501], text).toContain(response.status);
    }),
    { numRuns: 300 },
  );
  expect(faults).toEqual([]);
  expect((await fetch(`${url}/v1.AircraftService/NetworkStats?encoding=json&message={}`)).status).toBe(200);
});

test('GET takes arbitrary parameters', { timeout: 60_000 }, async () => {
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
  await fc.assert(
    fc.asyncProperty(methods, query, async (method, parameters) => {
      const response = await fetch(`${url}/v1.AircraftService/${method}?${new URLSearchParams(parameters as Record<string, string>)}`);
      expect([200, 400, 404, 415, 429, 501], await response.text()).toContain(response.status);
    }),
    { numRuns: 200 },
  );
});

test('bodies that never end, or are too large, cost their limit', { timeout: 60_000 }, async () => {
  // Their connections are ended after this time; the service gives half a minute.
  Object.assign(app.server, { requestTimeout: 8000, headersTimeout: 8000 });
  const port = Number(new URL(url).port);
  const before = process.memoryUsage().arrayBuffers;
  const piece = Buffer.alloc(64 * 1024);
  const statuses = await Promise.all(
    Array.from({ length: 50 }, (_, i) => {
      const type = ['application/json', 'application/proto', 'application/grpc-web+proto', 'application/connect+proto'][i % 4];
      const method = i % 4 === 3 ? 'WatchAircraft' : 'GetAircraft';
      return new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(
            `POST /v1.AircraftService/${method} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
          );
          for (let n = 0; n < 8; n += 1) socket.write(`10000\r\n${piece.toString('latin1')}\r\n`);
        });
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1');
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? ''));
      });
    }),
  );
  // A connection that is reset while its client still sends may lose the response.
  for (const [i, status] of statuses.entries()) expect(['', i % 4 < 2 ? '429' : '200'], String(i)).toContain(status);
  expect(statuses.filter((status) => status !== '').length).toBeGreaterThan(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * limits.recordRequestBytesMax + 50_000_000);
});
