// Newest event time in the log. An ingest must not append earlier times than its partitions contain: ticks do not go back, so the picture would freeze.
// An ingest therefore starts at the newest time in the log, and checks it again while running: the clocks of other ingests may be ahead.
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../schemas/limits/index.ts';
import { damageOf } from '../log/damage.ts';
import type { EventLog } from '../log/event-log.ts';
import { settledWithin } from '../runtime/waiting.ts';
import type { EventClock } from './event-clock.ts';

/** Precision of the newest time. */
const PRECISION_MS = 50;
/** Differences up to this are normal for good clocks and the delay to the log. */
const TOLERANCE_MS = 500;
/** Interval between checks. Each checks one partition: every ingest appends to all of them. */
const CHECK_MS = 1000;

/** A time after every frame record of a partition, at most PRECISION_MS after the newest; `fromMs` if all records are earlier. Doubling steps, then binary search. */
export async function newestFrameMs(log: EventLog, partition: number, fromMs: number): Promise<number> {
  const isReached = async (ms: number): Promise<boolean> => {
    const { next } = await log.bounds('frames', partition);
    return (await log.offsetAt('frames', partition, Math.ceil(ms))) < next;
  };
  if (!(await isReached(fromMs))) return fromMs;
  let reachedMs = fromMs;
  let stepMs = PRECISION_MS;
  while (await isReached(reachedMs + stepMs)) {
    reachedMs += stepMs;
    stepMs *= 2;
  }
  let openMs = reachedMs + stepMs;
  while (openMs - reachedMs > PRECISION_MS) {
    const middleMs = (reachedMs + openMs) / 2;
    if (await isReached(middleMs)) reachedMs = middleMs;
    else openMs = middleMs;
  }
  return openMs;
}

/** Advances the clock to the newest time of all partitions that can be read: an ingest appends the same times to each. Errors: those of the log. */
export async function advanceToLogTime(log: EventLog, clock: EventClock): Promise<void> {
  const fromMs = clock.nowUs() / 1000;
  const partitions = Array.from({ length: log.partitions('frames') }, (_, partition) => partition);
  const orUnread = (error: unknown): number => {
    if (damageOf(error) === null) throw error;
    return fromMs;
  };
  const newest = await Promise.all(partitions.map((partition) => newestFrameMs(log, partition, fromMs).catch(orUnread)));
  clock.advanceTo(Math.max(...newest));
}

export interface LogTimeFollower {
  /** How often event time was advanced to the newest time in the log. */
  readonly raised: number;
  stop(): Promise<void>;
}

/** Checks one partition after the other until stopped, and advances the clock to its newest time. Failed checks are retried. */
export function followLogTime(log: EventLog, clock: EventClock, onRaised: () => void, checkMs: number = CHECK_MS): LogTimeFollower {
  const stopping = new AbortController();
  let raised = 0;
  const check = async (partition: number): Promise<void> => {
    const nowMs = clock.nowUs() / 1000;
    const newestMs = await newestFrameMs(log, partition, nowMs + TOLERANCE_MS);
    if (newestMs <= nowMs + TOLERANCE_MS) return;
    raised += 1;
    clock.advanceTo(newestMs);
    onRaised();
  };
  const run = async (): Promise<void> => {
    for (let partition = 0; !stopping.signal.aborted; partition = (partition + 1) % log.partitions('frames')) {
      await sleep(checkMs, undefined, { signal: stopping.signal }).catch(() => {});
      // A failed check is repeated a second later. The batcher reports that the log is unavailable.
      if (!stopping.signal.aborted) await check(partition).catch(() => {});
    }
  };
  const done = run();
  return {
    get raised() {
      return raised;
    },
    async stop() {
      stopping.abort();
      await settledWithin(done, limits.logTimeStopMsMax);
    },
  };
}
