// A write is tried again while brokers are away, elect somebody, or end the transaction before: the same bytes with the same numbers, so that
// a broker that has them already takes them for what they are.
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../../../schemas/errors.ts';
import { limits } from '../../../../schemas/limits.ts';
import { isPassing, kafkaCode } from '../failures.ts';
import type { WriteRequests } from './write-requests.ts';

export interface Patience {
  readonly requests: WriteRequests;
  /** Nothing is tried again after this. */
  readonly stopped: AbortSignal;
}

/** Errors: those of the request that do not pass, or that did not within `limits.kafkaSilenceMsMax`; `log.closed` when stopped. */
export async function untilAnswered<T>({ requests, stopped }: Patience, request: () => Promise<T>): Promise<T> {
  let heardMs = performance.now();
  let pauseMs: number = limits.kafkaRetryMs;
  let markersPauseMs: number = limits.kafkaMarkersPollMs;
  while (!stopped.aborted) {
    try {
      return await request();
    } catch (error) {
      const code = kafkaCode(error);
      if (code === 'CONCURRENT_TRANSACTIONS') {
        markersPauseMs = await longerPause(markersPauseMs);
        continue;
      }
      if (code !== undefined) heardMs = performance.now();
      if (!isPassing(error) || performance.now() - heardMs > limits.kafkaSilenceMsMax) throw error;
      await requests.recover(error);
      await sleep(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, limits.kafkaRetryMsMax);
    }
  }
  throw new SquitterError('log.closed');
}

/** Waits for the marks of a transaction, which mostly come within milliseconds; gives how long to wait the next time. */
export async function longerPause(pauseMs: number): Promise<number> {
  await sleep(pauseMs);
  return Math.min(2 * pauseMs, limits.kafkaRetryMs);
}
