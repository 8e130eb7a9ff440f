// Paces frames by their event time: real time, a multiple of it, or as fast as it goes.
import { setTimeout as sleep } from 'node:timers/promises';

/** Frames closer together than this go out together. */
const WAIT_MS_MIN = 5;

export interface Pacer {
  /** Times of a new file begin anew. */
  restart(): void;
  /** How long to wait before a frame of this event time, 0 when it is due. */
  waitMs(timeUs: number): number;
  /** Ends early, without an error, when the command is stopped. */
  sleep(ms: number): Promise<void>;
}

export function createPacer(speed: number, signal: AbortSignal): Pacer {
  let firstUs = Number.NaN;
  let startMs = 0;
  return {
    restart() {
      firstUs = Number.NaN;
    },
    waitMs(timeUs) {
      if (!Number.isFinite(speed) || signal.aborted) return 0;
      if (Number.isNaN(firstUs)) {
        firstUs = timeUs;
        startMs = performance.now();
      }
      const waitMs = startMs + (timeUs - firstUs) / 1000 / speed - performance.now();
      return waitMs < WAIT_MS_MIN ? 0 : waitMs;
    },
    async sleep(ms) {
      await sleep(ms, undefined, { signal }).catch(() => {});
    },
  };
}
