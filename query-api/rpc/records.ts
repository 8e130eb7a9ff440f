// The record service as handlers of @connectrpc/connect, for every port and protocol.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';
import { type ConnectRouter, createConnectRouter, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits/index.ts';
import { AircraftService, type WatchAircraftRequest, type WatchAircraftResponse } from '../../schemas/proto/v1/aircraft_pb.ts';
import type { Tier } from '../../schemas/tiers.ts';
import type { Admission, CallerAccess, Lease } from '../access/access.ts';
import { type Caller, plainCaller } from '../access/caller.ts';
import type { Freshness } from '../queries/freshness.ts';
import { connectError } from './failures.ts';
import { getAircraft, nearbyAircraft, networkStats } from './operations.ts';
import { aircraftRecord, listRecord, statsRecord } from './record-objects.ts';
import type { AircraftWatch } from './watch/aircraft-watch.ts';
import { EncodedMessages } from './watch/messages.ts';
import { watchFilter } from './watch/target.ts';

/** A call, as its port gives it, and its results for the port. */
export class RecordCall {
  /** Errors: those of `CallerAccess.identify`; the error with which the port refuses the call. */
  readonly caller: () => Caller | Promise<Caller>;
  /** The port counts its requests and the bytes of its responses by itself. */
  readonly isCounted: boolean;
  /** Called with the bytes of each piece of the response. */
  onBytes: (bytes: number) => void = () => {};
  /** The message could be read: the operation was called. */
  isRead = false;
  /** The snapshot of a response. */
  snapshot: Snapshot | null = null;
  /** Code of its error. */
  code: number | null = null;

  constructor(caller: () => Caller | Promise<Caller>, isCounted: boolean) {
    this.caller = caller;
    this.isCounted = isCounted;
  }
}

/** In the context of every call. */
export const callKey = createContextKey(new RecordCall(() => plainCaller(''), true));

export interface RecordOptions {
  readonly model: Freshness;
  readonly watch: AircraftWatch;
  readonly access: CallerAccess;
  /** Logs an internal error. */
  readonly onFault: (error: unknown) => void;
}

// The library's encoder of short texts takes a third of the time of a response in bytes: 1.1 ms instead of 0.75 for 50 aircraft.
configureTextEncoding({ ...getTextEncoding(), encodeUtf8: (text) => Buffer.from(text) });

const JSON_TYPE = /\bjson\b/i;
/** By default zlib takes ten times as long for a few bytes less. */
const LEVEL = 1;
const GZIP = { ...compressionGzip, compress: (bytes: Uint8Array) => deflated(promisify(gzip)(bytes, { level: LEVEL })) };
const BROTLI = {
  ...compressionBrotli,
  compress: (bytes: Uint8Array) => deflated(promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } })),
};

async function deflated(bytes: Promise<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  return (await bytes) as Buffer<ArrayBuffer>;
}

/** Handlers of v1.AircraftService over Connect and gRPC-Web, and with `grpc` over gRPC. Each call needs `callKey` in its context. */
export function recordRouter({ model, watch, access, onFault }: RecordOptions, grpc: boolean): ConnectRouter {
  const router = createConnectRouter({
    grpc,
    acceptCompression: [GZIP, BROTLI],
    compressMinBytes: limits.recordCompressBytesMin,
    readMaxBytes: limits.recordRequestBytesMax,
  });
  const failed = (call: RecordCall, error: unknown): unknown => {
    const known = connectError(error, onFault);
    call.code = known.code;
    return known;
  };
  const callerOf = async (call: RecordCall): Promise<Caller> => {
    const caller = await call.caller();
    if (!call.isCounted) call.onBytes = (bytes) => access.spend(caller, bytes);
    return caller;
  };
  const unary =
    <Input, Found extends { readonly snapshot: Snapshot }, Output>(operate: (input: Input) => Found, record: (found: Found) => Output) =>
    async (input: Input, { values, responseHeader }: HandlerContext): Promise<Output> => {
      const call = values.get(callKey);
      call.isRead = true;
      let admission: Admission | null = null;
      try {
        const caller = await callerOf(call);
        admission = call.isCounted ? null : await access.admit(caller, 'turn');
        const found = operate(input);
        call.snapshot = found.snapshot;
        for (const [name, value] of Object.entries(admission?.headers ?? {})) responseHeader.set(name, value);
        return record(found);
      } catch (error) {
        admission?.giveBack();
        throw failed(call, error);
      }
    };
  const encoded = new EncodedMessages();
  async function* watchAircraft(input: WatchAircraftRequest, context: HandlerContext): AsyncGenerator<WatchAircraftResponse> {
    const call = context.values.get(callKey);
    call.isRead = true;
    let lease: Lease | null = null;
    try {
      const caller = await callerOf(call);
      const filter = watchFilter(input);
      lease = await access.open(caller);
      const isJson = JSON_TYPE.test(context.requestHeader.get('content-type')!);
      const check = (): Tier => access.check(caller);
      // Each tier has its interval: a stream continues with that of the new one, from a whole state.
      for (let tier: Tier | null = caller.tier; tier !== null; ) {
        let next: Tier | null = null;
        for await (const message of watch.watch(filter, { tier }, context.signal, check)) {
          const now = check();
          if (now !== tier) {
            next = now;
            break;
          }
          yield isJson ? message : encoded.encoded(message);
        }
        tier = next;
      }
    } catch (error) {
      throw failed(call, error);
    } finally {
      lease?.close();
    }
  }
  return router.service(AircraftService, {
    getAircraft: unary((input: { readonly hex: string }) => getAircraft(model, input), aircraftRecord),
    nearbyAircraft: unary((input: Parameters<typeof nearbyAircraft>[1]) => nearbyAircraft(model, input), listRecord),
    networkStats: unary(() => networkStats(model), statsRecord),
    watchAircraft,
  });
}
