// The query API as a process. Each has the complete view.
import { access as canRead } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import { kafkaConnection, registryAccess } from '../../pipeline/log/cluster-options.ts';
import { readSecretFile } from '../../pipeline/runtime/installation-secret.ts';
import { historyClient as openHistoryClient } from '../../pipeline/store/client.ts';
import { historyAddress } from '../../pipeline/store/options.ts';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { PastService } from '../past/past-service.ts';
import { fittingConnections } from '../services/options/connection-limits.ts';
import { shownReceiver } from '../services/options/shown-receiver.ts';
import { openReadModel } from '../services/ways-in/read-model.ts';
import { startWaysIn } from '../services/ways-in/ways-in.ts';
import { openClusterAccess, watchSilence } from './cluster-access.ts';
import type { UpstreamValues } from './configuration.ts';
import type { ServiceDefinition } from './service-process.ts';

export const queryApiDefinition: ServiceDefinition<'query-api'> = {
  name: 'query-api',
  hasApi: true,
  async start({ options, instance, logger, registry, readiness, closers, openCluster }) {
    const secret = readSecretFile(options.secretFile!);
    const { log, codecs } = await openCluster();
    const context = { secret, log, codecs, registry, logger, readiness };
    const { access, feeders, line, failed } = await openClusterAccess(options, context, closers);
    watchSilence(readiness, log);
    const past = new PastService(
      {
        source: {
          kind: 'cluster',
          kafka: kafkaConnection(options, `squitter-query-api-${instance}-past`),
          registry: registryAccess(options),
          namePrefix: options.kafkaPrefix,
        },
        partitions: log.partitions('frames'),
        referenceFolder: options.reference,
        simulatedAircraft: 0,
      },
      { logger, registry, closers },
    );
    const address = historyAddress(options);
    const historyClient = address === null ? null : openHistoryClient(address);
    if (historyClient !== null) closers.push(() => historyClient.close());
    const model = await openReadModel(
      {
        ...{ log, codecs, registry, logger, readiness, past, historyClient },
        site: shownReceiver(options),
        referenceFolder: options.reference,
        hasTracks: true,
      },
      closers,
    );
    const wanted = {
      http: options.httpConnections,
      push: options.pushUpstream.length === 0 ? 0 : options.pushConnections,
      grpc: options.grpcConnections,
    };
    const connectionsMax = fittingConnections(wanted, logger);
    const { http, grpc } = await startWaysIn(
      model,
      options,
      {
        ...{ registry, logger, readiness, access, feeders, connectionsMax },
        handOver: handOverTo(options, connectionsMax.push),
        catalog: await catalogOf(options.bulkDir, logger),
        info: () => ({
          simulated: options.simulated,
          feederAddress: options.feederAddress === null ? null : String(options.feederAddress),
        }),
      },
      closers,
    );
    closers.unshift(async () => past.stop());
    logger.info({ http, grpc: String(grpc), access: line }, 'listening');
    return { ended: Promise.race([model.ended, failed]) };
  },
};

/** The daily files in a folder that the export service fills. It is read at each request, so it may come later. Null without a folder. */
async function catalogOf(folder: string | null, logger: Logger): Promise<Catalog | null> {
  if (folder === null) return null;
  await canRead(folder).catch((error: unknown) =>
    logger.warn(
      { folder, error: String(error) },
      'the folder of the daily files cannot be read: no day is listed under /bulk/ until it can',
    ),
  );
  return new Catalog(folder);
}

/** Hands streams over to the push services, to one after the other. Null without any. */
function handOverTo({ pushUpstream, pushSecret }: UpstreamValues, connectionsMax: number): HandOver | null {
  if (pushUpstream.length === 0 || pushSecret === null) return null;
  let turn = 0;
  return new HandOver(connectionsMax, async () => {
    turn = (turn + 1) % pushUpstream.length;
    return { addresses: [...pushUpstream.slice(turn), ...pushUpstream.slice(0, turn)], hop: pushSecret };
  });
}
