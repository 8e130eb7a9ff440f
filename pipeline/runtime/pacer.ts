// Paces frames by their event time: in real time, at a multiple of it, or at full speed.
import { setTimeout as sleep } from 'node:timers/promises';

/** Frames closer together than this are sent together. */
const SHORTEST_WAIT_MS = 5;

export interface Pacer {
  /** Starts again with the times of a new file. */
  restart(): void;
  /** Time to wait before a frame of this event time, 0 when it is due. */
  waitMs(timeUs: number): number;
  /** Ends early, without an error, when the command is stopped. */
  sleep(ms: number): Promise<void>;
}

/**
 * After a stall of the machine frames are sent at once until they have caught up. With `lateMsMax`: when the newest frame so far is later than this, ms,
 * the clock starts again with it, and the frames after it keep their distances.
 */
export function createPacer(speed: number, signal: AbortSignal, lateMsMax = Number.POSITIVE_INFINITY): Pacer {
  let firstUs = Number.NaN;
  let newestUs = Number.NEGATIVE_INFINITY;
  let startMs = 0;
  return {
    restart() {
      firstUs = Number.NaN;
      newestUs = Number.NEGATIVE_INFINITY;
    },
    waitMs(timeUs) {
      if (!Number.isFinite(speed) || signal.aborted) return 0;
      const nowMs = performance.now();
      const isNewest = timeUs >= newestUs;
      if (isNewest) newestUs = timeUs;
      const waitMs = startMs + (timeUs - firstUs) / 1000 / speed - nowMs;
      if (waitMs >= SHORTEST_WAIT_MS) return waitMs;
      // The first frame's is not a number. A frame that another receiver delivered late, behind newer ones, is no stall.
      if (isNewest && !(waitMs >= -lateMsMax)) [firstUs, startMs] = [timeUs, nowMs];
      return 0;
    },
    async sleep(ms) {
      await sleep(ms, undefined, { signal }).catch(() => {});
    },
  };
}
