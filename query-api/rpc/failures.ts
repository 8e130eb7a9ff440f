// Errors as the record service's protocols have them: a status code of gRPC, a message, and details as messages of google.rpc. The catalogue
// (schemas/errors.ts) has the texts.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Code, ConnectError } from '@connectrpc/connect';
import { type ErrorCode, errorKinds, grpcCodes, SquitterError } from '../../schemas/errors.ts';
import { QueryError } from '../queries/errors.ts';

interface Detail {
  /** Full name of a message of google.rpc. */
  readonly type: string;
  readonly value: Uint8Array<ArrayBuffer>;
}

const ERROR_DOMAIN = 'squitter';
/** Half a surrogate pair cannot be encoded: a shortened text of a client may end with one. */
const HALF_PAIR = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * The error that a caller gets; one of the library stays as it is. An unknown error becomes `api.internal`, and its text stays here: `onFault` is
 * called with it.
 */
export function connectError(error: unknown, onFault: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  const code = error instanceof SquitterError ? errorKinds[error.code].grpc : undefined;
  const isKnown = error instanceof SquitterError && code !== undefined;
  if (!isKnown) onFault(error);
  const shown = isKnown ? error : new SquitterError('api.internal', {}, error);
  const retryAfterS = shown instanceof QueryError ? shown.retryAfterS : null;
  const metadata = retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) };
  // The codes of Connect are those of gRPC.
  const made = new ConnectError(shown.message.replace(HALF_PAIR, '\uFFFD'), (code ?? grpcCodes.internal) as number as Code, metadata);
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
