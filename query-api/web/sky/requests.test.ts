// Requests of the past are few: one at a time, the newest wish only, and later where the service says so.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ResponseError } from '../page/parts.ts';
import { Requests } from './requests.ts';

class Stand {
  readonly requested: number[] = [];
  readonly done: number[] = [];
  readonly retries: (number | null)[] = [];
  private readonly waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  readonly requests = new Requests<number, void>({
    intervalMs: 300,
    ask: (key) => {
      this.requested.push(key);
      return new Promise<void>((resolve, reject) => this.waiting.push({ resolve, reject }));
    },
    done: (_, key) => this.done.push(key),
    failed: (_error, retryMs) => this.retries.push(retryMs),
  });

  async respond(error?: unknown): Promise<void> {
    const { resolve, reject } = this.waiting.shift()!;
    if (error === undefined) resolve();
    else reject(error);
    await vi.advanceTimersByTimeAsync(0);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('asks one at a time, for the newest wish, and not more often than the interval', async () => {
  const stand = new Stand();
  for (const key of [1, 2, 3]) stand.requests.want(key);
  await vi.advanceTimersByTimeAsync(5000);
  expect(stand.requested).toEqual([1]);
  await stand.respond();
  expect(stand.requested).toEqual([1, 3]);
  await stand.respond();
  stand.requests.want(4);
  expect(stand.requested).toEqual([1, 3]);
  await vi.advanceTimersByTimeAsync(300);
  expect(stand.requested).toEqual([1, 3, 4]);
  expect(stand.done).toEqual([1, 3]);
});

it('comes again when the service says, and not at all after a refusal', async () => {
  const stand = new Stand();
  stand.requests.want(1);
  await stand.respond(new ResponseError(503, 'busy', { retryAfterS: 5, code: 'past-busy' }));
  stand.requests.want(2);
  await vi.advanceTimersByTimeAsync(4900);
  expect(stand.requested).toEqual([1]);
  await vi.advanceTimersByTimeAsync(200);
  expect(stand.requested).toEqual([1, 2]);
  await stand.respond(new ResponseError(404, 'older', { code: 'moment-too-old' }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(stand.requested).toEqual([1, 2]);
  expect(stand.retries).toEqual([5000, null]);
  expect(stand.requests.isBusy).toBe(false);
});
