// Server reflection: clients like grpcurl learn the services from the server.
import { createRegistry, type DescFile, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { file_grpc_health_v1_health } from '../../../schemas/proto/grpc/health/v1/health_pb.ts';
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '../../../schemas/proto/grpc/reflection/v1/reflection_pb.ts';
import { file_v1_aircraft } from '../../../schemas/proto/v1/aircraft_pb.ts';

type Response = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>;

const V1 = `/${ServerReflection.typeName}/${ServerReflection.method.serverReflectionInfo.name}`;
/** Paths of the service; older clients know its first version only, whose messages are the same. */
export const reflectionPaths = { v1: V1, v1alpha: V1.replace('.v1.', '.v1alpha.') };

/** The files that are described. None imports another one. */
const files: readonly DescFile[] = [file_grpc_health_v1_health, file_v1_aircraft];
const registry = createRegistry(...files);

export function addReflection(router: ConnectRouter): void {
  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, messageResponse: responseTo(request.messageRequest) };
    },
  });
}

function responseTo({ case: kind, value }: ServerReflectionRequest['messageRequest']): Response {
  switch (kind) {
    case 'listServices':
      return {
        case: 'listServicesResponse',
        value: { service: files.flatMap(({ services }) => services.map(({ typeName }) => ({ name: typeName }))) },
      };
    case 'fileByFilename':
      return fileResponse(files.find(({ proto }) => proto.name === value));
    case 'fileContainingSymbol':
      return fileResponse(registry.get(value)?.file ?? registry.get(value.slice(0, Math.max(0, value.lastIndexOf('.'))))?.file);
    case 'allExtensionNumbersOfType':
      // There are none.
      if (registry.getMessage(value) !== undefined) return { case: 'allExtensionNumbersResponse', value: { baseTypeName: value } };
  }
  return fileResponse(undefined);
}

/** The file of a name or a symbol; a member of a service or a message is in the file of its owner. */
function fileResponse(file: DescFile | undefined): Response {
  if (file === undefined) return { case: 'errorResponse', value: { errorCode: Code.NotFound, errorMessage: 'it is not described here' } };
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: [toBinary(FileDescriptorProtoSchema, file.proto)] } };
}
