// The query API as a process. Each has the complete view.
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { limits } from '../../schemas/limits.ts';
import { fittingWithSubscribers } from '../services/connection-limits.ts';
import { startHttp } from '../services/http-service.ts';
import { openReadModel } from '../services/read-model.ts';
import { shownReceiver } from '../services/shown-receiver.ts';
import type { UpstreamValues } from './configuration.ts';
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
    const wanted = { http: options.httpConnections, feeders: 0, push: options.pushUpstream.length === 0 ? 0 : options.pushConnections };
    const connectionsMax = fittingWithSubscribers(wanted, logger);
    const handOver = handOverTo(options, connectionsMax.push);
    const http = await startHttp(
      model,
      {
        ...{ registry, logger, readiness },
        ...(handOver === null ? {} : { handOver }),
        http: options.http,
        connectionsMax: connectionsMax.http,
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

/** Hands streams over to the push services, to one after the other. Null without any. */
function handOverTo({ pushUpstream, pushSecret }: UpstreamValues, connectionsMax: number): HandOver | null {
  if (pushUpstream.length === 0 || pushSecret === null) return null;
  let turn = 0;
  return new HandOver(connectionsMax, async () => {
    turn = (turn + 1) % pushUpstream.length;
    return { addresses: [...pushUpstream.slice(turn), ...pushUpstream.slice(0, turn)], hop: pushSecret };
  });
}
