// Paces frames by their event time: in real time, at a multiple of it, or at full speed.
import { setTimeout as sleep } from 'node:timers/promises';

/** Frames closer together than this are sent together. */
const WAIT_MS_MIN = 5;

export interface Pacer {
  /** Starts again with the times of a new file. */
  restart(): void;
  /** Time to wait before a frame of this event time, 0 when it is due. */
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
