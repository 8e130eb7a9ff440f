// The fold as a process. Any number of folds share the partitions of the frames topic.
import { startFold } from '../services/fold-service.ts';
import { notCaughtUp } from '../services/lag.ts';
import { registerFoldMetrics } from '../services/stage-metrics.ts';
import { startOperationHttp } from './operation-http.ts';
import { keepStats, type ServiceDefinition } from './service-process.ts';

export const foldDefinition: ServiceDefinition<'fold'> = {
  name: 'fold',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    let behind = (): string | null => null;
    readiness.require('fold', () => behind());
    const http = await startOperationHttp({ http: options.http, registry, readiness, logger });
    closers.push(http.close);
    const fold = await startFold({ ...(await openCluster({ sessionMs: options.session })), receiver: options.receiver, logger });
    closers.unshift(fold.stop);
    const stats = keepStats(fold.stats, logger);
    closers.unshift(async () => stats.stop());
    registerFoldMetrics(registry, stats.newest);
    behind = () => notCaughtUp(fold, stats.newest());
    logger.info('joined the group of the folds');
    return { ended: fold.ended };
  },
};
