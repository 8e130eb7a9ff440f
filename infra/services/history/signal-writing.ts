// Signal levels and counts of feeders into the history store, in every profile; and the signal levels of a process that has no live view for other reasons.
import type { Logger } from 'pino';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { startRowSampler } from '../../../pipeline/project/row-sampler.ts';
import { sampledSignals } from '../../../pipeline/project/signal-sampler.ts';
import { LogLimiter } from '../../../pipeline/runtime/log-limiter.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import { followView } from '../../../pipeline/view/follower.ts';
import { SignalHistory, type SignalSample } from '../../../pipeline/view/signal-history.ts';
import { restoreSignal, type SignalRestore } from '../../../pipeline/view/signal-restore.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type FeederWritingOptions, startFeederWriting } from './feeder-writing.ts';
import { whileWriting } from './while-writing.ts';

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
  const sampler = startRowSampler(sampledSignals, {
    ...{ writer, samples, isWriter, onRetry: onRetry('signal levels') },
    intervalMs: limits.signalWriteMs,
  });
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

/** Samples of a live view that exists only while this process writes them. `stored`: samples of the store, which know more than the log. */
export function ownSignals(log: EventLog, codecs: Codecs, stored: SignalRestore['stored'], onFailed: (error: unknown) => void) {
  const { value, stop } = whileWriting((signal) => {
    const history = new SignalHistory();
    const view = followView(log, codecs, { clock: () => Date.now(), signal, onSnapshot: history.note });
    const restored = view.ready.then(() => restoreSignal(history, { log, codecs, stored, signal }));
    const samples = (): readonly SignalSample[] => history.samples(view.current()?.times.nowMs ?? 0);
    return { value: samples, done: Promise.all([view.done, restored]) };
  }, onFailed);
  return { samples: () => value()(), stop };
}
