// What an ingest tells of itself in the log: whether anybody feeds it. A feeder that hears nothing is a feed; an ingest without one is none.
import type { FeederEvent } from '../../schemas/avro/feeder-event.ts';
import { limits } from '../../schemas/limits.ts';
import type { EventClock } from './event-clock.ts';

/** How often it looks: a change is told at once. */
const LOOK_MS = 1000;

export interface IngestStatusOptions {
  /** Key of its records. */
  readonly key: string;
  readonly clock: EventClock;
  readonly steadyMs: () => number;
  /** Feeders connected over the network. */
  readonly connections: () => number;
  readonly onEvent: (event: FeederEvent) => void;
  readonly lookMs?: number;
}

export class IngestStatus {
  private readonly options: IngestStatusOptions;
  private readonly timer: NodeJS.Timeout;
  /** Sources in the same process. */
  private sources = 0;
  private fedAtMs: number;
  private toldAtMs = Number.NEGATIVE_INFINITY;
  private toldFed = false;

  constructor(options: IngestStatusOptions) {
    this.options = options;
    this.fedAtMs = options.steadyMs();
    this.timer = setInterval(() => this.look(), options.lookMs ?? LOOK_MS);
    this.timer.unref();
    this.look();
  }

  /** Counts a source in the same process as a feeder until the returned function is called. */
  addSource(): () => void {
    this.sources += 1;
    this.look();
    let isThere = true;
    return () => {
      if (isThere) this.sources -= 1;
      isThere = false;
      this.look();
    };
  }

  get feeders(): number {
    return this.sources + this.options.connections();
  }

  /** Since how long nobody feeds, ms; 0 while somebody does. */
  withoutFeederMs(): number {
    const { steadyMs } = this.options;
    if (this.feeders > 0) this.fedAtMs = steadyMs();
    return steadyMs() - this.fedAtMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { key, clock, steadyMs, onEvent } = this.options;
    const withoutFeederMs = Math.round(this.withoutFeederMs());
    const { feeders } = this;
    const nowMs = steadyMs();
    if (nowMs - this.toldAtMs < limits.ingestStatusMs && feeders > 0 === this.toldFed) return;
    this.toldAtMs = nowMs;
    this.toldFed = feeders > 0;
    const timeMs = Math.floor(clock.nowUs() / 1000);
    const ingest = { feeders, withoutFeederMs, aheadMs: Math.round(clock.aheadMs()) };
    onEvent({ feeder: key, event: 'status', timeMs, address: null, format: null, frames: 0, bytes: 0, garbageBytes: 0, ingest });
  }
}
