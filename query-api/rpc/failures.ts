// Errors of the record service and the tool server: a status code of gRPC, a message, and details as messages of google.rpc. The catalogue
// (schemas/errors.ts) has the texts.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type ErrorCode, errorKind, type GrpcCode, grpcCodes, SquitterError } from '../../schemas/errors.ts';
import { QueryError } from '../queries/errors.ts';

export { grpcCodes as rpcCodes };
export type RpcCode = GrpcCode;

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
  const code = error instanceof SquitterError ? errorKind(error.code).grpc : undefined;
  const isKnown = error instanceof SquitterError && code !== undefined;
  const shown = isKnown ? error : new SquitterError('api.internal', {}, error);
  const retryAfterS = shown instanceof QueryError ? shown.retryAfterS : null;
  const details = [errorInfo(shown.code)];
  if (shown instanceof QueryError && shown.parameters.length > 0) details.push(badRequest(shown));
  if (retryAfterS !== null) details.push(retryInfo(retryAfterS));
  return { code: code ?? grpcCodes.internal, message: shown.message, retryAfterS, details, fault: isKnown ? null : error };
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
