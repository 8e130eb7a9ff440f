// An error as the end of a call: status, message, `retry-after` and details, as metadata of the library or as headers.
import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { failureOf, type RpcFailure, statusBytes } from '../failures.ts';

const DETAILS = 'grpc-status-details-bin';

/** The end of a call for the library. `onFault` is called with an error that is not the caller's. */
export function statusOf(error: unknown, onFault: (error: unknown) => void): StatusObject {
  const failure = failureOf(error);
  if (failure.fault !== null) onFault(failure.fault);
  const metadata = new Metadata();
  if (failure.retryAfterS !== null) metadata.set('retry-after', String(failure.retryAfterS));
  metadata.set(DETAILS, Buffer.from(statusBytes(failure)));
  return { code: failure.code, details: plain(failure.message), metadata };
}

/** The same as headers of a response without a message. */
export function statusHeaders(failure: RpcFailure): Record<string, string | number> {
  return {
    'grpc-status': failure.code,
    'grpc-message': encodeURI(plain(failure.message)),
    ...(failure.retryAfterS === null ? {} : { 'retry-after': String(failure.retryAfterS) }),
    [DETAILS]: Buffer.from(statusBytes(failure)).toString('base64'),
  };
}

/** Half a surrogate pair cannot be encoded: a shortened text of a client may end with one. */
function plain(message: string): string {
  return message.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}
