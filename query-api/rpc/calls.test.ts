// The record service in every protocol and form, with the library's own clients, on the HTTP port and on the gRPC port.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toJson } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { compressionGzip, createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, it, test } from 'vitest';
import { type ErrorCode, errorKinds, SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { AircraftSchema, AircraftService, type WatchAircraftResponse } from '../../schemas/proto/v1/aircraft_pb.ts';
import type { Tier } from '../../schemas/tiers.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { type RecordStand, recordStand } from '../../test/support/grpc.ts';
import { createTestView } from '../../test/support/live-view.ts';
import { until } from '../../test/support/until.ts';
import { type CallerAccess, unlimitedAccess } from '../access/access.ts';
import { plainCaller } from '../access/caller.ts';
import { connectError } from './failures.ts';
import { getAircraft, nearbyAircraft } from './operations.ts';
import { aircraftRecord, listRecord } from './record-objects.ts';

const TICK_MS = 1000;
/** One message as JSON. */
const QUEUED_BYTES_MAX = 1024 * 1024;
const squawks = ['1234', '4321'];
const WORLD = { case: 'box' as const, value: { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 } };
const { hex } = fullState(3);

let stand: RecordStand;
afterEach(async () => {
  await stand.close();
  expect(stand.faults).toEqual([]);
});

/** A wrong key is refused. Callers are found by their address. */
const keyAccess: CallerAccess = {
  ...unlimitedAccess,
  identify(address, headers) {
    if (address !== '127.0.0.1') throw new Error(`a caller of ${address}`);
    if (headers['authorization'] === 'Bearer wrong') throw new SquitterError('access.wrong_key');
    return unlimitedAccess.identify(address, headers);
  },
};

async function open(aircraft: number, access: CallerAccess = keyAccess): Promise<void> {
  stand = await recordStand(await createTestView(aircraft), { access });
  ticks = 0;
}

let ticks = 0;
/** The next tick, with these aircraft changed. */
function tick(changed: readonly number[] = []): void {
  ticks += 1;
  stand.view.clockMs += TICK_MS;
  for (const i of changed) stand.view.table.applyState({ ...fullState(i), squawk: squawks[ticks % 2]! });
  stand.view.tick(NOW_MS + ticks * TICK_MS);
}

const h1 = { httpVersion: '1.1' as const, acceptCompression: [] };
const h2 = { httpVersion: '2' as const };
const zipped = { acceptCompression: [compressionGzip], sendCompression: compressionGzip, compressMinBytes: 0 };
const connectBinary = ({ url: baseUrl }: RecordStand): Transport => createConnectTransport({ ...h1, baseUrl, useBinaryFormat: true });
const ways: Readonly<Record<string, (stand: RecordStand) => Transport>> = {
  'Connect, JSON': ({ url: baseUrl }) => createConnectTransport({ ...h1, baseUrl }),
  'Connect, binary': connectBinary,
  'Connect, binary by GET': ({ url: baseUrl }) => createConnectTransport({ ...h1, baseUrl, useBinaryFormat: true, useHttpGet: true }),
  'Connect, gzip': ({ url: baseUrl }) => createConnectTransport({ ...h1, ...zipped, baseUrl, useBinaryFormat: true }),
  'gRPC-Web': ({ url: baseUrl }) => createGrpcWebTransport({ ...h1, baseUrl }),
  'gRPC-Web, gzip': ({ url: baseUrl }) => createGrpcWebTransport({ ...h1, ...zipped, baseUrl }),
  gRPC: ({ grpcUrl: baseUrl }) => createGrpcTransport({ baseUrl }),
  'gRPC, JSON, gzip': ({ grpcUrl: baseUrl }) => createGrpcTransport({ ...zipped, baseUrl, useBinaryFormat: false }),
  'gRPC-Web on the gRPC port': ({ grpcUrl: baseUrl }) => createGrpcWebTransport({ ...h2, baseUrl }),
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
    await open(300);
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
    await open(50);
    const client = createClient(AircraftService, transport(stand));
    const ending = new AbortController();
    const stream = client.watchAircraft({ target: WORLD }, { signal: ending.signal })[Symbol.asyncIterator]();
    const next = async (): Promise<WatchAircraftResponse> => (await stream.next()).value as WatchAircraftResponse;
    const first = await next();
    expect([first.complete, first.aircraft.length, first.sourceTime]).toEqual([true, 50, NOW_MS / 1000]);
    tick([3, 7]);
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
  await open(3, {
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
  tick([0]);
  expect((await next()).complete).toBe(false);
  now = 'free';
  tick([1]);
  const moved = await next();
  expect([moved.complete, moved.aircraft.length, leases]).toEqual([true, 3, 1]);
  // Its next tick is far away.
  tick([2]);
  now = null;
  stand.watch.check();
  await expect(stream.next()).rejects.toMatchObject({ code: Code.PermissionDenied });
  await until(() => leases === 0);
});

test('a client that reads nothing has one message queued and misses ticks; others get every tick', async () => {
  await open(3000);
  /** Connections of the HTTP port. */
  const sockets = new Set<Socket>();
  stand.app.server.on('connection', (socket) => sockets.add(socket));
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
    tick(changed);
    await readTo(NOW_MS / 1000 + n);
    for (const socket of sockets) expect(socket.writableLength).toBeLessThan(QUEUED_BYTES_MAX);
    await sleep(50);
  }
  expect(stand.watch.stats().skipped).toBeGreaterThan(deaf.length);
  ending.abort();
  for (const socket of deaf) socket.destroy();
  await until(() => stand.watch.stats().watchers === 0);
});

it.each([new Error('secret'), new SquitterError('log.io_failed', { path: 'x', detail: 'secret' })])(
  'the text of an error of the service is logged, and not sent: %s',
  (error) => {
    const faults: unknown[] = [];
    const sent = connectError(error, (fault) => faults.push(fault));
    expect([sent.code, faults]).toEqual([Code.Internal, [error]]);
    expect(sent.rawMessage + JSON.stringify(sent.details)).not.toContain('secret');
  },
);

it('an error that passes does not blame the arguments', () => {
  const retriable = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code.startsWith('api.') && errorKinds[code].retriable);
  for (const code of retriable)
    expect([Code.InvalidArgument, Code.Unimplemented]).not.toContain(connectError(new SquitterError(code), () => {}).code);
});
