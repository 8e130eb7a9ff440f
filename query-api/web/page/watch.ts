// Requests that a page repeats at a modest rate: not while it is hidden, and later after an error. Browsers send the ETag of the last response, so that one which did
// not change costs nothing.
import { getJson, ResponseError } from './parts.ts';

export interface Watched<T> {
  /** Below the root of the service; a function for one that depends on the time. */
  readonly path: string | (() => string);
  /** Between two requests; null is once. */
  readonly everyS: number | null;
  done(result: T): void;
  /** With what is wrong, in words. */
  failed?(problem: string, error: unknown): void;
}

const FAILED_S = 5;
const FAILED_S_MAX = 60;
const IMPOSSIBLE_S = 60;

/** Requests until the returned function is called. */
export function watch<T>({ path, everyS, done, failed }: Watched<T>): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let failures = 0;
  const load = async (): Promise<void> => {
    if (signal.aborted) return;
    if (document.hidden) return document.addEventListener('visibilitychange', load, { once: true, signal });
    const waitS = await getJson<T>(typeof path === 'string' ? path : path(), signal).then(loaded, missed);
    if (waitS !== null) setTimeout(load, waitS * 1000);
  };
  const loaded = (result: T): number | null => {
    failures = 0;
    if (!signal.aborted) done(result);
    return everyS;
  };
  const missed = (error: unknown): number | null => {
    failures += 1;
    if (!signal.aborted) failed?.(problemOf(error), error);
    return waitOf(error, failures, everyS);
  };
  void load();
  return () => abort.abort();
}

/** Seconds until a request that failed is repeated; null is never. */
export function waitOf(error: unknown, failures: number, everyS: number | null): number | null {
  const { isFinal = false, retryAfterS = 0 } = error instanceof ResponseError ? error : {};
  if (isFinal) return everyS === null ? null : Math.max(everyS, IMPOSSIBLE_S);
  return Math.max(retryAfterS, Math.min(FAILED_S * 2 ** (failures - 1), FAILED_S_MAX));
}

/** The problem, as a sentence. */
export function problemOf(error: unknown): string {
  if (!(error instanceof ResponseError)) return 'No connection to the service. It is tried again.';
  const { status, retryAfterS, message } = error;
  const when = retryAfterS > 0 ? ` The next try is in ${Math.ceil(retryAfterS)} s.` : '';
  if (status === 429) return `Too many requests from this address.${when}`;
  const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1).replace(/\.?$/, '.')}`;
  return status === 503 ? `${sentence}${when}` : sentence;
}
