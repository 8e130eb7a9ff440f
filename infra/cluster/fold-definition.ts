// The fold as a process of its own: any number share the partitions of the frames topic.
import { limits } from '../../schemas/limits.ts';
import { type FoldService, type FoldStats, startFold } from '../services/fold-service.ts';
import type { PartitionLag } from '../services/lag.ts';
import { registerFoldMetrics } from '../services/pipeline-metrics.ts';
import { startOperationHttp } from './operation-http.ts';
import { keepStats, type ServiceDefinition } from './service-process.ts';

/** Further behind than this, a fold is not ready. */
const LAG_SECONDS_MAX = 5;

export const foldDefinition: ServiceDefinition<'fold'> = {
  name: 'fold',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    let behind = (): string | null => null;
    readiness.require('fold', () => behind());
    const http = await startOperationHttp({ http: options.http, registry, readiness });
    closers.push(http.close);
    const fold = await startFold({ ...(await openCluster({ sessionMs: options.session })), receiver: options.receiver, logger });
    closers.unshift(fold.stop);
    const stats = keepStats(fold.stats, logger);
    closers.unshift(async () => stats.stop());
    registerFoldMetrics(registry, stats.newest);
    behind = () => notCaughtUp(fold, stats.newest());
    logger.info({ http: http.address }, 'joined the folds');
    return { ended: fold.ended };
  },
};

/** Why a fold is not caught up, null where it is; a fold that has no partition, because others have them all, is. */
export function notCaughtUp(fold: Pick<FoldService, 'owned' | 'hasShare'>, stats: FoldStats | null): string | null {
  if (!fold.hasShare()) return 'it waits for its share of the partitions';
  const { partitions, restored } = fold.owned();
  if (restored < partitions) return `${partitions - restored} of ${partitions} partitions are being restored`;
  const lag = stats?.lag ?? [];
  const unknown = lag.filter(({ records, ageSeconds }) => records === null && 1000 * ageSeconds > limits.statisticsAgeMsMax);
  if (unknown.length > 0) {
    const seconds = Math.floor(Math.max(...unknown.map(({ ageSeconds }) => ageSeconds)));
    return `how far partitions ${numbers(unknown)} are behind is unknown: Kafka has not answered for ${seconds} s`;
  }
  const behind = lag.filter(({ seconds }) => (seconds ?? 0) > LAG_SECONDS_MAX);
  return behind.length === 0 ? null : `partitions ${numbers(behind)} are more than ${LAG_SECONDS_MAX} s behind`;
}

function numbers(lags: readonly PartitionLag[]): string {
  return lags.map(({ partition }) => partition).join(', ');
}
