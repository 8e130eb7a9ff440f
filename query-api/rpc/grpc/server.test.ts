// The gRPC server over real sockets, with the client library of Node: operations, errors with details, deadlines, compression, health, shutdown.
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { compressionAlgorithms, Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { AircraftListSchema } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { fullState, NOW_MS } from '../../../test/support/full-state.ts';
import { failureOfCall, type GrpcStand, grpcStand, RecordClient } from '../../../test/support/grpc.ts';
import { testModel } from '../../../test/support/live-view.ts';
import { until } from '../../../test/support/until.ts';
import { unlimitedAccess } from '../../access/access.ts';
import { plainCaller } from '../../access/caller.ts';
import { QueryError } from '../../queries/errors.ts';
import { nearbyAircraft } from '../operations.ts';
import { listRecord } from '../record-objects.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function stand(aircraft: number, options: Parameters<typeof grpcStand>[1] = {}): Promise<GrpcStand & { client: RecordClient }> {
  const server = await grpcStand(aircraft, options);
  const client = clientOf(server);
  closers.push(() => server.close());
  closers.push(() => client.close());
  return { ...server, client };
}

function clientOf({ address }: Pick<GrpcStand, 'address'>, options = {}): RecordClient {
  const client = new RecordClient(address, options);
  closers.push(() => client.close());
  return client;
}

const DETAILS = 'grpc-status-details-bin';
const textOf = (metadata: Metadata, key: string): string => String(metadata.get(key)[0]);

describe('operations', () => {
  it('give one aircraft, those nearby and the totals', async () => {
    const { client } = await stand(40);
    const { hex, latitudeMicrodeg, longitudeMicrodeg, groundSpeedDeciKt } = fullState(3);
    const aircraft = await client.get(hex.toUpperCase());
    expect(aircraft).toMatchObject({
      hex,
      lat: latitudeMicrodeg! / 1e6,
      lon: longitudeMicrodeg! / 1e6,
      groundSpeed: groundSpeedDeciKt! / 10,
    });
    expect(aircraft.distanceNm).toBeUndefined();
    const list = await client.nearby({ lat: aircraft.lat!, lon: aircraft.lon!, limit: 5 });
    expect(list.aircraft[0]).toMatchObject({ hex, distanceNm: 0 });
    expect(list.sourceTime).toBe(NOW_MS / 1000);
    expect(await client.stats()).toMatchObject({ aircraftTotal: 40, sourceTime: NOW_MS / 1000, servedAt: NOW_MS / 1000 + 0.3 });
  });

  it('fail with a code, a text, the stable name of the error and the wrong arguments', async () => {
    const { client, view } = await stand(3);
    const bad = await failureOfCall(client.get('xyz'));
    expect(bad).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining('hex cannot be "xyz"') });
    expect(textOf(bad.metadata, DETAILS)).toMatch(/BAD_VALUE[\s\S]*google.rpc.BadRequest/);
    expect(bad.metadata.get('retry-after')).toEqual([]);
    expect(await failureOfCall(client.get('abcdef'))).toMatchObject({ code: status.NOT_FOUND });
    expect(await failureOfCall(client.nearby({ lat: 1 }))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('lon'),
    });
    expect(await failureOfCall(client.raw('/v1.AircraftService/GetAircraft', Buffer.from('ff', 'hex')))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    expect(await failureOfCall(client.raw('/v1.AircraftService/DeleteAircraft', Buffer.alloc(0)))).toMatchObject({
      code: status.UNIMPLEMENTED,
    });
    // Half of a surrogate pair at the end of the shown value.
    expect(await failureOfCall(client.get('😀'.repeat(100)))).toMatchObject({ code: status.INVALID_ARGUMENT });
    view.clockMs += 61_000;
    const late = await failureOfCall(client.stats());
    expect(late).toMatchObject({ code: status.UNAVAILABLE, details: 'no live data yet, or the data are older than 60 s' });
    expect(textOf(late.metadata, 'retry-after')).toBe('5');
    expect(textOf(late.metadata, DETAILS)).toMatch(/NO_SNAPSHOT[\s\S]*google.rpc.RetryInfo/);
  });

  it('find the caller by address and metadata, and refuse as the hook says', async () => {
    const { client } = await stand(1, {
      access: {
        ...unlimitedAccess,
        identify(address, headers) {
          if (headers['authorization'] !== 'Bearer good')
            throw new QueryError('access.many_wrong_keys', { seconds: 20 }, { retryAfterS: 20 });
          expect(address).toBe('127.0.0.1');
          return plainCaller('one', 'free');
        },
      },
    });
    const refused = await failureOfCall(client.stats());
    expect(refused.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(textOf(refused.metadata, 'retry-after')).toBe('20');
    const key = new Metadata();
    key.set('authorization', 'Bearer good');
    expect((await client.stats({}, key)).aircraftTotal).toBe(1);
  });

  it('keep the error of a fault to the log', async () => {
    const lines: string[] = [];
    const { client } = await stand(1, {
      log: (_level, fields) => lines.push(JSON.stringify(fields)),
      access: {
        ...unlimitedAccess,
        identify() {
          throw new TypeError('secret');
        },
      },
    });
    expect(await failureOfCall(client.stats())).toMatchObject({ code: status.INTERNAL, details: expect.not.stringContaining('secret') });
    expect(lines.join()).toContain('secret');
  });
});

describe('messages', () => {
  it('are bounded, also after decompression', async () => {
    const { client, server } = await stand(1);
    const path = '/v1.AircraftService/GetAircraft';
    expect(await failureOfCall(client.raw(path, Buffer.alloc(17 * 1024)))).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    const zipping = new RecordClient(`127.0.0.1:${server.port}`, { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip });
    closers.push(() => zipping.close());
    expect(await failureOfCall(zipping.raw(path, Buffer.alloc(1024 ** 2)))).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('are compressed for a client that compresses its own', async () => {
    const stood = await stand(0);
    for (let i = 0; i < 60; i += 1)
      stood.view.table.applyState({ ...fullState(i), latitudeMicrodeg: 10_000_000 + 1000 * i, longitudeMicrodeg: 10_000_000 });
    stood.view.tick(NOW_MS);
    const counted = await countingProxy(stood.server.port);
    const zipping = clientOf(
      { address: `127.0.0.1:${counted.port}` },
      { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip },
    );
    const plain = await stood.client.nearby({ lat: 10, lon: 10, limit: 50 });
    const fromZip = await zipping.nearby({ lat: 10, lon: 10, limit: 50 });
    expect(plain.aircraft.length).toBe(50);
    expect(fromZip).toEqual(plain);
    // Small ones are not worth it.
    expect((await zipping.get(fullState(1).hex)).hex).toBe(fullState(1).hex);
    const list = listRecord(nearbyAircraft(testModel(stood.view), { lat: 10, lon: 10, limit: 50 }));
    const whole = toBinary(AircraftListSchema, create(AircraftListSchema, list));
    const before = counted.bytes();
    await zipping.nearby({ lat: 10, lon: 10, limit: 50 });
    expect(counted.bytes() - before).toBeLessThan(0.6 * whole.length);
  });
});

/** A port that passes everything on, and counts the bytes from the server. */
async function countingProxy(target: number): Promise<{ port: number; bytes: () => number }> {
  let bytes = 0;
  const proxy = createServer((socket) => {
    const server = connectSocket(target, '127.0.0.1');
    server.on('data', (piece) => {
      bytes += piece.length;
    });
    socket.pipe(server).pipe(socket);
    for (const end of [socket, server]) end.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.unshift(() => proxy.close());
  return { port: (proxy.address() as AddressInfo).port, bytes: () => bytes };
}

describe('the server', () => {
  it('ends a call at its deadline', async () => {
    const { client, server } = await stand(1);
    const stream = client.watch({ case: 'hex', value: fullState(0).hex }, { deadline: Date.now() + 300 });
    await until(() => stream.failure !== null);
    expect(stream.failure!.code).toBe(status.DEADLINE_EXCEEDED);
    // The server has ended it, too. On a busy machine the deadline may pass before the first message.
    await until(() => server.connections.calls === 0);
  });

  it('counts calls by method and code', async () => {
    const { client, server } = await stand(1);
    await client.stats();
    await failureOfCall(client.get('abcdef'));
    await failureOfCall(client.raw('/a/b', Buffer.alloc(0)));
    await until(() => server.connections.calls === 0);
    const counts = server.calls.callRows().filter(([, , calls]) => calls > 0);
    expect(counts.map(([code, method, calls]) => [method, code, calls])).toEqual([
      ['/v1.AircraftService/GetAircraft', 'NOT_FOUND', 1],
      ['/v1.AircraftService/NetworkStats', 'OK', 1],
      ['unknown', 'UNIMPLEMENTED', 1],
    ]);
  });

  it('refuses calls beyond its limit and serves again afterwards', async () => {
    const { client, server } = await stand(1, { callsMax: 2 });
    const streams = [1, 2].map(() => client.watch({ case: 'hex', value: fullState(0).hex }));
    await until(() => streams.every(({ messages }) => messages.length === 1));
    const refused = await failureOfCall(client.stats());
    expect(refused).toMatchObject({ code: status.UNAVAILABLE, details: 'all 2 calls at a time are in use' });
    expect(textOf(refused.metadata, 'retry-after')).toBe('1');
    expect(server.connections.callsRefused).toBe(1);
    streams[0]!.call.cancel();
    await until(() => server.connections.calls === 1);
    expect((await client.stats()).aircraftTotal).toBe(1);
  });

  it('stops in time: new calls go elsewhere, running streams end', async () => {
    const server = await grpcStand(1);
    const client = clientOf(server);
    const stream = client.watch({ case: 'hex', value: fullState(0).hex });
    await until(() => stream.messages.length === 1);
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeLessThan(4000);
    await until(() => stream.failure !== null);
    expect(stream.failure).toMatchObject({ code: status.UNAVAILABLE });
    expect((await failureOfCall(client.stats())).code).toBe(status.UNAVAILABLE);
  });
});
