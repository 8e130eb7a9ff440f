// The parts of the service that read the log. They are half of its code, so they are loaded while the log opens and its threads start on another processor.
export { collectDefaultMetrics, Registry } from 'prom-client';
export { Catalog } from '../../exporters/catalog/catalog.ts';
export { HandOver } from '../../query-api/http/connections/hand-over.ts';
export { whyNotReady } from '../../query-api/queries/freshness.ts';
export { PastService } from '../past/past-service.ts';
export { accessLine } from '../services/access/access-service.ts';
export { registerFlightsMetrics, registerFoldMetrics, registerIngestMetrics } from '../services/stages/stage-metrics.ts';
export { startOutputs } from '../services/ways-in/outputs-service.ts';
export { startPush } from '../services/ways-in/push-service.ts';
export { openReadModel } from '../services/ways-in/read-model.ts';
export { startWaysIn } from '../services/ways-in/ways-in.ts';
export { announceLive, banner } from './banner.ts';
export { publishDays } from './daily-files.ts';
export { openEmbeddedAccess } from './embedded-access.ts';
export { startHistory } from './history.ts';
export { startHistoryWriting } from './history-writing.ts';
