// The ingest as a process.
import { readSecretFile } from '../../pipeline/runtime/installation-secret.ts';
import { limits } from '../../schemas/limits/index.ts';
import { fittingConnections } from '../services/options/connection-limits.ts';
import { startIngest } from '../services/stages/ingest-service.ts';
import { registerIngestMetrics } from '../services/stages/stage-metrics.ts';
import type { ServiceDefinition } from './service-process.ts';

export const ingestDefinition: ServiceDefinition<'ingest'> = {
  name: 'ingest',
  async start({ options, instance, logger, registry, readiness, closers, openCluster }) {
    const secret = readSecretFile(options.secretFile!);
    const { feeders } = fittingConnections({ http: limits.operationConnectionsMax, feeders: options.feederConnections }, logger);
    const ingest = await startIngest({
      ...(await openCluster()),
      instance,
      secret,
      listen: options.listen,
      connectionsMax: feeders,
      connectionsPerAddressMax: options.feederConnectionsPerAddress,
      feeds: options.feed,
      logger,
    });
    closers.unshift(ingest.stop);
    registerIngestMetrics(registry, ingest.stats);
    readiness.require('backlog', () => (ingest.isCongested() ? 'too many frames are queued for Kafka' : null));
    readiness.require('appends', () => appendsWait(ingest.stats().appendAgeSeconds));
    logger.info({ listen: ingest.listening }, 'listening');
    return { ended: ingest.failed };
  },
};

function appendsWait(seconds: number): string | null {
  return 1000 * seconds <= limits.statisticsAgeMsMax
    ? null
    : `frames have been queued for Kafka for ${Math.floor(seconds)} s: no broker acknowledges them`;
}
