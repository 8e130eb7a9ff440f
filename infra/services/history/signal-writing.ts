// Signal levels and counts of feeders into the history store, in every profile; and the signal levels of a process that has no live view for other reasons.
import type { Logger } from 'pino';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { startSignalSampler } from '../../../pipeline/project/signal-sampler.ts';
import { LogLimiter } from '../../../pipeline/runtime/log-limiter.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import { followView } from '../../../pipeline/view/follower.ts';
import { SignalHistory, type SignalSample } from '../../../pipeline/view/signal-history.ts';
import { restoreSignal, type SignalRestore } from '../../../pipeline/view/signal-restore.ts';
import { type FeederWritingOptions, startFeederWriting } from './feeder-writing.ts';

export interface SampleWritingOptions extends Omit<FeederWritingOptions, 'onRetry'> {
  readonly samples: () => readonly SignalSample[];
  readonly logger: Pick<Logger, 'warn'>;
}

/** Starts to write signal levels and counts of feeders; returns the function that stops it. */
export function startSampleWriting({ samples, logger, ...feeders }: SampleWritingOptions): () => Promise<void> {
  const { writer, isWriter, registry } = feeders;
  const lines = new LogLimiter((_, fields, message) => logger.warn(fields, message));
  const onRetry =
    (what: string) =>
    (error: unknown): void =>
      lines.line('warn', { error: String(error) }, `the history store did not take ${what}: they are inserted again`);
  const sampler = startSignalSampler({ writer, samples, isWriter, onRetry: onRetry('signal levels') });
  exportMetrics(registry, {
    squitter_project_signal_samples_total: () => sampler.stats.samples,
    squitter_project_signal_dropped_total: () => sampler.stats.dropped,
  });
  const stopFeeders = startFeederWriting({ ...feeders, onRetry: onRetry('counts of feeders') });
  return async () => {
    await Promise.all([stopFeeders(), sampler.stop()]);
    lines.flush();
  };
}

interface Following {
  readonly history: SignalHistory;
  readonly nowMs: () => number;
  readonly stop: () => Promise<void>;
}

/** Samples of a live view that exists only while this process writes them. */
export class OwnSignals {
  private readonly log: EventLog;
  private readonly codecs: Codecs;
  private readonly stored: SignalRestore['stored'];
  private readonly onFailed: (error: unknown) => void;
  private following: Following | null = null;

  /** `stored`: samples of the store, which know more than the log. */
  constructor(log: EventLog, codecs: Codecs, stored: SignalRestore['stored'], onFailed: (error: unknown) => void) {
    this.log = log;
    this.codecs = codecs;
    this.stored = stored;
    this.onFailed = onFailed;
  }

  readonly samples = (): readonly SignalSample[] => {
    this.following ??= this.follow();
    const { history, nowMs } = this.following;
    return history.samples(nowMs());
  };

  /** Call it when this process is not the writer any more. */
  async stop(): Promise<void> {
    const { following } = this;
    this.following = null;
    await following?.stop();
  }

  private follow(): Following {
    const { log, codecs, stored } = this;
    const stop = new AbortController();
    const { signal } = stop;
    const history = new SignalHistory();
    const view = followView(log, codecs, { clock: () => Date.now(), signal, onSnapshot: history.note });
    const restored = view.ready.then(() => restoreSignal(history, { log, codecs, stored, signal }));
    const ended = Promise.all([view.done, restored]).catch((error: unknown) => {
      if (signal.aborted) return;
      this.onFailed(error);
      // The next call begins again.
      this.following = null;
    });
    return {
      history,
      nowMs: () => view.current()?.times.nowMs ?? 0,
      async stop() {
        stop.abort();
        await ended;
      },
    };
  }
}
