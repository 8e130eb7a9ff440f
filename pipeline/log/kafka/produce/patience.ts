// Retries a write while brokers are unavailable, elect a leader or end the previous transaction. It sends the same bytes with the same sequence
// numbers, so that a broker detects a repetition.
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../../../schemas/errors.ts';
import { limits } from '../../../../schemas/limits.ts';
import { isPassing, kafkaCode } from '../failures.ts';
import type { WriteRequests } from './write-requests.ts';

export interface Patience {
  readonly requests: WriteRequests;
  /** Stops all retries. */
  readonly stopped: AbortSignal;
}

/** Runs a request until it succeeds. Errors: permanent errors of the request, transient ones after `limits.kafkaSilenceMsMax` without any response; `log.closed` when stopped. */
export async function untilDone<T>({ requests, stopped }: Patience, request: () => Promise<T>): Promise<T> {
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

/** Waits for the markers of a transaction, which usually come within milliseconds. Returns the next, longer pause. */
export async function longerPause(pauseMs: number): Promise<number> {
  await sleep(pauseMs);
  return Math.min(2 * pauseMs, limits.kafkaRetryMs);
}
