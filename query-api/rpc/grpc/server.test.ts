// The gRPC server over real sockets, with the client library of Node: errors with details, limits, counts, shutdown.
import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { fullState } from '../../../test/support/full-state.ts';
import { failureOfCall, type GrpcStand, grpcStand, RecordClient } from '../../../test/support/grpc.ts';
import { until } from '../../../test/support/until.ts';
import { unlimitedAccess } from '../../access/access.ts';
import { plainCaller } from '../../access/caller.ts';
import { QueryError } from '../../queries/errors.ts';

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
});

describe('the server', () => {
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
