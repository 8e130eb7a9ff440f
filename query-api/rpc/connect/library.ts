// gRPC-Web and the streams of Connect, by the handlers of @connectrpc/connect. Messages are finished bytes where the client takes bytes.
import { create, type DescMessage, fromBinary, type Message, type MessageShape } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import { createAsyncIterable, encodeEnvelope, type UniversalServerResponse } from '@connectrpc/connect/protocol';
import { compressionGzip } from '@connectrpc/connect-node';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import {
  AircraftService,
  type WatchAircraftRequest,
  type WatchAircraftResponse,
  WatchAircraftResponseSchema,
} from '../../../schemas/proto/v1/aircraft_pb.ts';
import type { Exchange } from '../../protocol.ts';
import { failureOf } from '../failures.ts';
import type { AircraftWatch } from '../watch/aircraft-watch.ts';
import { watchTarget } from '../watch/target.ts';
import { fromFailure } from './connect-errors.ts';
import type { UnaryMethod } from './methods.ts';
import { WatchQueue } from './watch-queue.ts';

const exchangeKey = createContextKey<Taken | undefined>(undefined);
/** The error of a call that was refused before. */
const refusalKey = createContextKey<unknown>(undefined);

const TAG_TYPE_BITS = 3;
const JSON_TYPE = /\bjson\b/i;
const ENCODING_HEADERS = ['grpc-encoding', 'connect-content-encoding'];

/** A refused one has no caller and no body. */
type Taken = Omit<Exchange, 'body' | 'caller'> & Partial<Exchange>;

export interface LibraryOptions {
  readonly watch: AircraftWatch;
  /** Logs an internal error. */
  readonly onFault: (error: unknown) => void;
}

export class LibraryCalls {
  readonly router: ConnectRouter;
  private readonly options: LibraryOptions;
  private readonly stopping = new AbortController();
  private readonly jsonOf = new WeakMap<Buffer, WatchAircraftResponse>();

  constructor(methods: readonly UnaryMethod[], options: LibraryOptions) {
    this.options = options;
    this.router = createConnectRouter({
      grpc: false,
      // Brotli as its library compresses takes too long for a message that is sent once.
      acceptCompression: [compressionGzip],
      compressMinBytes: limits.recordCompressBytesMin,
      readMaxBytes: limits.recordRequestBytesMax,
      shutdownSignal: this.stopping.signal,
    });
    for (const method of methods) this.router.rpc(method.desc, (input, context) => this.unary(method, input, context));
    this.router.rpc(AircraftService.method.watchAircraft, (input, context) => this.watchAircraft(input, context));
  }

  /** Takes a call; with an error, responds with it. */
  async take(exchange: Taken, refusal?: unknown): Promise<void> {
    const { request, response, path } = exchange;
    const handler = this.router.handlers.find(({ requestPath }) => requestPath === path)!;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const header = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    // The handler of a refused call responds as to one without values, whatever the body.
    const isJson = JSON_TYPE.test(header.get('content-type') ?? '');
    if (refusal !== undefined) for (const name of ENCODING_HEADERS) header.delete(name);
    const contextValues = createContextValues().set(exchangeKey, exchange).set(refusalKey, refusal);
    const responded = await handler({
      httpVersion: request.httpVersion,
      method: request.method!,
      url: `http://localhost${path}`,
      header,
      body: createAsyncIterable([refusal === undefined ? exchange.body! : encodeEnvelope(0, Buffer.from(isJson ? '{}' : ''))]),
      signal: gone.signal,
      contextValues,
    });
    if (responded.status === 415)
      throw new SquitterError('api.unsupported_media_type', { type: request.headers['content-type'] ?? 'none' });
    await write(responded, exchange);
  }

  /** Ends all streams. */
  stop(): void {
    this.stopping.abort(new ConnectError('the service stops', Code.Unavailable));
  }

  private unary({ desc, call }: UnaryMethod, input: Message, context: HandlerContext): Message {
    try {
      throwRefusal(context);
      const { bytes, record } = call(input);
      return isJson(context) ? create(desc.output, record()) : finished(desc.output, bytes());
    } catch (error) {
      throw this.known(error);
    }
  }

  private async *watchAircraft(input: WatchAircraftRequest, context: HandlerContext): AsyncIterable<WatchAircraftResponse> {
    const queue = new WatchQueue(context.signal);
    try {
      throwRefusal(context);
      const { target } = input;
      const wanted = watchTarget(target.case === undefined ? {} : { [target.case]: target.value });
      queue.end = this.options.watch.watch(wanted, context.values.get(exchangeKey)!.caller!, queue);
      const json = isJson(context);
      for (;;) {
        const piece = await queue.next();
        yield json ? this.parsed(piece) : finished(WatchAircraftResponseSchema, piece);
      }
    } catch (error) {
      throw this.known(error);
    } finally {
      queue.end();
    }
  }

  /** Streams share pieces, and so their objects. */
  private parsed(piece: Buffer): WatchAircraftResponse {
    let message = this.jsonOf.get(piece);
    if (message === undefined) {
      message = fromBinary(WatchAircraftResponseSchema, piece);
      this.jsonOf.set(piece, message);
    }
    return message;
  }

  private known(error: unknown): ConnectError {
    if (error instanceof ConnectError) return error;
    const failure = failureOf(error);
    if (failure.fault !== null) this.options.onFault(failure.fault);
    return fromFailure(failure);
  }
}

function throwRefusal({ values }: HandlerContext): void {
  const refusal = values.get(refusalKey);
  if (refusal !== undefined) throw refusal;
}

function isJson({ requestHeader }: HandlerContext): boolean {
  return JSON_TYPE.test(requestHeader.get('content-type')!);
}

/** A message that is encoded already: its first field counts as unknown, with all bytes behind the tag as its value, and is written as it is. */
function finished<Desc extends DescMessage>(desc: Desc, bytes: Uint8Array): MessageShape<Desc> {
  const message = create(desc);
  const [tag] = bytes;
  if (tag !== undefined)
    (message as Message).$unknown = [{ no: tag >> TAG_TYPE_BITS, wireType: tag & ((1 << TAG_TYPE_BITS) - 1), data: bytes.subarray(1) }];
  return message;
}

/** Writes each piece when the client has taken the previous ones. */
async function write({ status, header, body }: UniversalServerResponse, { response }: Taken): Promise<void> {
  response.writeHead(status, [...(header ?? [])].flat());
  for await (const piece of body ?? []) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

function drained(response: Exchange['response']): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.once('drain', end).once('close', end);
  });
}
