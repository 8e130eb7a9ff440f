// The whole service in one process: view and HTTP in the main thread, ingest in one worker thread, fold and flights in another. They share data only through the log.
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { checkFrameFile } from '../../pipeline/ingest/file-reader.ts';
import { checkDiskSize } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { SpaceReport } from '../../pipeline/log/lmdb/space.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { referenceFolder } from '../../pipeline/reference/open-reference.ts';
import { collectEvery } from '../../pipeline/runtime/full-collections.ts';
import type { Endpoint } from '../../pipeline/runtime/options.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { tuneForFeeders } from '../../pipeline/runtime/v8-flags.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';
import { fleetTypes } from '../../pipeline/simulate/fleet-types.ts';
import { fleetOf } from '../../pipeline/simulate/traffic.ts';
import { PastService } from '../past/past-service.ts';
import { accessLine } from '../services/access-service.ts';
import { type Closer, closeAll } from '../services/closing.ts';
import { fittingConnections } from '../services/connection-limits.ts';
import { errorFields } from '../services/error-fields.ts';
import type { IngestStats } from '../services/ingest-service.ts';
import { logTarget } from '../services/log-lines.ts';
import { outputConnectionsMax, startOutputs } from '../services/outputs-service.ts';
import { openReadModel } from '../services/read-model.ts';
import { UNKNOWN_VARIABLE_LINE } from '../services/shared-options.ts';
import { SIMULATION_SEED } from '../services/simulation-start.ts';
import { registerFlightsMetrics, registerFoldMetrics, registerIngestMetrics } from '../services/stage-metrics.ts';
import { announceLive, banner } from './banner.ts';
import { publishDays } from './daily-files.ts';
import { openEmbeddedAccess } from './embedded-access.ts';
import { startHistory } from './history.ts';
import { type HistoryWriting, startHistoryWriting } from './history-writing.ts';
import type { IngestThreadData } from './ingest-thread.ts';
import { LogDamageWatch } from './log-damage.ts';
import { LogSpaceWatch } from './log-space.ts';
import type { ServiceIo, ServiceOptions } from './service-options.ts';
import { withSimulatedTypes } from './simulated-facts.ts';
import { endedSimulation } from './simulation.ts';
import type { StagesStats, StagesThreadData } from './stages-thread.ts';
import { startThread, type ThreadHandle, type ThreadHandlers } from './thread-host.ts';
import type { WriterLogOptions, WriterStats } from './thread-protocol.ts';
import { startWaysIn } from './ways-in.ts';

const MAINTENANCE_INTERVAL_MS = 5000;
/** A collection of the main thread's heap takes 20 ms, at 20,000 aircraft 70 ms; between two of them 500 aircraft leave 1 to 2 MB of garbage in the old space. */
const COLLECTION_INTERVAL_MS = 5 * 60_000;

/** Runs until the signal. Resolves when everything is drained and closed. Errors: those of the log and of listening, `worker.failed`. */
export async function runService(options: ServiceOptions, io: ServiceIo): Promise<void> {
  if (options.replayFile !== null) await checkFrameFile(options.replayFile);
  const logger = pino({ base: null, timestamp: stdTimeFunctions.isoTime, serializers: { err: errorFields } }, logTarget(io.stderr));
  for (const name of options.unknownVariables) logger.warn({ name }, UNKNOWN_VARIABLE_LINE);
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

async function run(options: ServiceOptions, io: ServiceIo, logger: Logger, closers: Closer[]): Promise<void> {
  let space: LogSpaceWatch | null = null;
  const met = () => [log.damages(), past.damages(), ...writers().map((stats) => stats?.damages)];
  const damage = new LogDamageWatch(logger, met, (topic, partition) => log.bounds(topic, partition));
  const { log, codecs } = await openLog(options, logger, damage, (report) => space?.take(report));
  closers.unshift(() => log.close());
  closers.unshift(async () => damage.close());
  const endCollections = collectEvery(COLLECTION_INTERVAL_MS);
  closers.unshift(async () => endCollections());

  const registry = new Registry();
  // CPU, memory, event loop and garbage collection of the process, with prom-client's standard names.
  collectDefaultMetrics({ register: registry });
  let stagesStats: StagesStats | null = null;
  let ingestStats: WriterStats<IngestStats> | null = null;
  let writing: HistoryWriting | null = null;
  registerFoldMetrics(registry, () => stagesStats?.fold ?? null);
  registerIngestMetrics(registry, () => ingestStats);
  registerFlightsMetrics(registry, () => stagesStats?.flights ?? null);
  const connectionsMax = fittingConnections(options.connectionsMax, logger, outputConnectionsMax(options.outputs));
  let starting = true;
  const readiness = new Readiness().require('start', () => (starting ? 'the states of the fold are being restored' : null));
  const writers = () => [stagesStats?.fold, ingestStats, stagesStats?.flights, writing?.stats()];
  const logSpace = await LogSpaceWatch.open(log, logger, () => writers().map((stats) => stats?.held ?? null));
  space = logSpace;
  logSpace.register(registry);
  damage.register(registry);
  const reasons = { heldReason: () => logSpace.reason(), feedAdvice: () => endedSimulation(options, ingestStats) };
  readiness.require('disk', reasons.heldReason).require('log', () => damage.reason());
  readiness.warn('simulation', reasons.feedAdvice);
  // Closed after all that read and write history.
  const history = await startHistory(options.history, { ...options, registry, logger, readiness }, closers);
  const past = openPast(options, log.partitions('frames'), { logger, registry, closers });
  const model = await openReadModel(
    {
      ...{ log, codecs, registry, logger, readiness, past, ...reasons },
      site: options.shownReceiver,
      referenceFolder: referenceFolder(options.dataDir),
      hasTracks: true,
      historyClient: history.client,
      factsOf: (reference) =>
        withSimulatedTypes(reference, simulatedTypes(options), () => (ingestStats?.simulatedAircraft ?? options.simulatedAircraft) > 0),
    },
    closers,
  );
  const {
    access,
    feeders,
    failed: feedersFailed,
  } = await openEmbeddedAccess(options, { log, codecs, registry, readiness, logger }, closers);
  const info = () => ({ simulated: (ingestStats?.simulatedAircraft ?? 0) > 0, feederAddress: String(options.listen) });
  const waysIn = await startWaysIn(model, options, { access, feeders, connectionsMax, registry, logger, readiness, info }, closers);
  const outputs = await startOutputs(options.outputs, { view: model.view, log, codecs, registry, logger }, closers);

  const signals = () => model.signals.samples(model.view.current()?.times.nowMs ?? 0);
  const writingContext = { main: { log, codecs }, log: writerOptions(options), registry, logger, readiness, signals };
  writing = startHistoryWriting(history.client, { dataDir: options.dataDir, ...writingContext }, closers);
  const startWorker = workerStarter(logger, closers);
  const stages = await startWorker<StagesStats>('stages', stagesThreadFile, stagesData(options), (stats) => {
    stagesStats = stats;
  });
  if (options.simulatedAircraft === 0) tuneForFeeders();
  const ingestOptions = ingestData(options, connectionsMax.feeders);
  const ingest = await startWorker<WriterStats<IngestStats>>('ingest', ingestThreadFile, ingestOptions, (stats) => {
    ingestStats = stats;
    logSpace.logHold();
    damage.look();
  });

  await publishDays(options, { log, registry, logger, readiness, hasHistory: history.client !== null }, closers);
  closers.unshift(async () => past.stop());
  starting = false;
  const [listening, disk] = [ingest.info['listen']!, logSpace.summary()];
  io.stdout.write(
    banner(options, { ...outputs, ...waysIn, listening, disk, history: history.summary, access: accessLine(options.access) }),
  );
  void announceLive(waysIn.http, io);
  await Promise.race([aborted(io.signal), stages.failed, ingest.failed, model.ended, outputs.failed, feedersFailed]);
}

/** Starts worker threads, which are stopped in the opposite order. */
function workerStarter(logger: Logger, closers: Closer[]) {
  return async <Stats>(name: string, file: URL, data: unknown, onStats: (stats: Stats) => void): Promise<ThreadHandle> => {
    const thread = await startThread<Stats>(name, file, data, { ...logTo(logger), onStats });
    closers.unshift(() => thread.stop());
    return thread;
  };
}

function openLog(options: ServiceOptions, logger: Logger, damage: LogDamageWatch, onSpace: (report: SpaceReport) => void) {
  checkDiskSize(options.dataDir);
  return openData(options.dataDir, 'write', {
    maintenanceIntervalMs: MAINTENANCE_INTERVAL_MS,
    ...writerOptions(options),
    retention: Object.fromEntries(Object.entries(options.bytesMax).map(([topic, bytesMax]) => [topic, { bytesMax }])),
    onMaintenance: (report) => logger.debug(report, 'log maintenance'),
    onSpace,
    onError: damage.failed,
    onAside: damage.aside,
    onPowerLoss: (records) => logger.warn({ records }, 'records after the newest checkpoint were lost in a power failure'),
  });
}

function simulatedTypes({ simulatedAircraft: aircraft }: ServiceOptions): ReadonlyMap<number, string> {
  return aircraft === 0 ? new Map() : fleetTypes(fleetOf({ aircraft, seed: SIMULATION_SEED }));
}

/** The past is folded in threads of its own, while somebody asks. */
function openPast(
  { dataDir, simulatedAircraft }: ServiceOptions,
  partitions: number,
  { logger, registry, closers }: { readonly logger: Logger; readonly registry: Registry; readonly closers: Closer[] },
): PastService {
  const data = { source: { kind: 'data', dataDir }, partitions, referenceFolder: referenceFolder(dataDir), simulatedAircraft } as const;
  const past = new PastService(data, logger);
  past.register(registry);
  closers.unshift(() => past.close());
  return past;
}

const stagesThreadFile = programFile('infra/embedded/stages-thread');
const ingestThreadFile = programFile('infra/embedded/ingest-thread');

function writerOptions({ diskReserveBytes }: ServiceOptions): WriterLogOptions {
  return diskReserveBytes === null ? {} : { diskReserveBytes };
}

function stagesData(options: ServiceOptions): StagesThreadData {
  const { dataDir, receiver } = options;
  return { dataDir, log: writerOptions(options), receiver };
}

function ingestData(options: ServiceOptions, connectionsMax: number): IngestThreadData {
  const { dataDir, listen: on, listenFlag, feeds, replayFile, simulatedAircraft, simulationYields } = options;
  const plain = ({ host, port }: Endpoint) => ({ host, port });
  return {
    dataDir,
    log: writerOptions(options),
    listen: plain(on),
    listenFlag,
    connectionsMax,
    connectionsPerAddressMax: options.feederConnectionsPerAddressMax,
    feeds: feeds.map(plain),
    replayFile,
    simulatedAircraft,
    simulationYields,
  };
}

function logTo(logger: Logger): Pick<ThreadHandlers<never>, 'onLog'> {
  return { onLog: (level, fields, message) => logger[level](fields, message) };
}
