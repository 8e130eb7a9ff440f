// A sink that joins again when the log refuses what it wants: a read of records that retention has deleted while the store was away, or a
// commit of a worker that was frozen and lost its partition.
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { pause } from '../runtime/retry.ts';
import { type Sink, type SinkOptions, startSink } from './sink.ts';
import { SinkStats } from './sink-stats.ts';

const REASONS = ['log.offset_out_of_range', 'log.commit_conflict', 'log.commit_failed', 'history.offset_moved'];

export interface KeptSinkOptions extends Omit<SinkOptions, 'stats'> {
  /** Called with the error after which the sink joins again. */
  readonly onRejoin?: (error: SquitterError) => void;
}

export interface KeptSink {
  readonly stats: SinkStats;
  /** How often it joined again. */
  rejoins(): number;
  rebalances(): number;
  /** Rejects with the error that ended the sink for good. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export async function keepSink(options: KeptSinkOptions): Promise<KeptSink> {
  const stats = new SinkStats();
  const stopping = new AbortController();
  const { signal } = stopping;
  let rejoins = 0;
  let sink: Sink = await startSink({ ...options, stats });
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await sink.done;
      } catch (error) {
        if (signal.aborted) return;
        if (!mayRejoin(error)) throw error;
        rejoins += 1;
        options.onRejoin?.(error);
      }
      await sink.stop();
      await pause(limits.historyRejoinMs, signal);
      if (!signal.aborted) sink = await startSink({ ...options, stats });
    }
  };
  const ended = run();
  ended.catch(() => {});
  return {
    stats,
    rejoins: () => rejoins,
    rebalances: () => sink.member.rebalances,
    ended,
    async stop() {
      stopping.abort();
      await sink.stop();
      await ended.catch(() => {});
      // A sink that was being started meanwhile.
      await sink.stop();
    },
  };
}

function mayRejoin(error: unknown): error is SquitterError {
  return error instanceof SquitterError && REASONS.includes(error.code);
}
