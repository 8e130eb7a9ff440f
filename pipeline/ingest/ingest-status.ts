// Status records of an ingest in the log: how many feeders are connected. A connected feeder counts as a feed even if it hears no aircraft.
import type { IngestState } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { EventClock } from './event-clock.ts';

/** Interval between checks; a change is reported at the next one. */
const CHECK_MS = 1000;

export interface IngestStatusOptions {
  readonly clock: EventClock;
  readonly steadyMs: () => number;
  /** Feeders connected over the network. */
  readonly connections: () => number;
  readonly onStatus: (state: IngestState, timeMs: number) => void;
  readonly checkMs?: number;
}

export class IngestStatus {
  private readonly options: IngestStatusOptions;
  private readonly timer: NodeJS.Timeout;
  /** Feeds inside this process. */
  private sources = 0;
  private fedAtMs: number;
  private reportedAtMs = Number.NEGATIVE_INFINITY;
  private reportedFed = false;

  constructor(options: IngestStatusOptions) {
    this.options = options;
    this.fedAtMs = options.steadyMs();
    this.timer = setInterval(() => this.report(), options.checkMs ?? CHECK_MS);
    this.timer.unref();
    this.report();
  }

  /** Counts a source in the same process as a feeder until the returned function is called. */
  addSource(): () => void {
    this.sources += 1;
    this.report();
    let isThere = true;
    return () => {
      if (isThere) this.sources -= 1;
      isThere = false;
      this.report();
    };
  }

  get feeders(): number {
    return this.sources + this.options.connections();
  }

  /** Time without any feeder, ms; 0 while there is one. */
  withoutFeederMs(): number {
    const nowMs = this.options.steadyMs();
    if (this.feeders > 0) this.fedAtMs = nowMs;
    return nowMs - this.fedAtMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private report(): void {
    const { clock, steadyMs, onStatus } = this.options;
    const withoutFeederMs = Math.round(this.withoutFeederMs());
    const { feeders } = this;
    const nowMs = steadyMs();
    if (nowMs - this.reportedAtMs < limits.ingestStatusMs && feeders > 0 === this.reportedFed) return;
    this.reportedAtMs = nowMs;
    this.reportedFed = feeders > 0;
    const timeMs = Math.floor(clock.nowUs() / 1000);
    onStatus({ feeders, withoutFeederMs, aheadMs: Math.round(clock.aheadMs()) }, timeMs);
  }
}
