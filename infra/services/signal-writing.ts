// The signal history into the store, in every profile; and the samples of a process that has no live view for other reasons.
import type { Registry } from 'prom-client';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { HistoryWriter } from '../../pipeline/project/projection.ts';
import { startSignalSampler } from '../../pipeline/project/signal-sampler.ts';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import { followView } from '../../pipeline/view/follower.ts';
import { SignalHistory, type SignalSample } from '../../pipeline/view/signal-history.ts';
import { restoreSignal, type SignalRestore } from '../../pipeline/view/signal-restore.ts';

export interface SignalWritingOptions {
  readonly writer: HistoryWriter;
  readonly samples: () => readonly SignalSample[];
  readonly isWriter: () => boolean;
  readonly registry: Registry;
  readonly onRetry: (error: unknown) => void;
}

/** Starts to write; returns the function that stops it. */
export function startSignalWriting({ writer, samples, isWriter, registry, onRetry }: SignalWritingOptions): () => Promise<void> {
  const sampler = startSignalSampler({ writer, samples, isWriter, onRetry });
  exportMetrics(registry, {
    squitter_project_signal_samples_total: () => sampler.stats.samples,
    squitter_project_signal_dropped_total: () => sampler.stats.dropped,
  });
  return sampler.stop;
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
