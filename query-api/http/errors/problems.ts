// Error bodies: RFC 9457 problem+json with a stable `code`, the request's id, and `msg` for clients that show that member.

import { STATUS_CODES } from 'node:http';
import { type ErrorCode, errorKinds, SquitterError, stableCode } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { LimitError } from '../../access/limit-error.ts';
import { cut, QueryError } from '../../queries/errors.ts';
import { NO_SNIFF } from '../headers/headers.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export const READ_METHODS = 'GET, HEAD, OPTIONS';

/** The path of a request does not have its method. */
export class MethodError extends SquitterError {
  /** Methods of the path, as the header `Allow` lists them. */
  readonly allow: string;

  constructor(method: string, allow: string) {
    super('api.method_not_allowed', { method });
    this.allow = allow;
  }
}

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response for an error. `instance` is the path without its query, which may contain secrets. */
export function problem(error: SquitterError, instance: string, requestId: string): Problem {
  const status = statusOf(error.code);
  const errors = error instanceof QueryError ? error.parameters : [];
  const body = JSON.stringify({
    type: 'about:blank',
    title: statusPhrase(status),
    status,
    detail: error.message,
    instance: cut(instance, limits.errorPathCharactersMax),
    code: stableCode(error.code),
    request_id: requestId,
    msg: error.message,
    ...(errors.length === 0 ? {} : { errors }),
    ...(error instanceof LimitError ? error.members : {}),
  });
  return {
    status,
    headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', ...NO_SNIFF, ...headersOf(error) },
    body: `${body}\n`,
  };
}

/** How a caller authenticates: RFC 6750 §3. */
const challenges: Partial<Record<ErrorCode, string>> = {
  'access.no_key': 'Bearer realm="squitter"',
  'access.no_session': 'Bearer realm="squitter"',
  'access.wrong_key': 'Bearer realm="squitter", error="invalid_token"',
  'access.old_key': 'Bearer realm="squitter", error="invalid_token"',
};

function headersOf(error: SquitterError): Record<string, string> {
  if (error instanceof MethodError) return { allow: error.allow };
  const challenge = challenges[error.code];
  if (challenge !== undefined) return { 'www-authenticate': challenge };
  const limits = error instanceof LimitError ? error.headers : {};
  return error instanceof QueryError && error.retryAfterS !== null ? { 'retry-after': String(error.retryAfterS), ...limits } : {};
}

/** Status of an error; errors without one are internal ones. */
export function statusOf(code: ErrorCode): number {
  return errorKinds[code].http ?? 500;
}

/** The standard phrase of a status. */
export function statusPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
