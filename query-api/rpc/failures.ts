// Errors of the record service and the tool server: a status code of gRPC, a message, and details as messages of google.rpc. The catalogue
// (schemas/errors.ts) has the texts.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
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

/** A message of google.rpc: its full name and bytes. */
export interface FailureDetail {
  readonly type: string;
  readonly value: Uint8Array;
}

export interface RpcFailure {
  readonly code: RpcCode;
  readonly message: string;
  /** Seconds after which the same call may succeed, for the metadata `retry-after`; null when unknown. */
  readonly retryAfterS: number | null;
  readonly details: readonly FailureDetail[];
  /** The error to log; null when the caller caused it, or when it passes by itself. */
  readonly fault: unknown;
}

const ERROR_DOMAIN = 'squitter';

/** What a caller gets for an error. An unknown error becomes `api.internal`, and its text stays here. */
export function failureOf(error: unknown): RpcFailure {
  const code = error instanceof SquitterError ? codes[error.code] : undefined;
  const isKnown = error instanceof SquitterError && code !== undefined;
  const shown = isKnown ? error : new SquitterError('api.internal', {}, error);
  const retryAfterS = shown instanceof QueryError ? shown.retryAfterS : null;
  const details = [errorInfo(shown.code)];
  if (shown instanceof QueryError && shown.parameters.length > 0) details.push(badRequest(shown));
  if (retryAfterS !== null) details.push(retryInfo(retryAfterS));
  return { code: code ?? rpcCodes.internal, message: shown.message, retryAfterS, details, fault: isKnown ? null : error };
}

/** Message google.rpc.Status, the metadata `grpc-status-details-bin`. */
export function statusBytes({ code, message, details }: RpcFailure): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(code).tag(2, WireType.LengthDelimited).string(message);
  for (const { type, value } of details) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/${type}`);
    writer.tag(2, WireType.LengthDelimited).bytes(value).join();
  }
  return writer.finish();
}

/** The stable code of an error: `api.no_snapshot` becomes NO_SNAPSHOT. */
function errorInfo(code: ErrorCode): FailureDetail {
  const reason = code.slice(code.indexOf('.') + 1).toUpperCase();
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(reason).tag(2, WireType.LengthDelimited).string(ERROR_DOMAIN);
  return { type: 'google.rpc.ErrorInfo', value: writer.finish() };
}

function badRequest({ parameters }: QueryError): FailureDetail {
  const writer = new BinaryWriter();
  for (const { param, detail } of parameters) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(param).tag(2, WireType.LengthDelimited).string(detail).join();
  }
  return { type: 'google.rpc.BadRequest', value: writer.finish() };
}

function retryInfo(seconds: number): FailureDetail {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(Math.ceil(seconds)).join();
  return { type: 'google.rpc.RetryInfo', value: writer.finish() };
}
