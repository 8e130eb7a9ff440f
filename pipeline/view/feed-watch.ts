// Watches whether the service gets a feed, by the status that ingests write to the feeders topic every 10 s. Keeps two times by a steady clock: until when
// the feed counts as alive, and when the last status came. Older records are not read: a live ingest soon writes its status again.
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeederRecord, INGEST_KEY } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { EventLog } from '../log/event-log.ts';

const INTERVAL_MS = 1000;
const PARTITION = 0;

/** Reasons for missing data, as text; null without one. */
export interface FeedReasons {
  /** Why the log accepts nothing. */
  readonly heldReason?: () => string | null;
  /** Advice for a service without a feeder. */
  readonly feedAdvice?: () => string | null;
}

export class FeedWatch {
  /** The latest of all ingests: limits.feedlessMsMax after the last time that a feeder was connected. */
  private aliveUntilMs = Number.NEGATIVE_INFINITY;
  private reportedAtMs: number | null = null;
  private readonly startMs: number;
  private readonly why: FeedReasons;

  /** `nowMs`: by a steady clock, like all times here. */
  constructor(nowMs: number, why: FeedReasons = {}) {
    this.startMs = nowMs;
    this.why = why;
  }

  note({ ingest }: Pick<FeederRecord, 'ingest'>, nowMs: number): void {
    if (ingest === null) return;
    this.reportedAtMs = nowMs;
    this.aliveUntilMs = Math.max(this.aliveUntilMs, nowMs - ingest.withoutFeederMs + limits.feedlessMsMax);
  }

  /** No feeder was connected for limits.feedlessMsMax. False until an ingest writes its status: earlier versions write none. */
  isFeedless(nowMs: number): boolean {
    return nowMs > this.aliveUntilMs && this.reportedAtMs !== null;
  }

  /** No ingest has written its status for limits.feedlessMsMax. */
  isIngestless(nowMs: number): boolean {
    return nowMs - (this.reportedAtMs ?? this.startMs) > limits.feedlessMsMax;
  }

  /** Why no new data come, as text; null if no reason is known. A held log is the cause of all that is missing in it. */
  reason(nowMs: number): string | null {
    const held = this.why.heldReason?.() ?? null;
    if (held !== null) return held;
    if (this.isIngestless(nowMs))
      return `no ingest has written to the log for ${Math.floor((nowMs - (this.reportedAtMs ?? this.startMs)) / 1000)} s`;
    if (!this.isFeedless(nowMs)) return null;
    const missing = `no feeder has been connected for ${Math.floor((nowMs - this.aliveUntilMs + limits.feedlessMsMax) / 1000)} s`;
    const advice = this.why.feedAdvice?.() ?? null;
    return advice === null ? missing : `${missing}; ${advice}`;
  }
}

interface FeedFollowing {
  readonly log: EventLog;
  readonly codecs: { readonly FeederRecord: { decode(bytes: Uint8Array): FeederRecord } };
  readonly steadyMs: () => number;
  readonly signal: AbortSignal;
  readonly checkMs?: number;
}

/** Passes each new status to the watch, until the signal. Retries a log that cannot be read: the view reports that failure. */
export async function followFeeds(
  watch: FeedWatch,
  { log, codecs, steadyMs, signal, checkMs = INTERVAL_MS }: FeedFollowing,
): Promise<void> {
  let from: number | null = null;
  const readStatus = async (): Promise<void> => {
    from ??= (await log.bounds('feeders', PARTITION)).next;
    for await (const batch of log.read({ topic: 'feeders', partition: PARTITION, from, to: 'end', signal })) {
      for (const { key, value } of batch.records)
        if (value !== null && key?.startsWith(INGEST_KEY)) watch.note(codecs.FeederRecord.decode(value), steadyMs());
      from = batch.nextOffset;
    }
  };
  while (!signal.aborted) {
    await readStatus().catch(() => {
      // Compaction removed the records, or a value is unreadable: continue from the end.
      from = null;
    });
    await sleep(checkMs, undefined, { signal }).catch(() => {});
  }
}
