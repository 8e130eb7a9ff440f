// The flights stage as a process. Any number of stages share the partitions of the aircraft topic.

import { startFlights } from '../services/flights-service.ts';
import { notCaughtUp } from '../services/lag.ts';
import { registerFlightsMetrics } from '../services/stage-metrics.ts';
import { startOperationHttp } from './operation-http.ts';
import { keepStats, type ServiceDefinition } from './service-process.ts';

export const flightsDefinition: ServiceDefinition<'flights'> = {
  name: 'flights',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    let behind = (): string | null => null;
    readiness.require('flights', () => behind());
    const http = await startOperationHttp({ http: options.http, registry, readiness, logger });
    closers.push(http.close);
    const cluster = await openCluster({ sessionMs: options.session });
    const flights = await startFlights({
      ...cluster,
      referenceFolder: options.reference,
      logger: { info: (fields, text) => logger.info(fields, text), warn: (fields, text) => logger.warn(fields, text) },
    });
    closers.unshift(flights.stop);
    const stats = keepStats(flights.stats, logger);
    closers.unshift(async () => stats.stop());
    registerFlightsMetrics(registry, stats.newest);
    behind = () => notCaughtUp(flights, stats.newest());
    logger.info('joined the group of the flights stages');
    return { ended: flights.ended };
  },
};
