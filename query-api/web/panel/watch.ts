// Requests that a panel repeats at a modest rate: not while the page is hidden, and later after an error. Browsers send the ETag of the last response, so that one
// which did not change costs nothing.
import { getJson, ResponseError } from '../page/parts.ts';

export interface Watched<T> {
  /** Below the root of the service. */
  readonly path: string;
  /** Between two requests; null is once. */
  readonly everyS: number | null;
  done(result: T): void;
  /** With what is wrong, in words. */
  failed(problem: string, error: unknown): void;
}

const FAILED_S = 5;
const FAILED_S_MAX = 60;
const IMPOSSIBLE_S = 60;

/** Requests until the returned function is called. */
export function watch<T>({ path, everyS, done, failed }: Watched<T>): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = (seconds: number | null): void => {
    if (seconds !== null) timer = setTimeout(load, seconds * 1000);
  };
  const load = (): void => {
    if (document.hidden) document.addEventListener('visibilitychange', load, { once: true, signal });
    else request();
  };
  const request = (): void => {
    getJson<T>(path, signal).then(
      (result) => {
        if (signal.aborted) return;
        failures = 0;
        done(result);
        again(everyS);
      },
      (error: unknown) => {
        if (signal.aborted) return;
        failures += 1;
        failed(problemOf(error), error);
        again(waitOf(error, failures, everyS));
      },
    );
  };
  load();
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}

/** Seconds until a request that failed is repeated; null is never. */
export function waitOf(error: unknown, failures: number, everyS: number | null): number | null {
  const { status = 0, retryAfterS = 0 } = error instanceof ResponseError ? error : {};
  const isImpossible = status >= 400 && status < 500 && status !== 429;
  if (isImpossible) return everyS === null ? null : Math.max(everyS, IMPOSSIBLE_S);
  return Math.max(retryAfterS, Math.min(FAILED_S * 2 ** (failures - 1), FAILED_S_MAX));
}

/** What is wrong, as a sentence. */
export function problemOf(error: unknown): string {
  if (!(error instanceof ResponseError)) return 'No connection to the service. It is tried again.';
  const { status, retryAfterS, message } = error;
  const when = retryAfterS > 0 ? ` The next try is in ${Math.ceil(retryAfterS)} s.` : '';
  if (status === 429) return `Too many requests from this address.${when}`;
  const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1).replace(/\.?$/, '.')}`;
  return status === 503 ? `${sentence}${when}` : sentence;
}
