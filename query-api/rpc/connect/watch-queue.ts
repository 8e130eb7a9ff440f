// The messages of one stream of WatchAircraft, taken one at a time: the next one comes when the client has taken the last.
import type { WatchSink } from '../watch/watcher.ts';

export class WatchQueue implements WatchSink {
  /** Ends the watch. */
  end: () => void = () => {};
  private readonly signal: AbortSignal;
  private waiting: { readonly message: Buffer; readonly taken: () => void } | null = null;
  private taken: (() => void) | null = null;
  private failure: { readonly error: unknown } | null = null;
  private wake: (() => void) | null = null;

  /** Its end is the end of the stream, with its reason as the error. */
  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener('abort', () => this.fail(signal.reason), { once: true });
  }

  send(message: Buffer, taken: () => void): void {
    this.waiting = { message, taken };
    this.wake?.();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.wake?.();
  }

  /** The previous message counts as taken. Rejects with the error that ends the stream. */
  async next(): Promise<Buffer> {
    this.taken?.();
    this.taken = null;
    while (this.waiting === null && this.failure === null && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    if (this.failure !== null) throw this.failure.error;
    this.signal.throwIfAborted();
    const { message, taken } = this.waiting!;
    this.waiting = null;
    this.taken = taken;
    return message;
  }
}
