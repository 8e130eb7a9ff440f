// Error bodies: RFC 9457 problem+json with a stable `code`, the request's id, and `msg` for clients that show that member.

import { nearestName } from '../../pipeline/runtime/nearest-name.ts';
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';
import { statusOf, statusPhrase } from './http-status.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** What was wrong with one parameter. */
export interface ParameterProblem {
  readonly param: string;
  readonly detail: string;
}

/** An error with the parameters at fault and headers of its answer. */
export class ApiError extends SquitterError {
  readonly errors: readonly ParameterProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    details: Record<string, string | number> = {},
    more: { errors?: readonly ParameterProblem[]; headers?: Record<string, string> } = {},
  ) {
    super(code, details);
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

/** A parameter whose value cannot be used. */
export function badValue(param: string, value: string, detail: string): ApiError {
  return new ApiError('api.bad_value', { param, value: `"${cut(value, 40)}"`, detail }, { errors: [{ param, detail }] });
}

/** Parameters that a route does not have; each is shown the names nearest to it, or all of them. */
export function unknownParameter(params: readonly string[], names: readonly string[]): ApiError {
  const detailOf = (param: string): string => {
    if (names.length === 0) return 'there are none here';
    const nearest = nearestName(param, names);
    return nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${nearest}?`;
  };
  const errors = params.map((param) => ({ param, detail: detailOf(param) }));
  return new ApiError('api.unknown_parameter', { param: errors.map(({ param, detail }) => `${param} (${detail})`).join(', ') }, { errors });
}

/** Text of the client as errors repeat it: short. */
export function cut(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

const INSTANCE_CHARACTERS_MAX = 200;

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to an error. `instance` is the path without its query, which may hold secrets. */
export function problem(error: SquitterError, instance: string, requestId: string): Problem {
  const status = statusOf(error.code);
  const { errors, headers } = error instanceof ApiError ? error : { errors: [], headers: {} };
  const body = JSON.stringify({
    type: 'about:blank',
    title: statusPhrase(status),
    status,
    detail: error.message,
    instance: cut(instance, INSTANCE_CHARACTERS_MAX),
    code: problemCode(error.code),
    request_id: requestId,
    msg: error.message,
    ...(errors.length === 0 ? {} : { errors }),
  });
  return { status, headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', ...headers }, body: `${body}\n` };
}

/** `api.no_snapshot` is shown as `no-snapshot`. */
export function problemCode(code: ErrorCode): string {
  return code.slice(code.indexOf('.') + 1).replaceAll('_', '-');
}
