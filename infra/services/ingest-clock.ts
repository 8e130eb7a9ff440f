// The event clock of an ingest: begins at what the log holds, follows it, counts and logs where it differs from the wall clock.
import { type ClockStep, createEventClock, type EventClock, type TimeSources } from '../../pipeline/ingest/event-clock.ts';
import type { IngestLog } from '../../pipeline/ingest/feeder-session.ts';
import { advanceToLogTime, followLogTime } from '../../pipeline/ingest/log-time.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';

/** Event time that is ahead by more than this tells another day: somebody has to decide. */
export const AHEAD_MS_MAX = 86_400_000;
/** How often it looks whether the wall clock has caught up. */
const LOOK_MS = 1000;

export interface ClockStats {
  /** Steps of the wall clock since the start. */
  readonly stepsForward: number;
  readonly stepsBack: number;
  /** Times that event time went forward to what other ingests had appended. */
  readonly raised: number;
  /** Event time less wall clock. */
  readonly aheadMs: number;
}

export interface IngestClock extends EventClock {
  stats(): ClockStats;
  stop(): Promise<void>;
}

/** Errors: those of the log. */
export async function openIngestClock(log: EventLog, logger: IngestLog, sources?: TimeSources): Promise<IngestClock> {
  const steps = { forward: 0, back: 0 };
  const onStep = ({ byMs, aheadMs }: ClockStep): void => {
    steps[byMs > 0 ? 'forward' : 'back'] += 1;
    const details = { bySeconds: seconds(byMs), aheadSeconds: seconds(aheadMs) };
    if (byMs > 0) logger.warn(details, 'the wall clock was set forward, or the machine slept');
    else if (aheadMs > 0) logger.warn(details, 'the wall clock was set back: event time goes on at half speed until that has caught up');
    else logger.warn(details, 'the wall clock was set back');
  };
  const clock = createEventClock(sources, onStep);
  let isAhead = false;
  /** Said once, until the wall clock has caught up. */
  const tellAhead = (message: string): void => {
    const aheadMs = clock.aheadMs();
    if (isAhead || aheadMs === 0) return;
    isAhead = true;
    const more = aheadMs > AHEAD_MS_MAX ? '; that is another day: see infra/runbooks/SquitterEventTimeAhead.md' : '';
    logger.warn(
      { aheadSeconds: seconds(aheadMs) },
      `${message}: event time goes on from there, at half speed until the wall clock has caught up${more}`,
    );
  };
  await advanceToLogTime(log, clock);
  tellAhead('the log holds frames of a later time than the wall clock shows');
  const follower = followLogTime(log, clock, () =>
    tellAhead('another ingest appends frames of a later time than the wall clock shows here'),
  );
  const timer = setInterval(() => {
    if (!isAhead || clock.aheadMs() > 0) return;
    isAhead = false;
    logger.info({}, 'event time is the wall clock again');
  }, LOOK_MS);
  timer.unref();
  return {
    ...clock,
    stats: () => ({
      stepsForward: steps.forward,
      stepsBack: steps.back,
      raised: follower.raised,
      aheadMs: clock.aheadMs(),
    }),
    async stop() {
      clearInterval(timer);
      await follower.stop();
    },
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
