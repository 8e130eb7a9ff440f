// Waiting for signals and promises.
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The result, or `otherwise` as soon as the signal aborts. */
export function untilAborted<T, U>(promise: Promise<T>, signal: AbortSignal, otherwise: U): Promise<T | U> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(otherwise);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A promise that rejects with the first error given to `fail`. It need not be awaited. */
export function failure(): { readonly failed: Promise<never>; readonly fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  return { failed, fail };
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * A signal for one piece of work that aborts with any of the others; `end` removes the listeners. `AbortSignal.any` keeps them in Node 20.
 */
export function linkedSignal(signals: readonly (AbortSignal | undefined)[]): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) abort();
    // Dozens of reads share a signal; this is not a leak.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort);
  }
  return {
    signal: controller.signal,
    end() {
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    },
  };
}

/** Resolves when the promise settles, either way, or when the time is over. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** A signal for work that ends after a time, or earlier by another signal. Node 20 may garbage-collect the timeout of `AbortSignal.any` before it fires. */
export function stopAfter(ms: number, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  void aborted(signal).then(() => {
    clearTimeout(timer);
    over.abort();
  });
  return over.signal;
}

/** Runs `step` with the value: now, or when the promise resolves. */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  step: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(step) : step(value);
}

/** A value for many callers: `find` is called at most once in `msMax`, by a steady clock. A failure is not remembered. */
export function remembered<Value>(find: () => Promise<Value>, msMax: number): () => Promise<Value> {
  let found: { readonly value: Promise<Value>; readonly atMs: number } | null = null;
  return () => {
    if (found !== null && performance.now() - found.atMs < msMax) return found.value;
    const value = find();
    found = { value, atMs: performance.now() };
    value.catch(() => {
      found = null;
    });
    return value;
  };
}

const ITEMS_PER_STEP = 64;

/** Turns of the event loop that pieces of work share: after `turnMs` all of them wait, so that timers, requests and heartbeats run. */
export class Turns {
  private readonly turnMs: number;
  private startMs = 0;
  private next: Promise<void> | null = null;

  constructor(turnMs: number) {
    this.turnMs = turnMs;
  }

  /** Does the work of each item. */
  async each<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
    for (const item of items) {
      while (performance.now() - this.startMs >= this.turnMs) {
        this.next ??= this.begin();
        await this.next;
      }
      work(item);
    }
  }

  /** Does the work of items 0 to `count`, some at a time: looking at the clock for each would take longer than the work. */
  async steps(count: number, work: (from: number, to: number) => void): Promise<void> {
    const starts = Array.from({ length: Math.ceil(count / ITEMS_PER_STEP) }, (_, i) => i * ITEMS_PER_STEP);
    await this.each(starts, (from) => work(from, Math.min(count, from + ITEMS_PER_STEP)));
  }

  private async begin(): Promise<void> {
    await nextTurn();
    this.next = null;
    this.startMs = performance.now();
  }
}
