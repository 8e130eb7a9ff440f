// Server reflection, v1 and v1alpha: clients like grpcurl learn the services from the server. The library writes a response to each request of a
// stream without waiting for its reader; here a request is read only when few responses wait.
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { service as healthService } from 'grpc-health-check';
import { limits } from '../../../schemas/limits.ts';
import { file_v1_aircraft } from '../../../schemas/proto/v1/aircraft_pb.ts';

export const reflectionPaths = ['v1', 'v1alpha'].map((version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`);

type Definitions = ConstructorParameters<typeof ReflectionService>[0];

/** Describes the record service and grpc.health.v1. */
export function reflectionService(): ReflectionService {
  const files = [file_v1_aircraft.proto, healthFile()].map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  // The files are all that it looks at.
  return new ReflectionService({ files: { fileDescriptorProtos: files } } as unknown as Definitions);
}

/** The descriptor of grpc.health.v1 as the library has it, but for the name of a map's entry: grpcurl refuses one that is not `StatusesEntry`. */
function healthFile(): FileDescriptorProto {
  const [method] = Object.values(healthService);
  const [bytes] = (method!.requestType as { fileDescriptorProtos: Buffer[] }).fileDescriptorProtos;
  const file = fromBinary(FileDescriptorProtoSchema, bytes!);
  for (const { field, nestedType } of file.messageType)
    for (const entry of nestedType) {
      const name = entry.name.endsWith('Entry') ? entry.name : `${entry.name}Entry`;
      for (const member of field) if (member.typeName === entry.name) member.typeName = name;
      entry.name = name;
    }
  return file;
}

/** Holds back the requests of a reflection stream whose client reads too slowly. */
export const holdReflection: ServerInterceptor = ({ path }, call) =>
  // A call of another method needs nothing between the library and its handler.
  reflectionPaths.includes(path) ? new HeldCall(call) : (call as ServerInterceptingCall);

class HeldCall extends ServerInterceptingCall {
  /** Requests read whose responses are not taken. */
  private waiting = 0;
  private isHeld = false;

  override startRead(): void {
    this.isHeld = this.waiting >= limits.grpcReflectionWaitingMax;
    if (this.isHeld) return;
    this.waiting += 1;
    super.startRead();
  }

  override sendMessage(message: unknown, taken: () => void): void {
    super.sendMessage(message, () => {
      this.waiting -= 1;
      taken();
      if (this.isHeld) this.startRead();
    });
  }
}
