// The record service in every protocol and form, with the library's own clients, on the HTTP port and on the gRPC port.
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toJson } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { compressionGzip, createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { AircraftSchema, AircraftService, type WatchAircraftResponse } from '../../schemas/proto/v1/aircraft_pb.ts';
import type { Tier } from '../../schemas/tiers.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, type TestView, testModel } from '../../test/support/live-view.ts';
import { until } from '../../test/support/until.ts';
import { type CallerAccess, unlimitedAccess } from '../access/access.ts';
import { plainCaller } from '../access/caller.ts';
import { createQueryApi } from '../http/app.ts';
import type { ReadModel } from '../queries/read-model.ts';
import { openGrpcServer } from './grpc/server.ts';
import { recordProtocol } from './http-protocol.ts';
import { getAircraft, nearbyAircraft } from './operations.ts';
import { aircraftRecord, listRecord } from './record-objects.ts';
import { AircraftWatch } from './watch/aircraft-watch.ts';

const TICK_MS = 1000;
/** One message as JSON. */
const QUEUED_BYTES_MAX = 1024 * 1024;
const squawks = ['1234', '4321'];
const WORLD = { case: 'box' as const, value: { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 } };
const { hex } = fullState(3);

interface Stand {
  readonly view: TestView;
  readonly model: ReadModel;
  readonly watch: AircraftWatch;
  /** Addresses of the HTTP port and of the gRPC port. */
  readonly url: string;
  readonly grpcUrl: string;
  /** Connections of the HTTP port. */
  readonly sockets: ReadonlySet<Socket>;
  /** The next tick, with these aircraft changed. */
  tick(changed?: readonly number[]): void;
  close(): Promise<void>;
}

let stand: Stand;
afterEach(() => stand.close());

/** A wrong key is refused. Callers are found by their address. */
const keyAccess: CallerAccess = {
  ...unlimitedAccess,
  identify(address, headers) {
    if (address !== '127.0.0.1') throw new Error(`a caller of ${address}`);
    if (headers['authorization'] === 'Bearer wrong') throw new SquitterError('access.wrong_key');
    return unlimitedAccess.identify(address, headers);
  },
};

async function open(aircraft: number, access: CallerAccess = keyAccess): Promise<Stand> {
  const view = await createTestView(aircraft);
  const model = testModel(view);
  const watch = new AircraftWatch(model, TICK_MS);
  const onFault = (error: unknown) => expect.fail(String(error));
  const app = createQueryApi(model, { registry: new Registry(), access, protocols: [recordProtocol({ model, watch, access, onFault })] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = { host: '127.0.0.1', port: 0, flag: '--grpc' };
  const grpc = await openGrpcServer({ ...address, model, access, watch, whyNotReady: () => null, log: () => {} });
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => sockets.add(socket));
  let ticks = 0;
  return {
    ...{ view, model, watch, sockets, grpcUrl: `http://127.0.0.1:${grpc.port}` },
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    tick(changed = []) {
      ticks += 1;
      view.clockMs += TICK_MS;
      for (const i of changed) view.table.applyState({ ...fullState(i), squawk: squawks[ticks % 2]! });
      view.tick(NOW_MS + ticks * TICK_MS);
    },
    async close() {
      await app.close();
      await grpc.close();
      watch.close();
    },
  };
}

const h1 = { httpVersion: '1.1' as const, acceptCompression: [] };
const h2 = { httpVersion: '2' as const };
const zipped = { acceptCompression: [compressionGzip], sendCompression: compressionGzip, compressMinBytes: 0 };
const connectBinary = ({ url: baseUrl }: Stand): Transport => createConnectTransport({ ...h1, baseUrl, useBinaryFormat: true });
const ways: Readonly<Record<string, (stand: Stand) => Transport>> = {
  'Connect, JSON': ({ url: baseUrl }) => createConnectTransport({ ...h1, baseUrl }),
  'Connect, binary': connectBinary,
  'Connect, JSON by GET': ({ url: baseUrl }) => createConnectTransport({ ...h1, baseUrl, useHttpGet: true }),
  'Connect, binary by GET': ({ url: baseUrl }) => createConnectTransport({ ...h1, baseUrl, useBinaryFormat: true, useHttpGet: true }),
  'Connect, gzip': ({ url: baseUrl }) => createConnectTransport({ ...h1, ...zipped, baseUrl, useBinaryFormat: true }),
  'gRPC-Web': ({ url: baseUrl }) => createGrpcWebTransport({ ...h1, baseUrl }),
  'gRPC-Web, JSON': ({ url: baseUrl }) => createGrpcWebTransport({ ...h1, baseUrl, useBinaryFormat: false }),
  'gRPC-Web, gzip': ({ url: baseUrl }) => createGrpcWebTransport({ ...h1, ...zipped, baseUrl }),
  gRPC: ({ grpcUrl: baseUrl }) => createGrpcTransport({ baseUrl }),
  'gRPC, JSON, gzip': ({ grpcUrl: baseUrl }) => createGrpcTransport({ ...zipped, baseUrl, useBinaryFormat: false }),
  'gRPC-Web on the gRPC port': ({ grpcUrl: baseUrl }) => createGrpcWebTransport({ ...h2, baseUrl }),
  'Connect on the gRPC port': ({ grpcUrl: baseUrl }) => createConnectTransport({ ...h2, baseUrl }),
  'Connect by GET on the gRPC port': ({ grpcUrl: baseUrl }) => createConnectTransport({ ...h2, baseUrl, useHttpGet: true }),
};

/** The error of a call, or of a stream that is read to its end. */
async function errorOf(call: Promise<unknown> | AsyncIterable<unknown>): Promise<ConnectError> {
  const end = async (): Promise<unknown> => {
    if (call instanceof Promise) return call;
    for await (const _ of call);
    return null;
  };
  return end().then(() => expect.fail('there was no error'), ConnectError.from);
}

/** Types of the details, and their bytes in Latin-1. */
function detailsOf({ details }: ConnectError): [string, string][] {
  return (details as { type: string; value: Uint8Array }[]).map(({ type, value }) => [type, Buffer.from(value).toString('latin1')]);
}

describe.each(Object.entries(ways))('%s', (way, transport) => {
  it('has the operations, and errors with codes and details', async () => {
    stand = await open(300);
    const client = createClient(AircraftService, transport(stand));
    expect(toJson(AircraftSchema, await client.getAircraft({ hex: hex.toUpperCase() }))).toEqual(
      aircraftRecord(getAircraft(stand.model, { hex })),
    );
    const { latitudeMicrodeg, longitudeMicrodeg } = fullState(3);
    const around = { lat: latitudeMicrodeg! / 1e6, lon: longitudeMicrodeg! / 1e6, radiusNm: 250, limit: 50 };
    const nearby = await client.nearbyAircraft(around);
    const { aircraft, total, sourceTime } = listRecord(nearbyAircraft(stand.model, around));
    expect(nearby.aircraft.map((one) => toJson(AircraftSchema, one))).toEqual(aircraft);
    expect([nearby.total, nearby.sourceTime]).toEqual([total, sourceTime]);
    expect(await client.networkStats({})).toMatchObject({ aircraftTotal: 300, sourceTime: NOW_MS / 1000 });

    const unknown = await errorOf(client.getAircraft({ hex: 'ffffff' }));
    expect([unknown.code, unknown.rawMessage]).toEqual([Code.NotFound, 'no aircraft with the address ffffff was heard lately']);
    const bad = await errorOf(client.getAircraft({ hex: 'xyz' }));
    expect(bad.code).toBe(Code.InvalidArgument);
    expect(detailsOf(bad)).toEqual([
      ['google.rpc.ErrorInfo', expect.stringContaining('BAD_VALUE')],
      // BadRequest.field_violations[0]: 1 is the field, 2 its description.
      ['google.rpc.BadRequest', expect.stringContaining('\n\x03hex\x12')],
    ]);
    // The shown value ends with half of a surrogate pair.
    expect((await errorOf(client.getAircraft({ hex: '😀'.repeat(100) }))).code).toBe(Code.InvalidArgument);
    expect((await errorOf(client.getAircraft({ hex }, { headers: { authorization: 'Bearer wrong' } }))).code).toBe(Code.Unauthenticated);
    // URLs have a limit of their own.
    const large = way.includes('GET') ? null : await errorOf(client.getAircraft({ hex: 'f'.repeat(limits.recordRequestBytesMax) }));
    expect(large?.code ?? Code.ResourceExhausted).toBe(Code.ResourceExhausted);
    stand.view.clockMs += 100_000;
    const late = await errorOf(client.networkStats({}));
    expect([late.code, late.metadata.get('retry-after')]).toEqual([Code.Unavailable, '5']);
    expect(late.rawMessage).toBe('no live data yet, or the data are older than 60 s');
    // RetryInfo.retry_delay is a google.protobuf.Duration of 5 s.
    expect(detailsOf(late)[1]).toEqual(['google.rpc.RetryInfo', '\n\x02\x08\x05']);
  });

  it('streams all aircraft of a box, then those that changed, and ends with a code', async () => {
    stand = await open(50);
    const client = createClient(AircraftService, transport(stand));
    const ending = new AbortController();
    const stream = client.watchAircraft({ target: WORLD }, { signal: ending.signal })[Symbol.asyncIterator]();
    const next = async (): Promise<WatchAircraftResponse> => (await stream.next()).value as WatchAircraftResponse;
    const first = await next();
    expect([first.complete, first.aircraft.length, first.sourceTime]).toEqual([true, 50, NOW_MS / 1000]);
    stand.tick([3, 7]);
    const second = await next();
    expect([second.complete, second.sourceTime]).toEqual([false, NOW_MS / 1000 + 1]);
    expect(second.aircraft.map((one) => one.hex).sort()).toEqual([hex, fullState(7).hex].sort());
    ending.abort();
    await until(() => stand.watch.stats().watchers === 0);
    const codeOf = async (target: object, options = {}) => (await errorOf(client.watchAircraft({ target } as never, options))).code;
    expect(await codeOf({ case: 'hex', value: 'none' })).toBe(Code.InvalidArgument);
    expect(await codeOf({ case: undefined })).toBe(Code.InvalidArgument);
    expect(await codeOf(WORLD, { timeoutMs: 300 })).toBe(Code.DeadlineExceeded);
    await until(() => stand.watch.stats().watchers === 0);
    const ended = codeOf(WORLD);
    await until(() => stand.watch.stats().watchers === 1);
    await stand.close();
    expect(await ended).toBe(Code.Unavailable);
  });
});

test('a stream has the interval of its caller now, and ends when the caller may have it no more', async () => {
  let now: Tier | null = 'trial';
  let leases = 0;
  stand = await open(3, {
    ...unlimitedAccess,
    identify: (address) => plainCaller(address, 'trial'),
    open(caller) {
      leases += 1;
      return {
        caller,
        close() {
          leases -= 1;
        },
      };
    },
    check() {
      if (now === null) throw new SquitterError('access.banned', { reason: 'noise' });
      return now;
    },
  });
  const client = createClient(AircraftService, connectBinary(stand));
  const stream = client.watchAircraft({ target: WORLD })[Symbol.asyncIterator]();
  const next = async (): Promise<WatchAircraftResponse> => (await stream.next()).value as WatchAircraftResponse;
  expect((await next()).complete).toBe(true);
  stand.tick([0]);
  expect((await next()).complete).toBe(false);
  now = 'free';
  stand.tick([1]);
  const moved = await next();
  expect([moved.complete, moved.aircraft.length, leases]).toEqual([true, 3, 1]);
  // Its next tick is far away.
  stand.tick([2]);
  now = null;
  stand.watch.check();
  await expect(stream.next()).rejects.toMatchObject({ code: Code.PermissionDenied });
  await until(() => leases === 0);
});

test('a client that reads nothing has one message queued and misses ticks; others get every tick', async () => {
  stand = await open(3000);
  const body = Buffer.from(JSON.stringify({ box: WORLD.value }));
  const head = `POST /v1.AircraftService/WatchAircraft HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+json\r\n`;
  const lengths = Buffer.from([0, 0, 0, 0, body.length]);
  const deaf = Array.from({ length: 5 }, () => {
    const socket = connect(Number(new URL(stand.url).port), '127.0.0.1')
      .on('error', () => {})
      .pause();
    socket.write(Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length + lengths.length}\r\n\r\n`), lengths, body]));
    return socket;
  });
  await until(() => stand.watch.stats().watchers === deaf.length);
  const client = createClient(AircraftService, connectBinary(stand));
  const ending = new AbortController();
  const stream = client.watchAircraft({ target: WORLD }, { signal: ending.signal })[Symbol.asyncIterator]();
  const times: number[] = [];
  const readTo = async (time: number): Promise<void> => {
    while (times.at(-1) !== time) times.push(((await stream.next()).value as WatchAircraftResponse).sourceTime!);
  };
  const changed = Array.from({ length: 3000 }, (_, i) => i);
  await readTo(NOW_MS / 1000);
  for (let n = 1; n <= 12; n += 1) {
    stand.tick(changed);
    await readTo(NOW_MS / 1000 + n);
    for (const socket of stand.sockets) expect(socket.writableLength).toBeLessThan(QUEUED_BYTES_MAX);
    await sleep(50);
  }
  expect(stand.watch.stats().skipped).toBeGreaterThan(deaf.length);
  ending.abort();
  for (const socket of deaf) socket.destroy();
  await until(() => stand.watch.stats().watchers === 0);
});
