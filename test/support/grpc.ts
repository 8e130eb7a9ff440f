// A gRPC server over a test view, and a client. Clients of other projects: test/clients/records.test.ts.
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { type CallerAccess, unlimitedAccess } from '../../query-api/access/access.ts';
import { createQueryApi } from '../../query-api/http/app.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { type GrpcServerOptions, openGrpcServer } from '../../query-api/rpc/grpc/server.ts';
import { recordProtocol } from '../../query-api/rpc/http-protocol.ts';
import { AircraftWatch } from '../../query-api/rpc/watch/aircraft-watch.ts';
import { AircraftService } from '../../schemas/proto/v1/aircraft_pb.ts';
import { createTestView, type TestView, testModel } from './live-view.ts';

export type RecordClient = Client<typeof AircraftService>;

export interface GrpcStand {
  readonly server: Awaited<ReturnType<typeof openGrpcServer>>;
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

export interface RecordStand {
  readonly view: TestView;
  readonly model: ReadModel;
  readonly watch: AircraftWatch;
  readonly app: FastifyInstance;
  /** Addresses of the HTTP port and of the gRPC port. */
  readonly url: string;
  readonly grpcUrl: string;
  readonly faults: unknown[];
  close(): Promise<void>;
}

/** The record service over a view, on the HTTP port and on the gRPC port, with a tick a second. */
export async function recordStand(view: TestView, access: CallerAccess = unlimitedAccess): Promise<RecordStand> {
  const model = testModel(view);
  const watch = new AircraftWatch(model, 1000);
  const faults: unknown[] = [];
  const protocol = recordProtocol({ model, watch, access, onFault: (error) => faults.push(error) });
  const app = createQueryApi(model, { registry: new Registry(), access, protocols: [protocol] });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const address = { host: '127.0.0.1', port: 0, flag: '--grpc' };
  const grpc = await openGrpcServer({ ...address, model, access, watch, whyNotReady: () => null, log: () => {} });
  const close = async (): Promise<void> => {
    await app.close();
    await grpc.close();
    watch.close();
  };
  return { view, model, watch, app, url, grpcUrl: `http://127.0.0.1:${grpc.port}`, faults, close };
}
