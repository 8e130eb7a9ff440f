// Services of the gRPC port for tools and load balancers: reflection and health.
import { connect } from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, it } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus } from '../../../schemas/proto/grpc/health/v1/health_pb.ts';
import { ServerReflection, type ServerReflectionResponse } from '../../../schemas/proto/grpc/reflection/v1/reflection_pb.ts';
import { type GrpcStand, grpcStand } from '../../../test/support/grpc.ts';
import { until } from '../../../test/support/until.ts';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
let stand: GrpcStand;
afterEach(() => stand.close());

/** The code of the error. */
async function failure(call: Promise<unknown>): Promise<Code> {
  return (await call.then(() => expect.fail('there was no error'), ConnectError.from)).code;
}

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
    expect(await failure(client.check({ service: 'other' }))).toBe(Code.NotFound);
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
});
