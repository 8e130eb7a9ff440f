// Writes the history of the embedded service: the project stage in a thread of its own, and the signal levels of the live view. Live aircraft do
// not depend on it: a thread that fails is started again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';
import type { HistoryClient } from '../../pipeline/store/client.ts';
import type { SignalSample } from '../../pipeline/view/signal-history.ts';
import type { Closer } from '../services/closing.ts';
import { startSampleWriting } from '../services/history/signal-writing.ts';
import { historyProblem, type ProjectStats } from '../services/stages/project-service.ts';
import { registerProjectMetrics } from '../services/stages/stage-metrics.ts';
import type { ProjectThreadData } from './project-thread.ts';
import { startThread, type WriterLogOptions, type WriterStats } from './thread-host.ts';

const RESTART_MS = 5000;

export interface HistoryWritingContext {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: Readiness;
  /** Open as long as the writing. */
  readonly main: { readonly log: EventLog; readonly codecs: Codecs };
  /** Complete samples of the live view. */
  readonly signals: () => readonly SignalSample[];
}

const threadFile = programFile('infra/embedded/project-thread');

/** Does nothing without a store. Returns the newest statistics of the thread; null while it does not run. */
export function startHistoryWriting(client: HistoryClient | null, context: HistoryWritingContext, closers: Closer[]) {
  const { dataDir, log, main, registry, logger, readiness, signals } = context;
  if (client === null) return () => null;
  const thread = new KeptThread(threadFile, { dataDir, log, address: client.address }, logger);
  registerProjectMetrics(registry, () => thread.stats);
  readiness.warn('project', () => thread.failure ?? historyProblem(thread.stats));
  closers.unshift(() => thread.stop());
  const writer = storeWriter(client);
  closers.unshift(startSampleWriting({ ...main, writer, samples: signals, isWriter: () => true, registry, logger }));
  return () => thread.stats;
}

export class KeptThread {
  stats: WriterStats<ProjectStats> | null = null;
  /** Why the newest thread failed; null while one runs. */
  failure: string | null = null;
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;

  constructor(file: URL, data: ProjectThreadData, logger: Pick<Logger, 'info' | 'warn'>) {
    this.ended = this.run(file, data, logger);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async run(file: URL, data: ProjectThreadData, logger: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    const { signal } = this.stopping;
    const lines = new LogLimiter((_, fields, message) => logger.warn(fields, message));
    for (; !signal.aborted; await sleep(RESTART_MS, undefined, { signal }).catch(() => undefined)) {
      try {
        const thread = await startThread<WriterStats<ProjectStats>>('project', file, data, logger, (stats) => {
          this.stats = stats;
        });
        this.failure = null;
        await Promise.race([thread.failed, aborted(signal)]);
        await thread.stop();
      } catch (error) {
        if (signal.aborted) break;
        this.stats = null;
        const text = error instanceof Error ? error.message : String(error);
        this.failure = `the thread that writes the history failed: ${text}`;
        lines.line('warn', { error: text }, 'the thread that writes the history failed; another one is started');
      }
    }
    lines.flush();
  }
}
