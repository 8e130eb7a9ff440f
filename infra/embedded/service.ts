// The whole service in one process: view and HTTP in the main thread, ingest in one worker thread, fold and flights in one or more. They share data only through the log.

import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import { checkFrameFile } from '../../pipeline/ingest/file-reader.ts';
import { createChanges } from '../../pipeline/log/lmdb/changes.ts';
import { checkDiskSize } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { SpaceReport } from '../../pipeline/log/lmdb/space.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { referenceFolder } from '../../pipeline/reference/open-reference.ts';
import { collect, collectEvery } from '../../pipeline/runtime/full-collections.ts';
import type { Endpoint } from '../../pipeline/runtime/options.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { tuneForFeeders } from '../../pipeline/runtime/v8-flags.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { whyNotReady } from '../../query-api/queries/why-not-ready.ts';
import { FRAME_PARTITIONS_EMBEDDED } from '../../schemas/topics.ts';
import { PastService } from '../past/past-service.ts';
import { accessLine } from '../services/access/access-service.ts';
import { type Closer, closeAll } from '../services/closing.ts';
import { serviceLogger } from '../services/logging.ts';
import { fittingConnections } from '../services/options/connection-limits.ts';
import { bulkFolder } from '../services/options/export-options.ts';
import { LISTEN_DEFAULT, UNKNOWN_VARIABLE_LINE } from '../services/options/shared-options.ts';
import { shownReceiver } from '../services/options/shown-receiver.ts';
import { simulatedTypes, withSimulatedTypes } from '../services/simulated-facts.ts';
import { endedSimulation } from '../services/simulation-start.ts';
import type { IngestStats } from '../services/stages/ingest-service.ts';
import type { ProjectStats } from '../services/stages/project-service.ts';
import { registerFlightsMetrics, registerFoldMetrics, registerIngestMetrics } from '../services/stages/stage-metrics.ts';
import { outputConnectionsMax, startOutputs } from '../services/ways-in/outputs-service.ts';
import { startPush } from '../services/ways-in/push-service.ts';
import { openReadModel } from '../services/ways-in/read-model.ts';
import { startWaysIn } from '../services/ways-in/ways-in.ts';
import { announceLive, banner } from './banner.ts';
import { publishDays } from './daily-files.ts';
import { openEmbeddedAccess } from './embedded-access.ts';
import { startHistory } from './history.ts';
import { startHistoryWriting } from './history-writing.ts';
import type { IngestThreadData } from './ingest-thread.ts';
import { LogDamageWatch } from './log-damage.ts';
import { LogSpaceWatch } from './log-space.ts';
import { startStages } from './stages.ts';
import type { StagesStats } from './stages-thread.ts';
import { bytesMaxOf, foldThreadsOf, listenFlag, type StartValues, simulatedAircraftOf } from './start-options.ts';
import { startThread, type WriterLogOptions, type WriterStats } from './thread-host.ts';

const MIB = 1024 ** 2;
const MAINTENANCE_INTERVAL_MS = 5000;
/** A collection of the main thread's heap takes 20 ms, at 20,000 aircraft 70 ms; between two of them 500 aircraft leave 1 to 2 MB of garbage in the old space. */
const COLLECTION_INTERVAL_MS = 5 * 60_000;

export interface ServiceIo {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Stops the service. */
  readonly signal: AbortSignal;
  /** Unknown environment variables with our prefix. Each causes a warning. */
  readonly unknownVariables: readonly string[];
}

/** Runs until the signal. Resolves when everything is drained and closed. Errors: those of the log and of listening, `worker.failed`. */
export async function runService(options: StartValues, io: ServiceIo): Promise<void> {
  if (options.replay !== null) await checkFrameFile(options.replay);
  const logger = serviceLogger(io.stderr, { base: null });
  for (const name of io.unknownVariables) logger.warn({ name }, UNKNOWN_VARIABLE_LINE);
  /** Closed in this order: producers before consumers. */
  const closers: Closer[] = [];
  try {
    await run(options, io, logger, closers);
    logger.info('stopping: received frames are folded first');
  } finally {
    await closeAll(closers, logger);
  }
  logger.info('stopped');
}

async function run(options: StartValues, io: ServiceIo, logger: Logger, closers: Closer[]): Promise<void> {
  const simulatedAircraft = simulatedAircraftOf(options);
  const site = shownReceiver(options);
  let space: LogSpaceWatch | null = null;
  const met = () => [log.damages(), past.damages(), ...writers().map((stats) => stats?.damages)];
  const damage = new LogDamageWatch(logger, met, (topic, partition) => log.bounds(topic, partition));
  const writing = writerOptions(options);
  const { log, codecs } = await openLog(options, writing, logger, damage, (report) => space?.update(report));
  closers.unshift(() => log.close());
  closers.unshift(async () => damage.close());

  const registry = new Registry();
  // CPU, memory, event loop and garbage collection of the process, with prom-client's standard names.
  collectDefaultMetrics({ register: registry });
  let stagesStats: StagesStats | null = null;
  let ingestStats: WriterStats<IngestStats> | null = null;
  let projectStats = (): WriterStats<ProjectStats> | null => null;
  registerFoldMetrics(registry, () => stagesStats?.fold ?? null);
  registerIngestMetrics(registry, () => ingestStats);
  registerFlightsMetrics(registry, () => stagesStats?.flights ?? null);
  const wanted = {
    ...{ http: options.httpConnections, feeders: options.feederConnections },
    ...{ push: options.pushConnections, grpc: options.grpcConnections },
  };
  const connectionsMax = fittingConnections(wanted, logger, outputConnectionsMax(options));
  let starting = true;
  const readiness = new Readiness().require('start', () => (starting ? 'the states of the fold are being restored' : null));
  const writers = () => [stagesStats?.fold, ingestStats, stagesStats?.flights, projectStats()];
  const logSpace = new LogSpaceWatch(log, logger, () => writers().map((stats) => stats?.held ?? null), await log.space());
  space = logSpace;
  logSpace.register(registry);
  damage.register(registry);
  const reasons = { heldReason: () => logSpace.reason(), feedAdvice: () => endedSimulation(simulatedAircraft, ingestStats) };
  readiness.require('disk', reasons.heldReason).require('log', () => damage.reason());
  readiness.warn('simulation', reasons.feedAdvice);
  // Closed after all that read and write history.
  const history = await startHistory(options, { registry, logger, readiness }, closers);
  const pastData = { partitions: log.partitions('frames'), referenceFolder: referenceFolder(options.data), simulatedAircraft };
  const past = new PastService({ ...pastData, source: { kind: 'data', dataDir: options.data } }, { logger, registry, closers });
  const types = await simulatedTypes(simulatedAircraft);
  const model = await openReadModel(
    {
      ...{ log, codecs, registry, logger, readiness, past, ...reasons },
      site,
      referenceFolder: referenceFolder(options.data),
      hasTracks: true,
      historyClient: history.client,
      factsOf: (reference) => withSimulatedTypes(reference, types, () => (ingestStats?.simulatedAircraft ?? simulatedAircraft) > 0),
    },
    closers,
  );
  const {
    access,
    feeders,
    failed: feedersFailed,
  } = await openEmbeddedAccess(options, { log, codecs, registry, readiness, logger }, closers);
  const info = () => ({ simulated: (ingestStats?.simulatedAircraft ?? 0) > 0, feederAddress: String(options.listen ?? LISTEN_DEFAULT) });
  const handOver = new HandOver(connectionsMax.push);
  const catalog = new Catalog(bulkFolder(options.data));
  const waysInContext = { access, feeders, connectionsMax, registry, logger, readiness, info, handOver, catalog };
  const waysIn = await startWaysIn(model, options, waysInContext, closers);
  // Closed before HTTP, which has connections that it handed over.
  const push = await startPush(model, { values: options, socketsMax: connectionsMax.push, access, registry, logger }, closers);
  handOver.upstream = async () => push.upstream;
  const outputs = await startOutputs(options, { view: model.view, log, codecs, registry, logger }, closers);

  const signals = () => model.signals.samples(model.view.current()?.times.nowMs ?? 0);
  const writingContext = { main: { log, codecs }, log: writing, registry, logger, readiness, signals };
  projectStats = startHistoryWriting(history.client, { dataDir: options.data, ...writingContext }, closers);
  const startWorker = workerStarter(logger, closers);
  const stagesOptions = { dataDir: options.data, log: writing, receiver: options.receiver };
  const stages = await startStages(usefulThreads(options, log.partitions('frames'), logger), stagesOptions, startWorker, (stats) => {
    stagesStats = stats;
  });
  if (simulatedAircraft === 0) tuneForFeeders();
  const ingestOptions = ingestData(options, writing, connectionsMax.feeders, simulatedAircraft);
  const ingest = await startWorker<WriterStats<IngestStats>>('ingest', ingestThreadFile, ingestOptions, (stats) => {
    ingestStats = stats;
    logSpace.logHold();
    damage.update();
  });

  await publishDays(options, { log, registry, logger, readiness, hasHistory: history.client !== null }, closers);
  closers.unshift(async () => past.stop());
  // Frees what the start leaves behind, 5 to 10 MB.
  collect();
  const endCollections = collectEvery(COLLECTION_INTERVAL_MS);
  closers.unshift(async () => endCollections());
  starting = false;
  const [listening, disk] = [ingest.info['listen']!, logSpace.summary()];
  io.stdout.write(banner(options, { ...outputs, ...waysIn, push, listening, disk, history: history.summary, access: accessLine(options) }));
  void announceLive(waysIn.http, () => whyNotReady(model, readiness)?.message ?? null, io);
  await Promise.race([aborted(io.signal), stages.failed, ingest.failed, model.ended, outputs.failed, feedersFailed]);
}

/** Starts worker threads, which are stopped in the opposite order. */
function workerStarter(logger: Logger, closers: Closer[]) {
  return async <Stats>(name: string, file: URL, data: unknown, onStats: (stats: Stats) => void) => {
    const thread = await startThread<Stats>(name, file, data, logger, onStats);
    closers.unshift(() => thread.stop());
    return thread;
  };
}

function openLog(
  options: StartValues,
  writing: WriterLogOptions,
  logger: Logger,
  damage: LogDamageWatch,
  onSpace: (report: SpaceReport) => void,
) {
  checkDiskSize(options.data);
  return openData(options.data, 'write', {
    maintenanceIntervalMs: MAINTENANCE_INTERVAL_MS,
    ...writing,
    framePartitionsIfNew: Math.max(FRAME_PARTITIONS_EMBEDDED, foldThreadsOf(options)),
    retention: Object.fromEntries(Object.entries(bytesMaxOf(options)).map(([topic, bytesMax]) => [topic, { bytesMax }])),
    onMaintenance: (report) => logger.debug(report, 'log maintenance'),
    onSpace,
    onError: damage.failed,
    onAside: damage.aside,
    onPowerLoss: (records) => logger.warn({ records }, 'records after the newest checkpoint were lost in a power failure'),
  });
}

const ingestThreadFile = programFile('infra/embedded/ingest-thread');

/** A thread without a partition is of no use: an existing folder keeps its number of partitions. */
function usefulThreads(options: StartValues, partitions: number, logger: Logger): number {
  const threads = foldThreadsOf(options);
  if (options.foldThreads !== null && threads > partitions)
    logger.warn(
      { threads, partitions },
      `the data folder has fewer partitions than threads: \`squitter log partitions ${threads}\` changes that`,
    );
  return Math.min(threads, partitions);
}

function writerOptions({ diskReserveMib }: StartValues): WriterLogOptions {
  return { changes: createChanges(), ...(diskReserveMib === null ? {} : { diskReserveBytes: diskReserveMib * MIB }) };
}

function ingestData(options: StartValues, log: WriterLogOptions, connectionsMax: number, simulatedAircraft: number): IngestThreadData {
  // A message to a thread has no functions.
  const plain = ({ host, port }: Endpoint) => ({ host, port });
  return {
    dataDir: options.data,
    log,
    listen: plain(options.listen ?? LISTEN_DEFAULT),
    listenFlag: listenFlag(options.listen, simulatedAircraft),
    connectionsMax,
    connectionsPerAddressMax: options.feederConnectionsPerAddress,
    feeds: options.feed.map(plain),
    replayFile: options.replay,
    simulatedAircraft,
    // If the simulation was not requested, the first feeder ends it.
    simulationYields: options.simulate === null,
  };
}
