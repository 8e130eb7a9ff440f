// Requests, bounded: one at a time, not more often than the interval, and later where the service asks for it.
import { ResponseError } from '../page/parts.ts';

/** Without a network, or when the service does not say when to come again. */
const RETRY_MS = 3000;
const BUSY = [429, 503];

/** Milliseconds after which a failed request is worth another try; null for never. */
function retryMsOf(error: unknown): number | null {
  if (!(error instanceof ResponseError)) return RETRY_MS;
  if (error.code === 'no-history') return null;
  return BUSY.includes(error.status) ? Math.max(1000, error.retryAfterS * 1000) : null;
}
/** Why a request failed, for people. */
export const reasonOf = (error: unknown): string => (error instanceof ResponseError ? error.message : 'the service cannot be reached');

export interface RequestsOptions<K, T> {
  readonly intervalMs: number;
  readonly ask: (key: K, signal: AbortSignal) => Promise<T>;
  readonly done: (response: T, key: K) => void;
  /** `retryMs`: it is asked again after this time unless another is wanted then; null: not. */
  readonly failed: (error: unknown, retryMs: number | null, key: K) => void;
}

/** The newest of the wanted keys is requested: those that came and went during a request never are. */
export class Requests<K, T> {
  private readonly options: RequestsOptions<K, T>;
  private wanted: K | null = null;
  private running: K | null = null;
  private abort = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readyMs = 0;

  constructor(options: RequestsOptions<K, T>) {
    this.options = options;
  }

  get isBusy(): boolean {
    return this.wanted !== null || this.running !== null;
  }

  /** Null: nothing any more. A request that runs is left alone: the service has begun its work. */
  want(key: K | null): void {
    this.wanted = JSON.stringify(key) === JSON.stringify(this.running) ? null : key;
    this.next();
  }

  /** Ends the running request: its response is not needed. */
  stop(): void {
    [this.wanted, this.running] = [null, null];
    clearTimeout(this.timer);
    this.abort.abort();
    this.abort = new AbortController();
  }

  private next(): void {
    clearTimeout(this.timer);
    if (this.wanted === null || this.running !== null) return;
    const waitMs = this.readyMs - Date.now();
    if (waitMs > 0) this.timer = setTimeout(() => this.next(), waitMs);
    else void this.run(this.wanted);
  }

  private async run(key: K): Promise<void> {
    const { ask, done, failed, intervalMs } = this.options;
    const { signal } = this.abort;
    [this.wanted, this.running] = [null, key];
    this.readyMs = Date.now() + intervalMs;
    try {
      const response = await ask(key, signal);
      if (!signal.aborted) done(response, key);
    } catch (error) {
      if (signal.aborted) return;
      const retryMs = retryMsOf(error);
      if (retryMs !== null) {
        this.readyMs = Date.now() + retryMs;
        this.wanted ??= key;
      }
      failed(error, retryMs, key);
    }
    if (signal.aborted) return;
    this.running = null;
    this.next();
  }
}
