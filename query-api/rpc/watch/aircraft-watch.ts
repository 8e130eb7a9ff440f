// WatchAircraft, for every protocol: streams of one aircraft or a box. Streams of equal targets and interval share the work of a tick.

import { limits } from '../../../schemas/limits.ts';
import type { Caller } from '../../access/caller.ts';
import { QueryError } from '../../queries/errors.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ReadModel } from '../../queries/read-model.ts';
import { RecordWriter } from '../record-bytes.ts';
import type { WatchTarget } from './target.ts';
import type { WatchTopic } from './topic.ts';
import { WatchClass } from './watch-class.ts';
import { Watcher, type WatchSink } from './watcher.ts';

type WatchRefusal = 'api.too_many_streams' | 'api.too_many_watched';

export interface WatchStats {
  readonly watchers: number;
  readonly topics: number;
  readonly skipped: number;
  readonly overruns: number;
  /** Streams that were ended because their client was too slow. */
  readonly ended: number;
  /** Streams that were refused, by code of the error. */
  readonly refused: Readonly<Record<WatchRefusal, number>>;
}

/** Where a watcher belongs. */
interface Membership {
  readonly serviceClass: WatchClass;
  readonly topic: WatchTopic;
}

const CHECK_MS = 1000;
const RETRY_AFTER_S = 60;
const STOPPED_RETRY_AFTER_S = 1;

export class AircraftWatch {
  private readonly model: ReadModel;
  private readonly classes: readonly [normal: WatchClass, slow: WatchClass];
  private readonly watchers = new Map<Watcher, Membership>();
  private readonly stopListening: () => void;
  private readonly checking: NodeJS.Timeout;
  private ended = 0;
  private readonly refused: Record<WatchRefusal, number> = { 'api.too_many_streams': 0, 'api.too_many_watched': 0 };

  /** `tickMs` is the interval of the normal class. */
  constructor(model: ReadModel, tickMs: number) {
    this.model = model;
    const writer = new RecordWriter();
    const classOf = (name: string, intervalMs: number): WatchClass => new WatchClass(name, intervalMs, writer, model.steadyMs);
    this.classes = [classOf('normal', tickMs), classOf('slow', Math.max(tickMs, limits.pushSlowTickMs))];
    this.stopListening = model.view.onSnapshot((snapshot) => {
      for (const one of this.classes) one.take(snapshot);
    });
    this.checking = setInterval(() => this.check(), CHECK_MS);
    this.checking.unref();
  }

  stats(): WatchStats {
    const sum = (read: (one: WatchClass) => number): number => read(this.classes[0]) + read(this.classes[1]);
    return {
      watchers: this.watchers.size,
      topics: sum(({ topics }) => topics.size),
      skipped: sum(({ stats }) => stats.skipped),
      overruns: sum(({ stats }) => stats.overruns),
      ended: this.ended,
      refused: { ...this.refused },
    };
  }

  /**
   * Starts a stream; returns the function that ends it. The first messages come at once, or after a tick that is being written.
   * Errors: those of `freshSnapshot`; `api.too_many_watched`, `api.too_many_streams`.
   */
  watch(target: WatchTarget, caller: Caller, sink: WatchSink): () => void {
    freshSnapshot(this.model);
    const serviceClass = this.classes[caller.tier === 'free' ? 1 : 0];
    if (!serviceClass.isTicking) return this.begin(serviceClass, target, sink);
    let end: (() => void) | null = null;
    let isEnded = false;
    void serviceClass.settled().then(() => {
      if (isEnded) return;
      try {
        end = this.begin(serviceClass, target, sink);
      } catch (error) {
        sink.fail(error);
      }
    });
    return () => {
      isEnded = true;
      end?.();
    };
  }

  /** Ends all streams. */
  close(): void {
    clearInterval(this.checking);
    this.stopListening();
    this.failAll(new QueryError('api.not_ready', { detail: 'the service stops' }, { retryAfterS: STOPPED_RETRY_AFTER_S }));
  }

  /** Ends streams without live data, and those whose clients are too slow. Runs once a second; tests call it directly. */
  check(): void {
    if (this.watchers.size === 0) return;
    try {
      freshSnapshot(this.model);
    } catch (error) {
      this.failAll(error);
      return;
    }
    const nowMs = this.model.steadyMs();
    for (const watcher of [...this.watchers.keys()]) {
      if (watcher.behindMs(nowMs) < limits.pushBehindMsMax) continue;
      this.ended += 1;
      this.drop(watcher);
      watcher.fail(new QueryError('api.overloaded', { seconds: RETRY_AFTER_S }, { retryAfterS: RETRY_AFTER_S }));
    }
  }

  private begin(serviceClass: WatchClass, target: WatchTarget, sink: WatchSink): () => void {
    if (this.watchers.size >= limits.recordWatchesMax) throw this.refusal('api.too_many_streams', limits.recordWatchesMax);
    const topic = serviceClass.topicOf(target, freshSnapshot(this.model));
    const isNew = topic.watchers.size === 0;
    if (isNew && this.classes[0].aircraft + this.classes[1].aircraft + topic.aircraft > limits.recordWatchAircraftMax) {
      serviceClass.rest();
      throw this.refusal('api.too_many_watched', limits.recordWatchAircraftMax);
    }
    const membership = { serviceClass, topic };
    const watcher = new Watcher(sink, (idle) => this.onIdle(membership, idle));
    serviceClass.join(topic, watcher);
    this.watchers.set(watcher, membership);
    serviceClass.start(topic, watcher);
    return () => {
      watcher.end();
      this.drop(watcher);
    };
  }

  /** Counts a refused stream. */
  private refusal(code: WatchRefusal, limit: number): QueryError {
    this.refused[code] += 1;
    return new QueryError(code, { limit }, { retryAfterS: RETRY_AFTER_S });
  }

  /** A stream that missed ticks gets the state of the last one. */
  private onIdle({ serviceClass, topic }: Membership, watcher: Watcher): void {
    if (!watcher.needsState) return;
    if (!serviceClass.isTicking) {
      serviceClass.start(topic, watcher);
      return;
    }
    void serviceClass.settled().then(() => {
      if (!watcher.isEnded && watcher.isIdle && watcher.needsState) serviceClass.start(topic, watcher);
    });
  }

  private drop(watcher: Watcher): void {
    const membership = this.watchers.get(watcher);
    this.watchers.delete(watcher);
    membership?.serviceClass.leave(membership.topic, watcher);
  }

  private failAll(error: unknown): void {
    for (const watcher of [...this.watchers.keys()]) {
      this.drop(watcher);
      watcher.fail(error);
    }
  }
}
