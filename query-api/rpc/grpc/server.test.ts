// The gRPC server over real sockets, with the client library of Node: counts, limits, shutdown.
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { fullState } from '../../../test/support/full-state.ts';
import { failureOfCall, type GrpcStand, grpcStand, RecordClient } from '../../../test/support/grpc.ts';
import { until } from '../../../test/support/until.ts';

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
    expect(refused.metadata.get('retry-after')).toEqual(['1']);
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
