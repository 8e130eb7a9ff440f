// Maps errors to HTTP status codes (decisions G14); nothing else does.
import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../../schemas/errors.ts';

const statusByCode: Partial<Record<ErrorCode, number>> = {
  'api.not_found': 404,
  'api.flight_not_found': 404,
  'api.unknown_aircraft': 404,
  'api.no_recording': 404,
  'api.no_history': 503,
  'api.history_unavailable': 503,
  'api.history_too_large': 400,
  'api.unknown_airport': 404,
  'api.unknown_operator': 404,
  'api.unknown_type': 404,
  'api.bad_value': 400,
  'api.unknown_parameter': 400,
  'api.missing_parameter': 400,
  'api.method_not_allowed': 405,
  'api.bad_request': 400,
  'api.request_timeout': 408,
  'api.body_too_large': 413,
  'api.unsupported_media_type': 415,
  'api.url_too_long': 414,
  'api.headers_too_large': 431,
  'api.no_snapshot': 503,
  'api.no_feed': 503,
  'api.moment_in_future': 404,
  'api.moment_too_old': 404,
  'api.moment_in_gap': 404,
  'api.moment_of_other_version': 404,
  'api.past_busy': 503,
  'api.past_unavailable': 503,
  'api.not_ready': 503,
  'api.overloaded': 503,
  'api.too_many_calls': 503,
  'api.too_many_connections': 503,
  'api.too_many_downloads': 503,
  'api.precondition_failed': 412,
  'api.range_not_satisfiable': 416,
  'api.too_many_streams': 503,
  'api.too_many_watched': 503,
  'api.internal': 500,
  'access.no_key': 401,
  'access.wrong_key': 401,
  'access.wrong_origin': 403,
  'push.unavailable': 503,
  'push.bad_message': 400,
  'push.too_many_filters': 503,
  'push.too_many_encoded': 503,
  'push.too_many_of_caller': 429,
};

/** Status of an error; errors outside the table are internal ones. */
export function statusOf(code: ErrorCode): number {
  return statusByCode[code] ?? 500;
}

/** The standard phrase of a status. */
export function statusPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
