// Errors of JSON-RPC: for requests that are not tool calls. The SDK takes code, message and data from any error.

import { SquitterError, stableCode } from '../../schemas/errors.ts';
import { QueryError } from '../queries/errors.ts';

export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** A code of the Model Context Protocol. */
export const RESOURCE_NOT_FOUND = -32002;

export class RpcError extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** An error of the catalogue: with its stable code, and `retry_after` in seconds if that is known. */
export function toRpcError(error: unknown, code: number): unknown {
  if (!(error instanceof SquitterError)) return error;
  const retryAfterS = error instanceof QueryError ? error.retryAfterS : null;
  return new RpcError(code, error.message, { code: stableCode(error.code), ...(retryAfterS === null ? {} : { retry_after: retryAfterS }) });
}
