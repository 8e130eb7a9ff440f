// Whether anybody feeds the service, from what ingests tell in the feeders topic every 10 s. Two times by a steady clock are all it keeps: until when
// the feed counts as alive, and when the last status came. What the topic held before is not read: who is alive tells it again.
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeederEvent, INGEST_KEY } from '../../schemas/avro/feeder-event.ts';
import { limits } from '../../schemas/limits.ts';
import type { EventLog } from '../log/event-log.ts';

const LOOK_MS = 1000;
const PARTITION = 0;

export class FeedWatch {
  /** Of all ingests together: a feeder was connected, or said to have been, limits.feedlessMsMax before. */
  private aliveUntilMs = Number.NEGATIVE_INFINITY;
  private toldAtMs: number | null = null;
  private readonly startMs: number;

  /** `nowMs`: by a steady clock, as all times here. */
  constructor(nowMs: number) {
    this.startMs = nowMs;
  }

  take({ ingest }: Pick<FeederEvent, 'ingest'>, nowMs: number): void {
    if (ingest === null) return;
    this.toldAtMs = nowMs;
    this.aliveUntilMs = Math.max(this.aliveUntilMs, nowMs - ingest.withoutFeederMs + limits.feedlessMsMax);
  }

  /** Nobody has fed the service for limits.feedlessMsMax. False while no ingest has told its status: those of an earlier version do not. */
  isFeedless(nowMs: number): boolean {
    return nowMs > this.aliveUntilMs && this.toldAtMs !== null;
  }

  /** No ingest has told its status for limits.feedlessMsMax. */
  isIngestless(nowMs: number): boolean {
    return nowMs - (this.toldAtMs ?? this.startMs) > limits.feedlessMsMax;
  }

  /** What is missing, in words. */
  reason(nowMs: number): string {
    if (this.isIngestless(nowMs))
      return `no ingest has written to the log for ${Math.floor((nowMs - (this.toldAtMs ?? this.startMs)) / 1000)} s`;
    return `no feeder has been connected for ${Math.floor((nowMs - this.aliveUntilMs + limits.feedlessMsMax) / 1000)} s`;
  }
}

export interface FeedFollowing {
  readonly log: EventLog;
  readonly codecs: { readonly FeederEvent: { decode(bytes: Uint8Array): FeederEvent } };
  readonly steadyMs: () => number;
  readonly signal: AbortSignal;
  readonly lookMs?: number;
}

/** Brings what ingests tell from now on to the watch, until the signal. A log that cannot be read is asked again: the view tells that it is away. */
export async function followFeeds(watch: FeedWatch, { log, codecs, steadyMs, signal, lookMs = LOOK_MS }: FeedFollowing): Promise<void> {
  let from: number | null = null;
  const look = async (): Promise<void> => {
    from ??= (await log.bounds('feeders', PARTITION)).next;
    for await (const batch of log.read({ topic: 'feeders', partition: PARTITION, from, to: 'end', signal })) {
      for (const { key, value } of batch.records)
        if (value !== null && key?.startsWith(INGEST_KEY)) watch.take(codecs.FeederEvent.decode(value), steadyMs());
      from = batch.nextOffset;
    }
  };
  while (!signal.aborted) {
    await look().catch(() => {
      // Compaction was faster, or a value is not readable: on from the end.
      from = null;
    });
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}
