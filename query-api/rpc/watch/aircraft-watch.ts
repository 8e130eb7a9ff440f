// WatchAircraft, for every protocol: streams of one aircraft or a box, on the ticks and topics of the push hub's engine.
import { Code, ConnectError } from '@connectrpc/connect';
import type { Filter } from '../../../push/hub/filter.ts';
import { ServiceClass } from '../../../push/hub/service-class.ts';
import type { Topic } from '../../../push/hub/topic.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { WatchAircraftResponse } from '../../../schemas/proto/v1/aircraft_pb.ts';
import type { Caller } from '../../access/caller.ts';
import { QueryError } from '../../queries/errors.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ReadModel } from '../../queries/read-model.ts';
import { Feed } from './feed.ts';
import { Watcher } from './watcher.ts';

type WatchRefusal = 'api.too_many_streams' | 'api.too_many_watched';

const CHECK_MS = 1000;
const RETRY_AFTER_S = 60;
const STOPPED_RETRY_AFTER_S = 1;

export class AircraftWatch {
  private readonly model: ReadModel;
  private readonly classes: readonly [normal: ServiceClass, slow: ServiceClass];
  private readonly feeds = new Map<Topic, Feed>();
  private readonly watchers = new Map<Watcher, Feed>();
  private readonly stopListening: () => void;
  private readonly checking: NodeJS.Timeout;
  private isClosed = false;
  private topics = 0;
  private skipped = 0;
  private ended = 0;
  private readonly refused: Record<WatchRefusal, number> = { 'api.too_many_streams': 0, 'api.too_many_watched': 0 };

  /** `tickMs` is the interval of the normal class. */
  constructor(model: ReadModel, tickMs: number) {
    this.model = model;
    const classOf = (name: string, intervalMs: number): ServiceClass =>
      new ServiceClass({
        ...{ intervalMs, flights: model.flights, steadyMs: model.steadyMs },
        nextTopicId: () => (this.topics += 1),
        streamPrefix: name,
        onDeltas: async () => 0,
      });
    this.classes = [classOf('normal', tickMs), classOf('slow', Math.max(tickMs, limits.pushSlowTickMs))];
    this.stopListening = model.view.onSnapshot((snapshot) => {
      for (const one of this.classes) one.onSnapshot(snapshot);
    });
    this.checking = setInterval(() => this.check(), CHECK_MS).unref();
  }

  stats() {
    return {
      watchers: this.watchers.size,
      topics: this.feeds.size,
      /** Ticks that streams missed. */
      skipped: this.skipped,
      overruns: this.classes[0].stats.overruns + this.classes[1].stats.overruns,
      /** Streams that were ended because their client was too slow. */
      ended: this.ended,
      /** Streams that were refused, by code of the error. */
      refused: { ...this.refused },
    };
  }

  /**
   * The messages of a stream: first the state of the last tick, then the changes of each tick. A stream that is not pulled misses ticks. Ends with
   * `signal`. `check` is called once a second: its error ends the stream. Errors: those of `freshSnapshot` and `check`; `api.too_many_watched`, `api.too_many_streams`, `api.overloaded`, `api.not_ready`.
   */
  async *watch(
    filter: Filter,
    { tier }: Pick<Caller, 'tier'>,
    signal: AbortSignal,
    check = (): void => {},
  ): AsyncGenerator<WatchAircraftResponse> {
    freshSnapshot(this.model);
    const serviceClass = this.classes[tier === 'free' ? 1 : 0];
    await serviceClass.settled();
    const watcher = this.join(serviceClass, filter, check);
    const feed = this.watchers.get(watcher)!;
    // A stream that is not pulled does not end by itself.
    const abort = (): void => this.end(watcher, ConnectError.from(signal.reason, Code.Canceled));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      while (!watcher.isEnded) yield* watcher.deliver(await feed.next(watcher), this.model.steadyMs());
      // Rejects with the error that ended it.
      await watcher.next();
    } finally {
      signal.removeEventListener('abort', abort);
      this.end(watcher, null);
    }
  }

  /** Ends all streams. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.checking);
    this.stopListening();
    this.endAll(stopped());
    for (const one of this.classes) void one.settled().then(() => one.release());
  }

  /** Ends streams without live data, those whose callers may have them no more, and those whose clients are too slow. Runs once a second; tests call it directly. */
  check(): void {
    if (this.watchers.size === 0) return;
    try {
      freshSnapshot(this.model);
    } catch (error) {
      this.endAll(error);
      return;
    }
    const nowMs = this.model.steadyMs();
    for (const watcher of [...this.watchers.keys()]) {
      try {
        watcher.check();
      } catch (error) {
        this.end(watcher, error);
        continue;
      }
      if (watcher.behindMs(nowMs) < limits.pushBehindMsMax) continue;
      this.ended += 1;
      this.end(watcher, new QueryError('api.overloaded', { seconds: RETRY_AFTER_S }, { retryAfterS: RETRY_AFTER_S }));
    }
  }

  private join(serviceClass: ServiceClass, filter: Filter, check: () => void): Watcher {
    if (this.isClosed) throw stopped();
    if (this.watchers.size >= limits.recordWatchesMax) throw this.refusal('api.too_many_streams', limits.recordWatchesMax);
    const topic = serviceClass.topic(filter, freshSnapshot(this.model));
    let feed = this.feeds.get(topic);
    if (feed === undefined) {
      let aircraft = topic.aircraft;
      for (const other of this.feeds.keys()) aircraft += other.aircraft;
      if (aircraft > limits.recordWatchAircraftMax) {
        serviceClass.drop(topic);
        throw this.refusal('api.too_many_watched', limits.recordWatchAircraftMax);
      }
      feed = new Feed(serviceClass, topic, () => (this.skipped += 1));
      this.feeds.set(topic, feed);
    }
    const watcher = new Watcher(check);
    feed.watchers.add(watcher);
    this.watchers.set(watcher, feed);
    return watcher;
  }

  /** Counts a refused stream. */
  private refusal(code: WatchRefusal, limit: number): QueryError {
    this.refused[code] += 1;
    return new QueryError(code, { limit }, { retryAfterS: RETRY_AFTER_S });
  }

  private end(watcher: Watcher, error: unknown): void {
    watcher.end(error);
    const feed = this.watchers.get(watcher);
    if (feed === undefined) return;
    this.watchers.delete(watcher);
    feed.watchers.delete(watcher);
    if (feed.watchers.size > 0) return;
    const { topic, serviceClass } = feed;
    this.feeds.delete(topic);
    topic.follower = null;
    serviceClass.drop(topic);
  }

  private endAll(error: unknown): void {
    for (const watcher of [...this.watchers.keys()]) this.end(watcher, error);
  }
}

function stopped(): QueryError {
  return new QueryError('api.not_ready', { detail: 'the service stops' }, { retryAfterS: STOPPED_RETRY_AFTER_S });
}
