// Retries a write while brokers are unavailable, elect a leader or end the previous transaction. It sends the same bytes with the same sequence
// numbers, so that a broker detects a repetition.
import { SquitterError } from '../../../../schemas/errors.ts';
import { limits } from '../../../../schemas/limits/index.ts';
import { pauseAfter, retrying } from '../../../runtime/retry.ts';
import { isTransient, kafkaCode } from '../failures.ts';
import type { WriteRequests } from './write-requests.ts';

export interface WriteAttempts {
  readonly requests: WriteRequests;
  /** Stops all retries. */
  readonly stopped: AbortSignal;
}

/** Runs a request until it succeeds. Errors: permanent errors of the request, transient ones after `limits.kafkaSilenceMsMax` without any response; `log.closed` when stopped. */
export function persistently<T>({ requests, stopped }: WriteAttempts, request: () => Promise<T>): Promise<T> {
  let heardMs = performance.now();
  let markers = 0;
  return retrying(
    async () => {
      if (stopped.aborted) throw new SquitterError('log.closed');
      return await request();
    },
    async (error, failures) => {
      const code = kafkaCode(error);
      if (code === 'CONCURRENT_TRANSACTIONS') {
        markers += 1;
        return markersPause(markers);
      }
      if (code !== undefined) heardMs = performance.now();
      if (!isTransient(error) || performance.now() - heardMs > limits.kafkaSilenceMsMax) throw error;
      await requests.recover(error);
      return pauseAfter(failures - markers, limits.kafkaRetryMs, limits.kafkaRetryMsMax);
    },
    stopped,
  );
}

/** Pause before another look at the markers of a transaction, which usually come within milliseconds. */
export function markersPause(attempts: number): number {
  return pauseAfter(attempts, limits.kafkaMarkersPollMs, limits.kafkaRetryMs);
}
