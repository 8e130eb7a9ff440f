// The query API as a process. Each has the complete view.
import type { Endpoint } from '../../pipeline/runtime/options.ts';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { limits } from '../../schemas/limits.ts';
import { fittingConnections } from '../services/connection-limits.ts';
import { startHttp } from '../services/http-service.ts';
import { openReadModel } from '../services/read-model.ts';
import { shownReceiver } from '../services/shown-receiver.ts';
import { openRedis } from './redis.ts';
import type { ServiceDefinition } from './service-process.ts';

export const queryApiDefinition: ServiceDefinition<'query-api'> = {
  name: 'query-api',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    const redis = openRedis(options, registry, logger);
    if (redis !== null) closers.push(redis.close);
    const { log, codecs } = await openCluster();
    const silence = (ms: number): string | null =>
      log.silentMs <= ms ? null : `Kafka has not responded for ${Math.floor(log.silentMs / 1000)} s: the data are not current`;
    // Responses continue with the newest known data until they are too old.
    readiness.warn('kafka', () => silence(limits.statisticsAgeMsMax)).require('kafka', () => silence(limits.snapshotAgeMsMax));
    const model = await openReadModel(
      { log, codecs, registry, logger, readiness, site: shownReceiver(options), referenceFolder: options.reference },
      closers,
    );
    const { http: connectionsMax } = fittingConnections({ http: options.httpConnections, feeders: 0 }, logger);
    const http = await startHttp(
      model,
      {
        ...{ registry, logger, readiness },
        ...(options.pushUpstream.length === 0 ? {} : { handOver: handOverTo(options.pushUpstream, options.pushSecret!, connectionsMax) }),
        http: options.http,
        connectionsMax,
        baseUrl: options.baseUrl,
        info: () => ({
          simulated: options.simulated,
          feederAddress: options.feederAddress === null ? null : String(options.feederAddress),
        }),
      },
      closers,
    );
    logger.info({ http }, 'listening');
    return { ended: model.ended };
  },
};

/** At most half of the connections, because each takes a second descriptor. A connection goes to the push services in turn. */
function handOverTo(services: readonly Endpoint[], hop: string, connectionsMax: number): HandOver {
  let next = 0;
  return new HandOver(Math.ceil(connectionsMax / 2), async () => {
    next = (next + 1) % services.length;
    return { addresses: [...services.slice(next), ...services.slice(0, next)], hop };
  });
}
