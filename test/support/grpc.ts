// gRPC for tests: a server over a test view, and clients of it.
import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  type CallOptions,
  type ChannelOptions,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { type CallerAccess, unlimitedAccess } from '../../query-api/access/access.ts';
import { createQueryApi } from '../../query-api/http/app.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { type GrpcServer, type GrpcServerOptions, openGrpcServer } from '../../query-api/rpc/grpc/server.ts';
import { recordProtocol } from '../../query-api/rpc/http-protocol.ts';
import { AircraftWatch } from '../../query-api/rpc/watch/aircraft-watch.ts';
import {
  type Aircraft,
  type AircraftList,
  AircraftListSchema,
  AircraftSchema,
  GetAircraftRequestSchema,
  NearbyAircraftRequestSchema,
  NetworkStatsRequestSchema,
  type NetworkStatsResponse,
  NetworkStatsResponseSchema,
  WatchAircraftRequestSchema,
  type WatchAircraftResponse,
  WatchAircraftResponseSchema,
} from '../../schemas/proto/v1/aircraft_pb.ts';
import { createTestView, type TestView, testModel } from './live-view.ts';

export interface GrpcStand {
  readonly server: GrpcServer;
  readonly view: TestView;
  readonly address: string;
  close(): Promise<void>;
}

/** A server with this many aircraft. */
export async function grpcStand(aircraft: number, options: Partial<GrpcServerOptions> = {}): Promise<GrpcStand> {
  const view = await createTestView(aircraft);
  const model = testModel(view);
  const server = await openGrpcServer({
    model,
    access: unlimitedAccess,
    whyNotReady: () => null,
    watch: new AircraftWatch(model, 10_000),
    log: () => {},
    host: '127.0.0.1',
    port: 0,
    flag: '--grpc',
    ...options,
  });
  return { server, view, address: `127.0.0.1:${server.port}`, close: () => server.close() };
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

/** The end of a call. */
export interface Failure {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

export interface Stream {
  readonly messages: WatchAircraftResponse[];
  readonly call: ClientReadableStream<WatchAircraftResponse>;
  /** Null before its end. */
  failure: Failure | null;
}

type Given<Schema extends DescMessage> = MessageInitShape<Schema>;

/** A client of v1.AircraftService, made with the library of Node. */
export class RecordClient {
  readonly client: Client;

  constructor(address: string, options: ChannelOptions = {}) {
    // Each with a connection of its own.
    this.client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1, ...options });
  }

  get(hex: string, options: CallOptions = {}): Promise<Aircraft> {
    return this.unary('GetAircraft', GetAircraftRequestSchema, { hex }, AircraftSchema, options);
  }

  nearby(request: Given<typeof NearbyAircraftRequestSchema>, options: CallOptions = {}): Promise<AircraftList> {
    return this.unary('NearbyAircraft', NearbyAircraftRequestSchema, request, AircraftListSchema, options);
  }

  stats(options: CallOptions = {}, metadata = new Metadata()): Promise<NetworkStatsResponse> {
    return this.unary('NetworkStats', NetworkStatsRequestSchema, {}, NetworkStatsResponseSchema, options, metadata);
  }

  watch(target: Given<typeof WatchAircraftRequestSchema>['target'], options: CallOptions = {}, metadata = new Metadata()): Stream {
    const request = create(WatchAircraftRequestSchema, { target: target! });
    const call = this.client.makeServerStreamRequest(
      '/v1.AircraftService/WatchAircraft',
      (message: typeof request) => Buffer.from(toBinary(WatchAircraftRequestSchema, message)),
      (bytes) => fromBinary(WatchAircraftResponseSchema, bytes),
      request,
      metadata,
      options,
    );
    const stream: Stream = { messages: [], call, failure: null };
    call.on('data', (message: WatchAircraftResponse) => stream.messages.push(message));
    call.on('error', () => {});
    call.on('status', (status) => {
      stream.failure = status;
    });
    return stream;
  }

  /** A call with these bytes; resolves with those of the response, rejects with a `Failure`. */
  raw(path: string, bytes: Buffer, options: CallOptions = {}, metadata = new Metadata()): Promise<Buffer> {
    const asIs = (value: Buffer): Buffer => value;
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, options, (error: ServiceError | null, response) => {
        if (error === null) resolve(response!);
        else reject(error);
      });
    });
  }

  close(): void {
    this.client.close();
  }

  private async unary<Request extends DescMessage, Response extends DescMessage>(
    method: string,
    request: Request,
    given: Given<Request>,
    response: Response,
    options: CallOptions,
    metadata?: Metadata,
  ): Promise<MessageShape<Response>> {
    const bytes = Buffer.from(toBinary(request, create(request, given)));
    return fromBinary(response, await this.raw(`/v1.AircraftService/${method}`, bytes, options, metadata));
  }
}

/** The failure of a call that must fail. */
export async function failureOfCall(call: Promise<unknown>): Promise<Failure> {
  const outcome = await call.then(
    () => null,
    (error: Failure) => error,
  );
  if (outcome === null) throw new Error('the call succeeded');
  return outcome;
}
