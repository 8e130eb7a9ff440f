// The gRPC port over every protocol: operations, errors and streams; and its services for tools and load balancers, reflection and health.
import { connect } from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, it } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus } from '../../../schemas/proto/grpc/health/v1/health_pb.ts';
import { ServerReflection, type ServerReflectionResponse } from '../../../schemas/proto/grpc/reflection/v1/reflection_pb.ts';
import { AircraftService } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { fullState } from '../../../test/support/full-state.ts';
import { type GrpcStand, grpcStand } from '../../../test/support/grpc.ts';
import { until } from '../../../test/support/until.ts';
import { reflectionPaths } from './reflection.ts';

const hex = fullState(3).hex;
const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
let stand: GrpcStand;
afterEach(() => stand.close());

const h2 = { httpVersion: '2' as const };
const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  'gRPC, JSON': (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false }),
  'gRPC-Web': (baseUrl) => createGrpcWebTransport({ ...h2, baseUrl }),
  'Connect, JSON': (baseUrl) => createConnectTransport({ ...h2, baseUrl }),
  'Connect, binary': (baseUrl) => createConnectTransport({ ...h2, baseUrl, useBinaryFormat: true }),
  'Connect by GET': (baseUrl) => createConnectTransport({ ...h2, baseUrl, useHttpGet: true }),
};

/** The code and the details of the error. */
async function failure(call: Promise<unknown>): Promise<[Code, string[]]> {
  const error = await call.then(() => expect.fail('there was no error'), ConnectError.from);
  return [error.code, error.details.map((detail) => ('type' in detail ? detail.type : ''))];
}

describe.each(Object.entries(transports))('%s', (_, transport) => {
  it('has the operations, their errors, and the stream', async () => {
    stand = await grpcStand(20);
    const client = createClient(AircraftService, transport(`http://${stand.address}`));
    expect((await client.getAircraft({ hex })).hex).toBe(hex);
    expect((await client.networkStats({})).aircraftTotal).toBe(20);
    expect(await failure(client.getAircraft({ hex: 'ffffff' }))).toEqual([Code.NotFound, ['google.rpc.ErrorInfo']]);
    expect(await failure(client.nearbyAircraft({ lat: 1 }))).toEqual([
      Code.InvalidArgument,
      ['google.rpc.ErrorInfo', 'google.rpc.BadRequest'],
    ]);
    const ending = new AbortController();
    const stream = client.watchAircraft({ target: { case: 'hex', value: hex } }, { signal: ending.signal })[Symbol.asyncIterator]();
    const { value: first } = await stream.next();
    expect([first!.complete, first!.aircraft.map((one: { hex: string }) => one.hex)]).toEqual([true, [hex]]);
    ending.abort();
    await until(() => stand.server.connections.calls === 0);
    const counted = stand.server.calls.callRows().filter(([, , calls]) => calls > 0);
    expect(counted.filter(([, method]) => method.endsWith('GetAircraft'))).toEqual([
      ['OK', '/v1.AircraftService/GetAircraft', 1],
      ['NOT_FOUND', '/v1.AircraftService/GetAircraft', 1],
    ]);
  });
});

it('ignores the host of a request, whatever it is', async () => {
  stand = await grpcStand(5);
  const session = connect(`http://${stand.address}`);
  const stream = session.request({ ':path': '/v1.AircraftService/NetworkStats?encoding=json&message={}', ':authority': '%%%' });
  stream.on('error', () => {});
  const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
  expect(status).toBe(200);
  session.destroy();
});

describe('health', () => {
  it('follows the readiness, and ends its streams when the service stops', async () => {
    let reason: string | null = 'later';
    stand = await grpcStand(1, { whyNotReady: () => reason });
    const client = createClient(Health, createGrpcTransport({ baseUrl: `http://${stand.address}` }));
    expect((await client.check({ service: 'v1.AircraftService' })).status).toBe(NOT_SERVING);
    expect((await failure(client.check({ service: 'other' })))[0]).toBe(Code.NotFound);
    const seen: number[] = [];
    const watched = (async () => {
      for await (const { status } of client.watch({})) seen.push(status);
    })();
    const unknown = client.watch({ service: 'other' })[Symbol.asyncIterator]();
    expect((await unknown.next()).value!.status).toBe(SERVICE_UNKNOWN);
    await until(() => seen.length === 1);
    reason = null;
    await until(() => seen.length === 2);
    expect((await client.list({})).statuses).toMatchObject({ '': { status: SERVING }, 'v1.AircraftService': { status: SERVING } });
    await stand.close();
    await watched;
    expect(seen).toEqual([NOT_SERVING, SERVING, NOT_SERVING]);
  });
});

describe('reflection', () => {
  type Request = ServerReflectionResponse['originalRequest'] extends infer R | undefined ? R : never;
  const asked: readonly NonNullable<Request>['messageRequest'][] = [
    { case: 'listServices', value: '' },
    { case: 'fileByFilename', value: 'v1/aircraft.proto' },
    { case: 'fileContainingSymbol', value: 'v1.AircraftService.GetAircraft' },
    { case: 'fileContainingSymbol', value: 'grpc.health.v1.HealthCheckResponse.ServingStatus' },
    { case: 'allExtensionNumbersOfType', value: 'v1.Aircraft' },
    { case: 'fileContainingSymbol', value: 'v1.Nothing' },
    { case: undefined },
  ];

  it('names the services, their files by name and symbol, and has an error for others', async () => {
    stand = await grpcStand(1);
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: `http://${stand.address}` }));
    async function* requests() {
      for (const messageRequest of asked) yield { host: 'here', messageRequest };
    }
    const responses: ServerReflectionResponse[] = [];
    for await (const response of client.serverReflectionInfo(requests())) responses.push(response);
    const fileOf = ({ messageResponse }: ServerReflectionResponse): FileDescriptorProto =>
      fromBinary(FileDescriptorProtoSchema, (messageResponse.value as { fileDescriptorProto: Uint8Array[] }).fileDescriptorProto[0]!);
    expect(responses.map(({ messageResponse }) => messageResponse.case)).toEqual([
      'listServicesResponse',
      ...Array(3).fill('fileDescriptorResponse'),
      'allExtensionNumbersResponse',
      ...Array(2).fill('errorResponse'),
    ]);
    expect(responses.map(({ validHost, originalRequest }) => [validHost, originalRequest!.messageRequest])).toEqual(
      asked.map((request) => ['here', request]),
    );
    expect(responses[0]!.messageResponse.value).toMatchObject({
      service: [{ name: 'grpc.health.v1.Health' }, { name: 'v1.AircraftService' }],
    });
    expect(responses.slice(1, 4).map((response) => fileOf(response).name)).toEqual([
      'v1/aircraft.proto',
      'v1/aircraft.proto',
      'grpc/health/v1/health.proto',
    ]);
    // Tools read from them which numbers have presence.
    expect(
      fileOf(responses[1]!)
        .messageType.find(({ name }) => name === 'Aircraft')!
        .field.some((field) => field.proto3Optional),
    ).toBe(true);
    expect(responses.at(-1)!.messageResponse.value).toMatchObject({ errorCode: Code.NotFound });
  });

  it('is there under its first name, too', () => {
    expect(reflectionPaths.v1alpha).toBe('/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo');
  });
});
