// The project stage as a process. Any number of stages share the partitions of the positions topic and of ended flights.
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { historyAddress } from '../../pipeline/store/options.ts';
import { freeBytes } from '../../pipeline/store/retention.ts';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { storedSignal } from '../../query-api/queries/history/signal-samples.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { startFeederWriting } from '../services/feeder-writing.ts';
import { HistoryKeeper, withinDisk } from '../services/history-keeper.ts';
import { registerKeeperMetrics } from '../services/history-metrics.ts';
import { historyProblem, startProject } from '../services/project-service.ts';
import { OwnSignals, startSignalWriting } from '../services/signal-writing.ts';
import { registerProjectMetrics } from '../services/stage-metrics.ts';
import { keepStats, type ServiceDefinition } from './service-process.ts';

const GIB = 1024 ** 3;

export const projectDefinition: ServiceDefinition<'project'> = {
  name: 'project',
  async start(context) {
    const { options, logger, registry, readiness, closers, openCluster } = context;
    let problem = (): string | null => null;
    // Nothing else depends on this service: it is not ready while the store is away, and loses nothing.
    readiness.require('project', () => problem());
    const client = historyClient(historyAddress(options)!);
    closers.unshift(() => client.close());
    const cluster = await openCluster({ sessionMs: options.session });
    const writer = storeWriter(client, options.clickhouseEngines);
    const project = await startProject({ ...cluster, writer, logger });
    closers.unshift(project.stop);
    const lines = new LogLimiter((level, fields, message) => logger[level](fields, message));
    const history = new HistoryStore(client);
    const stored = (endMs: number) => storedSignal({ history }, endMs).catch(() => []);
    const signals = new OwnSignals(cluster.log, cluster.codecs, stored, (error) =>
      lines.line('warn', { error: String(error) }, 'the live view of the signal history failed and is opened again'),
    );
    closers.unshift(() => signals.stop());
    const isWriter = (): boolean => {
      if (project.isFirst()) return true;
      void signals.stop();
      return false;
    };
    const onRetry = (error: unknown): void =>
      lines.line('warn', { error: String(error) }, 'the history store did not take signal levels: they are inserted again');
    closers.unshift(startSignalWriting({ writer, samples: signals.samples, isWriter, registry, onRetry }));
    const onFeederRetry = (error: unknown): void =>
      lines.line('warn', { error: String(error) }, 'the history store did not take counts of feeders: they are inserted again');
    closers.unshift(startFeederWriting({ ...cluster, writer, isWriter: project.isFirst, registry, onRetry: onFeederRetry }));
    const wanted = options.historyGib === null ? null : options.historyGib * GIB;
    const keeper = new HistoryKeeper({
      ...{ client, logger, daysMax: options.historyDays, isKeeper: project.isFirst },
      bytesMax: async (used) => withinDisk(wanted, used, await freeBytes(client), historyLimits.serverDiskRatio),
    });
    closers.unshift(() => keeper.stop());
    readiness.warn('history', () => keeper.problem());
    registerKeeperMetrics(registry, keeper);
    const newest = keepStats(project.stats, context);
    registerProjectMetrics(registry, newest);
    problem = () => historyProblem(newest());
    logger.info({ clickhouse: options.clickhouse }, 'joined the groups of the project stages');
    return { ended: project.ended };
  },
};
