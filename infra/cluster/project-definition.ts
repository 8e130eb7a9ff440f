// The project stage as a process. Any number of stages share the partitions of the positions topic and of ended flights.
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { historyAddress } from '../../pipeline/store/options.ts';
import { freeBytes } from '../../pipeline/store/retention.ts';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { storedSignal } from '../../query-api/queries/history/signal-samples.ts';
import { limits } from '../../schemas/limits/index.ts';
import { HistoryKeeper, withinDisk } from '../services/history/history-keeper.ts';
import { registerKeeperMetrics } from '../services/history/history-metrics.ts';
import { ownSignals, startSampleWriting } from '../services/history/signal-writing.ts';
import { historyProblem, startProject } from '../services/stages/project-service.ts';
import { registerProjectMetrics } from '../services/stages/stage-metrics.ts';
import { keepStats, type ServiceDefinition } from './service-process.ts';

const GIB = 1024 ** 3;

export const projectDefinition: ServiceDefinition<'project'> = {
  name: 'project',
  async start(context) {
    const { options, logger, registry, readiness, closers, openCluster } = context;
    let problem = (): string | null => null;
    // No other service depends on this one: it is not ready while the store is away, and loses nothing.
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
    const signals = ownSignals(cluster.log, cluster.codecs, stored, (error) =>
      lines.line('warn', { error: String(error) }, 'the live view of the signal history failed and is opened again'),
    );
    closers.unshift(() => signals.stop());
    const isWriter = (): boolean => {
      if (project.isFirst()) return true;
      void signals.stop();
      return false;
    };
    closers.unshift(startSampleWriting({ ...cluster, writer, samples: signals.samples, isWriter, registry, logger }));
    const wanted = options.historyGib === null ? null : options.historyGib * GIB;
    const keeper = new HistoryKeeper({
      ...{ client, logger, daysMax: options.historyDays, isKeeper: project.isFirst },
      bytesMax: async (used) => withinDisk(wanted, used, await freeBytes(client), limits.serverDiskRatio),
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
