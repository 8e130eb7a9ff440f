// A signal for work that ends by itself after a time, or earlier when it is told to.

/** Not `AbortSignal.any` of a timeout: Node 20 may collect that timeout as garbage before it is over. */
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
