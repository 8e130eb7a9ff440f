// Errors as Connect and gRPC-Web have them: the same codes and details as over gRPC.
import { type Code, ConnectError } from '@connectrpc/connect';
import { failureOf, type RpcFailure } from '../failures.ts';

/** Any error as a ConnectError. One of the library itself stays as it is. */
export function connectError(error: unknown): ConnectError {
  return error instanceof ConnectError ? error : fromFailure(failureOf(error));
}

export function fromFailure({ code, message, details, retryAfterS }: RpcFailure): ConnectError {
  const metadata = retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) };
  // The codes of Connect are those of gRPC.
  const error = new ConnectError(message, code as number as Code, metadata);
  error.details.push(...details.map(({ type, value }) => ({ type, value })));
  return error;
}
