// A signal for work that ends after a time, or earlier by another signal.

/** Node 20 may garbage-collect the timeout of an `AbortSignal.any` before it fires: this has a timer. */
export function stopAfter(ms: number, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  const stop = (): void => {
    clearTimeout(timer);
    over.abort();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return over.signal;
}
