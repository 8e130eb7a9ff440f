// Services of the gRPC port for tools and load balancers: reflection and health.
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterEach, expect, it } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus } from '../../../schemas/proto/grpc/health/v1/health_pb.ts';
import { ServerReflection, type ServerReflectionResponse } from '../../../schemas/proto/grpc/reflection/v1/reflection_pb.ts';
import { type GrpcStand, grpcStand } from '../../../test/support/grpc.ts';
import { until } from '../../../test/support/until.ts';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
let stand: GrpcStand;
afterEach(() => stand.close());

it('health follows the readiness, and ends its streams when the service stops', async () => {
  let reason: string | null = 'later';
  stand = await grpcStand(1, { whyNotReady: () => reason });
  const client = createClient(Health, createGrpcTransport({ baseUrl: `http://${stand.address}` }));
  expect((await client.check({ service: 'v1.AircraftService' })).status).toBe(NOT_SERVING);
  await expect(client.check({ service: 'other' })).rejects.toMatchObject({ code: Code.NotFound });
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

// Most tools still call the alpha version, whose messages are the same.
it.each(['v1', 'v1alpha'])(
  'reflection (%s) names the services, their files by name and symbol, and has an error for others',
  async (version) => {
    stand = await grpcStand(1);
    const versioned: Interceptor = (next) => (request) => next({ ...request, url: request.url.replace('.v1.', `.${version}.`) });
    const transport = createGrpcTransport({ baseUrl: `http://${stand.address}`, interceptors: [versioned] });
    const client = createClient(ServerReflection, transport);
    const questions = [
      { case: 'listServices', value: '' },
      { case: 'fileByFilename', value: 'v1/aircraft.proto' },
      { case: 'fileContainingSymbol', value: 'v1.AircraftService.GetAircraft' },
      { case: 'fileContainingSymbol', value: 'grpc.health.v1.HealthCheckResponse.ServingStatus' },
      { case: 'allExtensionNumbersOfType', value: 'v1.Aircraft' },
      { case: 'fileContainingSymbol', value: 'v1.Nothing' },
      { case: undefined },
    ] as const;
    async function* requests() {
      for (const messageRequest of questions) yield { host: 'here', messageRequest };
    }
    const responses: ServerReflectionResponse[] = [];
    for await (const response of client.serverReflectionInfo(requests())) responses.push(response);
    const files = responses.flatMap(({ messageResponse: { case: kind, value } }) =>
      kind === 'fileDescriptorResponse' ? [fromBinary(FileDescriptorProtoSchema, value.fileDescriptorProto[0]!)] : [],
    );
    expect(responses.map(({ messageResponse }) => messageResponse.case)).toEqual([
      'listServicesResponse',
      ...Array(3).fill('fileDescriptorResponse'),
      'allExtensionNumbersResponse',
      ...Array(2).fill('errorResponse'),
    ]);
    expect(responses.map(({ validHost, originalRequest }) => [validHost, originalRequest!.messageRequest])).toEqual(
      questions.map((question) => ['here', question]),
    );
    expect(responses[0]!.messageResponse.value).toMatchObject({
      service: [{ name: 'grpc.health.v1.Health' }, { name: 'v1.AircraftService' }],
    });
    expect(files.map(({ name }) => name)).toEqual(['v1/aircraft.proto', 'v1/aircraft.proto', 'grpc/health/v1/health.proto']);
    // Tools read from them which numbers have presence.
    expect(files[0]!.messageType.find(({ name }) => name === 'Aircraft')!.field.some((field) => field.proto3Optional)).toBe(true);
    expect(responses.at(-1)!.messageResponse.value).toMatchObject({ errorCode: Code.NotFound });
  },
);
