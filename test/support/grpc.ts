// A gRPC server over a test view, and a client. Clients of other projects: test/clients/grpc-clients.test.ts and records.test.ts.
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { type GrpcServer, type GrpcServerOptions, openGrpcServer } from '../../query-api/rpc/grpc/server.ts';
import { AircraftWatch } from '../../query-api/rpc/watch/aircraft-watch.ts';
import { AircraftService } from '../../schemas/proto/v1/aircraft_pb.ts';
import { createTestView, type TestView, testModel } from './live-view.ts';

export type RecordClient = Client<typeof AircraftService>;

export interface GrpcStand {
  readonly server: GrpcServer;
  readonly view: TestView;
  readonly address: string;
  readonly client: RecordClient;
  close(): Promise<void>;
}

/** A client with a connection of its own. */
export const recordClient = (address: string): RecordClient =>
  createClient(AircraftService, createGrpcTransport({ baseUrl: `http://${address}` }));

/** A server with this many aircraft. */
export async function grpcStand(aircraft: number, options: Partial<GrpcServerOptions> = {}): Promise<GrpcStand> {
  const view = await createTestView(aircraft);
  const model = testModel(view);
  const server = await openGrpcServer({
    ...{ model, access: unlimitedAccess, watch: new AircraftWatch(model, 10_000) },
    ...{ host: '127.0.0.1', port: 0, flag: '--grpc', whyNotReady: () => null, log: () => {} },
    ...options,
  });
  const address = `127.0.0.1:${server.port}`;
  return { server, view, address, client: recordClient(address), close: () => server.close() };
}
