// Errors of the history store in our catalogue, from ClickHouse's codes and from failed connections.
import { ClickHouseError } from '@clickhouse/client';
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';

/** ClickHouse's codes: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const codes: Readonly<Record<string, ErrorCode>> = {
  // TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES
  158: 'history.query_too_large',
  307: 'history.query_too_large',
  396: 'history.query_too_large',
  // TIMEOUT_EXCEEDED, TOO_SLOW
  159: 'history.query_too_long',
  160: 'history.query_too_long',
  // TOO_MANY_SIMULTANEOUS_QUERIES, TOO_MANY_PARTS, MEMORY_LIMIT_EXCEEDED
  202: 'history.busy',
  252: 'history.busy',
  241: 'history.busy',
  // NOT_ENOUGH_SPACE, and errno 28 in the text of others; errno 24 is `history.busy`
  243: 'history.no_space',
  // QUERY_WAS_CANCELLED, and a store that stops
  394: 'history.cancelled',
  236: 'history.unreachable',
  // REQUIRED_PASSWORD, AUTHENTICATION_FAILED, ACCESS_DENIED
  194: 'history.forbidden',
  516: 'history.forbidden',
  497: 'history.forbidden',
  // READONLY: a user that may only read; TABLE_IS_READ_ONLY: a replica without its keeper
  164: 'history.forbidden',
  242: 'history.busy',
};
const NO_SPACE = /errno: 28|No space left on device/;
const NO_DESCRIPTORS = /errno: 24|EMFILE/;

/** Any error of the client. One of ours stays as it is. */
export function historyError(error: unknown): SquitterError {
  if (error instanceof SquitterError) return error;
  const detail = detailOf(error);
  if (!(error instanceof ClickHouseError))
    return isAborted(error) ? new SquitterError('history.cancelled', { detail }) : new SquitterError('history.unreachable', { detail });
  if (NO_SPACE.test(error.message)) return new SquitterError('history.no_space', { detail });
  if (NO_DESCRIPTORS.test(error.message)) return new SquitterError('history.busy', { detail });
  return new SquitterError(codes[error.code] ?? 'history.query_failed', { code: error.code, detail });
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.message === 'The user aborted a request.');
}

/** The first line, without the engine's stack. */
function detailOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return detailOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]!.slice(0, DETAIL_CHARACTERS);
}

const DETAIL_CHARACTERS = 500;
