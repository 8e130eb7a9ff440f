// Errors as the record service's protocols have them: a status code of gRPC, a message, and details as messages of google.rpc. The catalogue
// (schemas/errors.ts) has the texts.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Code, ConnectError } from '@connectrpc/connect';
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';
import { QueryError } from '../queries/errors.ts';

/** Status codes of gRPC. */
export const rpcCodes = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;
export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

const codes: Partial<Record<ErrorCode, RpcCode>> = {
  'api.not_found': rpcCodes.unimplemented,
  'api.method_not_allowed': rpcCodes.unimplemented,
  'api.unknown_aircraft': rpcCodes.notFound,
  'api.flight_not_found': rpcCodes.notFound,
  'api.unknown_airport': rpcCodes.notFound,
  'api.unknown_operator': rpcCodes.notFound,
  'api.unknown_type': rpcCodes.notFound,
  'api.bad_value': rpcCodes.invalidArgument,
  'api.unknown_parameter': rpcCodes.invalidArgument,
  'api.missing_parameter': rpcCodes.invalidArgument,
  'api.bad_request': rpcCodes.invalidArgument,
  'api.unsupported_media_type': rpcCodes.invalidArgument,
  'api.body_too_large': rpcCodes.resourceExhausted,
  'access.no_key': rpcCodes.unauthenticated,
  'access.wrong_key': rpcCodes.unauthenticated,
  'api.request_timeout': rpcCodes.deadlineExceeded,
  'api.headers_too_large': rpcCodes.resourceExhausted,
  'api.no_snapshot': rpcCodes.unavailable,
  'api.no_feed': rpcCodes.unavailable,
  'api.not_ready': rpcCodes.unavailable,
  'api.overloaded': rpcCodes.unavailable,
  'api.too_many_calls': rpcCodes.unavailable,
  'api.too_many_connections': rpcCodes.unavailable,
  'api.too_many_streams': rpcCodes.resourceExhausted,
  'api.too_many_watched': rpcCodes.resourceExhausted,
  'push.unavailable': rpcCodes.unavailable,
  'push.too_many_filters': rpcCodes.resourceExhausted,
  'push.too_many_of_caller': rpcCodes.resourceExhausted,
};

interface Detail {
  /** Full name of a message of google.rpc. */
  readonly type: string;
  readonly value: Uint8Array<ArrayBuffer>;
}

const ERROR_DOMAIN = 'squitter';
/** Half a surrogate pair cannot be encoded: a shortened text of a client may end with one. */
const HALF_PAIR = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * What a caller gets for an error; one of the library stays as it is. An unknown error becomes `api.internal`, and its text stays here: `onFault` is
 * called with it.
 */
export function connectError(error: unknown, onFault: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  const code = error instanceof SquitterError ? codes[error.code] : undefined;
  const isKnown = error instanceof SquitterError && code !== undefined;
  if (!isKnown) onFault(error);
  const shown = isKnown ? error : new SquitterError('api.internal', {}, error);
  const retryAfterS = shown instanceof QueryError ? shown.retryAfterS : null;
  const metadata = retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) };
  // The codes of Connect are those of gRPC.
  const made = new ConnectError(shown.message.replace(HALF_PAIR, '\uFFFD'), (code ?? rpcCodes.internal) as number as Code, metadata);
  made.details.push(errorInfo(shown.code));
  if (shown instanceof QueryError && shown.parameters.length > 0) made.details.push(badRequest(shown));
  if (retryAfterS !== null) made.details.push(retryInfo(retryAfterS));
  return made;
}

/** The stable code of an error: `api.no_snapshot` becomes NO_SNAPSHOT. */
function errorInfo(code: ErrorCode): Detail {
  const reason = code.slice(code.indexOf('.') + 1).toUpperCase();
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(reason).tag(2, WireType.LengthDelimited).string(ERROR_DOMAIN);
  return { type: 'google.rpc.ErrorInfo', value: writer.finish() };
}

function badRequest({ parameters }: QueryError): Detail {
  const writer = new BinaryWriter();
  for (const { param, detail } of parameters) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(param).tag(2, WireType.LengthDelimited).string(detail).join();
  }
  return { type: 'google.rpc.BadRequest', value: writer.finish() };
}

function retryInfo(seconds: number): Detail {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(Math.ceil(seconds)).join();
  return { type: 'google.rpc.RetryInfo', value: writer.finish() };
}
