// Fold and flights stage as processes. Any number of each share the partitions of their input topic.
import type { Registry } from 'prom-client';
import type { OpenCluster } from '../../pipeline/log/open-cluster.ts';
import { startFlights } from '../services/stages/flights-service.ts';
import { startFold } from '../services/stages/fold-service.ts';
import { notCaughtUp } from '../services/stages/lag.ts';
import type { Stage, StageStats } from '../services/stages/stage.ts';
import { registerFlightsMetrics, registerFoldMetrics } from '../services/stages/stage-metrics.ts';
import { keepStats, type ServiceContext, type ServiceDefinition } from './service-process.ts';

function stageDefinition<Name extends 'fold' | 'flights', Stats extends StageStats>(
  name: Name,
  startStage: (cluster: OpenCluster, context: ServiceContext<Name>) => Promise<Stage<Stats>>,
  register: (registry: Registry, newest: () => Stats | null) => void,
): ServiceDefinition<Name> {
  return {
    name,
    async start(context) {
      const { options, logger, registry, readiness, closers, openCluster } = context;
      let behind = (): string | null => null;
      readiness.require(name, () => behind());
      const stage = await startStage(await openCluster({ sessionMs: options.session }), context);
      closers.unshift(stage.stop);
      const newest = keepStats(stage.stats, context);
      register(registry, newest);
      behind = () => notCaughtUp(stage, newest());
      logger.info(`joined the group of the ${name} stages`);
      return { ended: stage.ended };
    },
  };
}

export const foldDefinition = stageDefinition(
  'fold',
  (cluster, { options, logger }: ServiceContext<'fold'>) => startFold({ ...cluster, receiver: options.receiver, logger }),
  registerFoldMetrics,
);

export const flightsDefinition = stageDefinition(
  'flights',
  (cluster, { options, logger }: ServiceContext<'flights'>) => startFlights({ ...cluster, referenceFolder: options.reference, logger }),
  registerFlightsMetrics,
);
