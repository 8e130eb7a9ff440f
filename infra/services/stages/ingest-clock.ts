// The event clock of an ingest. It starts at the newest time in the log, follows the log, and counts and logs differences from the wall clock.
import { type ClockStep, createEventClock, type TimeSources } from '../../../pipeline/ingest/event-clock.ts';
import type { IngestLog } from '../../../pipeline/ingest/feeder-session.ts';
import { advanceToLogTime, followLogTime } from '../../../pipeline/ingest/log-time.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { limits } from '../../../schemas/limits/index.ts';

/** Interval of the check whether the wall clock has caught up. */
const CHECK_MS = 1000;

export interface ClockStats {
  /** Steps of the wall clock since the start. */
  readonly stepsForward: number;
  readonly stepsBack: number;
  /** Times that event time advanced to that of records from other ingests. */
  readonly raised: number;
  /** Event time minus wall clock. */
  readonly aheadMs: number;
}

/** Errors: those of the log. */
export async function openIngestClock(log: EventLog, logger: IngestLog, sources?: TimeSources) {
  const steps = { forward: 0, back: 0 };
  const onStep = ({ byMs, aheadMs }: ClockStep): void => {
    steps[byMs > 0 ? 'forward' : 'back'] += 1;
    const details = { bySeconds: seconds(byMs), aheadSeconds: seconds(aheadMs) };
    if (byMs > 0) logger.warn(details, 'the wall clock was set forward, or the machine was suspended');
    else if (aheadMs > 0)
      logger.warn(details, 'the wall clock was set back: event time runs at half speed until the wall clock has caught up');
    else logger.warn(details, 'the wall clock was set back');
  };
  const clock = createEventClock(sources, onStep);
  let isAhead = false;
  /** Warns once until the wall clock has caught up. */
  const warnAhead = (message: string): void => {
    const aheadMs = clock.aheadMs();
    if (isAhead || aheadMs === 0) return;
    isAhead = true;
    const more = aheadMs > limits.eventTimeAheadMsMax ? '. That is more than a day: see infra/runbooks/SquitterEventTimeAhead.md' : '';
    logger.warn(
      { aheadSeconds: seconds(aheadMs) },
      `${message}: event time continues from there, at half speed until the wall clock has caught up${more}`,
    );
  };
  await advanceToLogTime(log, clock);
  warnAhead('the log contains frames that are newer than the wall clock');
  const follower = followLogTime(log, clock, () =>
    warnAhead('another ingest appends frames that are newer than the wall clock of this machine'),
  );
  const timer = setInterval(() => {
    if (!isAhead || clock.aheadMs() > 0) return;
    isAhead = false;
    logger.info({}, 'event time equals the wall clock again');
  }, CHECK_MS);
  timer.unref();
  return {
    ...clock,
    stats: (): ClockStats => ({
      stepsForward: steps.forward,
      stepsBack: steps.back,
      raised: follower.raised,
      aheadMs: clock.aheadMs(),
    }),
    async stop(): Promise<void> {
      clearInterval(timer);
      await follower.stop();
    },
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
