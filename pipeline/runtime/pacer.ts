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

/** Frames that are late, because the machine stalled, are sent at once. `lateMsMax`: later than this the clock starts again, so that frames keep their distances. */
export function createPacer(speed: number, signal: AbortSignal, lateMsMax = Number.POSITIVE_INFINITY): Pacer {
  let firstUs = Number.NaN;
  let startMs = 0;
  return {
    restart() {
      firstUs = Number.NaN;
    },
    waitMs(timeUs) {
      if (!Number.isFinite(speed) || signal.aborted) return 0;
      const nowMs = performance.now();
      const waitMs = startMs + (timeUs - firstUs) / 1000 / speed - nowMs;
      if (waitMs >= WAIT_MS_MIN) return waitMs;
      // Not a number: the first frame.
      if (!(waitMs >= -lateMsMax)) [firstUs, startMs] = [timeUs, nowMs];
      return 0;
    },
    async sleep(ms) {
      await sleep(ms, undefined, { signal }).catch(() => {});
    },
  };
}
