// Event time as the log has it. An ingest that appends earlier times than its partitions hold would freeze the picture: ticks do not go back.
// So it begins at the newest time in the log, and looks again now and then, as other ingests' clocks may be ahead of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '../log/event-log.ts';
import { settledWithin } from '../runtime/waiting.ts';
import type { EventClock } from './event-clock.ts';

/** How exactly the newest time is found. */
const PRECISION_MS = 50;
/** Differences up to this are those of good clocks, and of the way to the log. */
const TOLERANCE_MS = 500;
/** One partition is looked at each time: every ingest appends to all of them. */
const LOOK_MS = 1000;
/** How long a stop waits for a look: the log may be away. */
const STOP_MS_MAX = 1000;

/** Time that no frame record of a partition has reached, PRECISION_MS after the newest one at most; `fromMs` where none has reached that. */
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

/** Brings the clock to the newest time of all partitions. Errors: those of the log. */
export async function reachLogTime(log: EventLog, clock: EventClock): Promise<void> {
  const fromMs = clock.nowUs() / 1000;
  const partitions = Array.from({ length: log.partitions('frames') }, (_, partition) => partition);
  const newest = await Promise.all(partitions.map((partition) => newestFrameMs(log, partition, fromMs)));
  clock.reach(Math.max(...newest));
}

export interface LogTimeFollower {
  /** Times that event time went forward to what the log holds. */
  readonly raised: number;
  stop(): Promise<void>;
}

/** Looks at one partition after the other until it is stopped, and brings the clock to its newest time. A log that is away is asked again. */
export function followLogTime(log: EventLog, clock: EventClock, onRaised: () => void, lookMs: number = LOOK_MS): LogTimeFollower {
  const stopping = new AbortController();
  let raised = 0;
  const look = async (partition: number): Promise<void> => {
    const nowMs = clock.nowUs() / 1000;
    const newestMs = await newestFrameMs(log, partition, nowMs + TOLERANCE_MS);
    if (newestMs <= nowMs + TOLERANCE_MS) return;
    raised += 1;
    clock.reach(newestMs);
    onRaised();
  };
  const run = async (): Promise<void> => {
    for (let partition = 0; !stopping.signal.aborted; partition = (partition + 1) % log.partitions('frames')) {
      await sleep(lookMs, undefined, { signal: stopping.signal }).catch(() => {});
      // What cannot be read now is read a second later; that the log is away is told by whoever appends.
      if (!stopping.signal.aborted) await look(partition).catch(() => {});
    }
  };
  const done = run();
  return {
    get raised() {
      return raised;
    },
    async stop() {
      stopping.abort();
      await settledWithin(done, STOP_MS_MAX);
    },
  };
}
