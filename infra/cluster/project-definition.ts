// The project stage as a process. Any number of stages share the partitions of the positions topic and of ended flights.
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { historyAddress } from '../../pipeline/store/options.ts';
import { registerProjectMetrics } from '../services/project-metrics.ts';
import { historyProblem, startProject } from '../services/project-service.ts';
import { startOperationHttp } from './operation-http.ts';
import { keepStats, type ServiceDefinition } from './service-process.ts';

export const projectDefinition: ServiceDefinition<'project'> = {
  name: 'project',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    let problem = (): string | null => null;
    // Nothing else depends on this service: it is not ready while the store is away, and loses nothing.
    readiness.require('project', () => problem());
    const http = await startOperationHttp({ http: options.http, registry, readiness });
    closers.push(http.close);
    const client = historyClient(historyAddress(options)!);
    closers.unshift(() => client.close());
    const cluster = await openCluster({ sessionMs: options.session });
    const project = await startProject({ ...cluster, writer: storeWriter(client, options.clickhouseEngines), logger });
    closers.unshift(project.stop);
    const stats = keepStats(project.stats, logger);
    closers.unshift(async () => stats.stop());
    registerProjectMetrics(registry, stats.newest);
    problem = () => historyProblem(stats.newest());
    logger.info({ http: http.address, clickhouse: options.clickhouse }, 'joined the groups of the project stages');
    return { ended: project.ended };
  },
};
