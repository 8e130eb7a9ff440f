// Something that a process follows only while it writes to the history store.

export interface Followed<Value> {
  readonly value: Value;
  /** Settles with its end. */
  readonly done: Promise<unknown>;
}

export function whileWriting<Value>(start: (signal: AbortSignal) => Followed<Value>, onFailed: (error: unknown) => void) {
  let running: { readonly value: Value; readonly stop: () => Promise<void> } | null = null;
  const begin = () => {
    const stopping = new AbortController();
    const { value, done } = start(stopping.signal);
    const ended = done.catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      running = null;
      onFailed(error);
    });
    const stop = async (): Promise<void> => {
      stopping.abort();
      await ended;
    };
    return { value, stop };
  };
  return {
    /** Starts it, unless it runs; also after `stop` and after a failure. */
    value(): Value {
      running ??= begin();
      return running.value;
    },
    async stop(): Promise<void> {
      const stopped = running;
      running = null;
      await stopped?.stop();
    },
  };
}
