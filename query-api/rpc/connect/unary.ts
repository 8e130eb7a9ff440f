// Unary calls of the Connect protocol, by POST and GET: connectrpc.com/docs/protocol. The library's handlers do half of the calls per second that are
// asked for here, because of their streams and promises; this one uses its parts, decodes the request, and sends the response as REST does.
import { type DescMessage, fromBinary, fromJsonString } from '@bufbuild/protobuf';
import { base64Decode } from '@bufbuild/protobuf/wire';
import { Code, ConnectError } from '@connectrpc/connect';
import { compressionNegotiate } from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
  parseContentType,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import type { Exchange } from '../../protocol.ts';
import { QueryError } from '../../queries/errors.ts';
import { connectError } from './connect-errors.ts';
import type { UnaryMethod } from './methods.ts';

/** Of requests; responses have the content encodings of REST. */
const compressions = [compressionGzip, compressionBrotli];

const JSON_OPTIONS = { ignoreUnknownFields: true };
const DETAIL_CHARACTERS_MAX = 200;

/** A request as it came, before it is decoded. */
interface Call {
  readonly isBinary: boolean;
  readonly bytes: Uint8Array;
  readonly compression: string | undefined;
}

/** Takes a call. Errors are those of `Protocol.take`. */
export function takeUnary(method: UnaryMethod, exchange: Exchange): void | Promise<void> {
  const refuse = (error: unknown): void => {
    if (!(error instanceof ConnectError)) throw error;
    refuseUnary(error, exchange);
  };
  try {
    return take(method, exchange)?.catch(refuse);
  } catch (error) {
    refuse(error);
  }
}

/** Errors are also those of the library. */
function take(method: UnaryMethod, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  const call = request.method === 'POST' ? posted(exchange) : queried(exchange);
  const timeout = request.headers['connect-timeout-ms'];
  if (timeout !== undefined) {
    const { error } = parseTimeout(String(timeout), Number.MAX_SAFE_INTEGER);
    if (error !== undefined) throw error;
  }
  const { compression, bytes } = call;
  if (compression === undefined || compression === '' || compression === 'identity') return respond(method, exchange, call, bytes);
  const { request: known, error } = compressionNegotiate(compressions, compression, null, 'accept-encoding');
  if (error !== undefined) throw error;
  return known!
    .decompress(bytes, limits.recordRequestBytesMax)
    .catch((cause) => Promise.reject(damaged(cause)))
    .then((plain) => respond(method, exchange, call, plain));
}

/** Responds with an error. */
export function refuseUnary(error: unknown, { response }: Pick<Exchange, 'response'>, status?: number): void {
  const known = connectError(error);
  const body = errorToJsonBytes(known, undefined);
  for (const [name, value] of known.metadata) response.setHeader(name, value);
  response
    .setHeader('content-type', contentTypeUnaryJson)
    .setHeader('cache-control', 'no-store')
    .setHeader('content-length', body.length)
    .writeHead(status ?? codeToHttpStatus(known.code))
    .end(body);
}

function posted({ request, body }: Exchange): Call {
  const type = parseContentType(request.headers['content-type'] ?? null);
  if (type === undefined || type.stream) throw unsupported(request.headers['content-type']);
  return { isBinary: type.binary, bytes: body, compression: request.headers['content-encoding'] };
}

function queried({ request }: Exchange): Call {
  const url = request.url!;
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const encoding = query.get('encoding');
  if (encoding !== 'json' && encoding !== 'proto') throw unsupported(`encoding=${encoding ?? ''}`);
  const message = query.get('message') ?? '';
  return {
    isBinary: encoding === 'proto',
    bytes: query.get('base64') === '1' ? decodeBase64(message) : Buffer.from(message),
    compression: query.get('compression') ?? undefined,
  };
}

function decodeBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch (error) {
    throw badRequest(error);
  }
}

function respond(method: UnaryMethod, exchange: Exchange, { isBinary }: Call, bytes: Uint8Array): void | Promise<void> {
  const { snapshot, bytes: encode, record } = method.call(parse(method.desc.input, isBinary, bytes));
  return exchange.send({
    snapshot,
    make: isBinary ? encode : () => JSON.stringify(record()),
    contentType: isBinary ? contentTypeUnaryProto : contentTypeUnaryJson,
    isWeak: method.isTimed,
  });
}

function parse(desc: DescMessage, isBinary: boolean, bytes: Uint8Array): unknown {
  try {
    return isBinary
      ? fromBinary(desc, bytes)
      : fromJsonString(desc, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(), JSON_OPTIONS);
  } catch (error) {
    throw badRequest(error);
  }
}

/** The library has an internal error for some damaged bodies. */
function damaged(cause: unknown): SquitterError {
  const isLarge = cause instanceof ConnectError && cause.code === Code.ResourceExhausted;
  return isLarge ? new SquitterError('api.body_too_large', { limit: limits.recordRequestBytesMax }) : badRequest(cause);
}

function badRequest(cause: unknown): SquitterError {
  return new QueryError('api.bad_request', { detail: cut((cause as Error).message) });
}

function unsupported(type: string | undefined): SquitterError {
  return new SquitterError('api.unsupported_media_type', { type: cut(type ?? 'none') });
}

function cut(text: string): string {
  return text.slice(0, DETAIL_CHARACTERS_MAX);
}
