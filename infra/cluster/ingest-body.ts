// The ingest as a process of its own.
import { startIngest } from '../services/ingest-service.ts';
import { registerIngestMetrics } from '../services/pipeline-metrics.ts';
import { startOperationHttp } from './operation-http.ts';
import type { ServiceBody } from './service-process.ts';

export const ingestBody: ServiceBody<'ingest'> = {
  name: 'ingest',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    let isConnected = false;
    readiness.require('kafka', () => (isConnected ? null : 'it is connecting to Kafka'));
    const http = await startOperationHttp({ http: options.http, registry, readiness });
    closers.push(http.close);
    const ingest = await startIngest({ ...(await openCluster()), listen: options.listen, feeds: options.feed, logger });
    closers.unshift(ingest.stop);
    registerIngestMetrics(registry, ingest.stats);
    readiness.require('backlog', () => (ingest.isCongested() ? 'more frames wait for Kafka than should' : null));
    isConnected = true;
    logger.info({ http: http.address, listen: ingest.listening }, 'listening');
    return { ended: ingest.failed };
  },
};
