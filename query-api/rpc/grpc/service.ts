// v1.AircraftService for the gRPC library: requests are decoded here, responses are bytes already.
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import type { handleUnaryCall, MethodDefinition, Server, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { plainAddress } from '../../../pipeline/runtime/plain-address.ts';
import {
  AircraftService,
  GetAircraftRequestSchema,
  NearbyAircraftRequestSchema,
  NetworkStatsRequestSchema,
  WatchAircraftRequestSchema,
} from '../../../schemas/proto/v1/aircraft_pb.ts';
import type { Caller, CallerHeaders, IdentifyCaller } from '../../access/caller.ts';
import { QueryError } from '../../queries/errors.ts';
import type { ReadModel } from '../../queries/read-model.ts';
import { getAircraft, nearbyAircraft, networkStats } from '../operations.ts';
import { RecordWriter } from '../record-bytes.ts';
import type { AircraftWatch } from '../watch/aircraft-watch.ts';
import { watchTarget } from '../watch/target.ts';
import type { WatchSink } from '../watch/watcher.ts';
import { announceCompression, compressed, compressedOnce, compresses } from './compression.ts';
import { statusOf } from './status.ts';

type Unary = handleUnaryCall<Buffer, Buffer>;
type Call = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

const asIs = (bytes: Buffer): Buffer => bytes;
const pathOf = (method: string): string => `/${AircraftService.typeName}/${method}`;

function definition(method: string, responseStream: boolean): MethodDefinition<Buffer, Buffer> {
  return {
    path: pathOf(method),
    requestStream: false,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

const definitions = {
  GetAircraft: definition('GetAircraft', false),
  NearbyAircraft: definition('NearbyAircraft', false),
  NetworkStats: definition('NetworkStats', false),
  WatchAircraft: definition('WatchAircraft', true),
};

/** Paths of the operations with one response, and of the stream. */
export const unaryPaths = [definitions.GetAircraft.path, definitions.NearbyAircraft.path, definitions.NetworkStats.path];
export const watchPath = definitions.WatchAircraft.path;

export interface ServiceParts {
  readonly model: ReadModel;
  readonly identify: IdentifyCaller;
  readonly watch: AircraftWatch;
  /** Called with an error that is not the caller's. */
  readonly onFault: (error: unknown) => void;
}

export function addAircraftService(server: Server, { model, identify, watch, onFault }: ServiceParts): void {
  const writer = new RecordWriter();
  const compressedMessages = new WeakMap<Buffer, Buffer>();
  const unary =
    <Schema extends DescMessage>(schema: Schema, operate: (request: MessageShape<Schema>) => Buffer): Unary =>
    (call, respond) => {
      try {
        callerOf(call, identify);
        const response = operate(decode(schema, call.request));
        respond(null, forCall(call, response));
      } catch (error) {
        respond(statusOf(error, onFault));
      }
    };
  server.addService(definitions, {
    GetAircraft: unary(GetAircraftRequestSchema, (request) => writer.aircraft(getAircraft(model, request))),
    NearbyAircraft: unary(NearbyAircraftRequestSchema, (request) => writer.list(nearbyAircraft(model, request))),
    NetworkStats: unary(NetworkStatsRequestSchema, () => writer.stats(networkStats(model))),
    WatchAircraft(call: ServerWritableStream<Buffer, Buffer>) {
      try {
        const caller = callerOf(call, identify);
        const { target } = decode(WatchAircraftRequestSchema, call.request);
        const wanted = watchTarget(target.case === undefined ? {} : { [target.case]: target.value });
        call.on('cancelled', watch.watch(wanted, caller, sinkOf(call, compressedMessages, onFault)));
      } catch (error) {
        call.emit('error', statusOf(error, onFault));
      }
    },
  });
}

/** The response as the client wants it. */
function forCall(call: Parameters<Unary>[0], response: Buffer): Buffer {
  if (!compresses(call)) return response;
  const bytes = compressed(response);
  if (bytes !== response) announceCompression(call);
  return bytes;
}

/** Messages are shared by all streams of a target, and compressed once. */
function sinkOf(call: ServerWritableStream<Buffer, Buffer>, made: WeakMap<Buffer, Buffer>, onFault: (error: unknown) => void): WatchSink {
  const isCompressed = compresses(call);
  if (isCompressed) announceCompression(call);
  return {
    send(message, taken) {
      call.write(isCompressed ? compressedOnce(message, made) : message, (error: unknown) => {
        if (error === null || error === undefined) taken();
      });
    },
    fail: (error) => void call.emit('error', statusOf(error, onFault)),
  };
}

/** Error: `api.bad_request`. */
function decode<Schema extends DescMessage>(schema: Schema, bytes: Buffer): MessageShape<Schema> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw new QueryError('api.bad_request', { detail: (error as Error).message });
  }
}

function callerOf(call: Call, identify: IdentifyCaller): Caller {
  const peer = call.getPeer();
  return identify(plainAddress(peer.slice(0, peer.lastIndexOf(':'))), call.metadata.getMap() as CallerHeaders);
}
