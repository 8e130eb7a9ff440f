// The whole service in one process: view and HTTP in the main thread, ingest in one worker thread, fold and flights in one or more. They share data only through the log.
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
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
import { tuneForFeeders, tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';
import { historyFolder } from '../../pipeline/store/address-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { FRAME_PARTITIONS_EMBEDDED } from '../../schemas/topics.ts';
import { storeMemoryBytes } from '../history-store/shares.ts';
import { startStoreChild } from '../history-store/store-child.ts';
import type { PastService } from '../past/past-service.ts';
import { type Closer, closeAll } from '../services/closing.ts';
import { serviceLogger } from '../services/logging.ts';
import { fittingConnections } from '../services/options/connection-limits.ts';
import { bulkFolder } from '../services/options/export-options.ts';
import { outputConnectionsMax } from '../services/options/output-options.ts';
import { LISTEN_DEFAULT, UNKNOWN_VARIABLE_LINE } from '../services/options/shared-options.ts';
import { shownReceiver } from '../services/options/shown-receiver.ts';
import { simulatedTypes, withSimulatedTypes } from '../services/simulated-facts.ts';
import { endedSimulation } from '../services/simulation-start.ts';
import type { IngestStats } from '../services/stages/ingest-service.ts';
import type { ProjectStats } from '../services/stages/project-service.ts';
import type { StartingStore } from './history.ts';
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
  /** Closed in this order: producers before consumers. The threads of the stages start before what reads their records, and are closed before it. */
  const [threads, closers]: [Closer[], Closer[]] = [[], []];
  const ending = new AbortController();
  try {
    await run(options, { ...io, signal: AbortSignal.any([io.signal, ending.signal]) }, logger, threads, closers);
    logger.info('stopping: received frames are folded first');
  } finally {
    ending.abort();
    await closeAll([...threads, ...closers], logger);
  }
  logger.info('stopped');
}

async function run(options: StartValues, io: ServiceIo, logger: Logger, threads: Closer[], closers: Closer[]): Promise<void> {
  const simulatedAircraft = simulatedAircraftOf(options);
  let space: LogSpaceWatch | null = null;
  let stagesStats: StagesStats | null = null;
  let ingestStats: WriterStats<IngestStats> | null = null;
  let projectStats = (): WriterStats<ProjectStats> | null => null;
  const writers = () => [stagesStats?.fold, ingestStats, stagesStats?.flights, projectStats()];
  let pastDamages: PastService['damages'] = () => [];
  const met = () => [log.damages(), pastDamages(), ...writers().map((stats) => stats?.damages)];
  const damage = new LogDamageWatch(logger, met, (topic, partition) => log.bounds(topic, partition));
  const writing = writerOptions(options);
  const loading = awaitedLater(import('./parts.ts'));
  const { log, codecs } = await openLog(options, writing, logger, damage, (report) => space?.update(report));
  for (const part of [log, damage]) closers.unshift(async () => part.close());

  const connectionsMax = connectionsOf(options, logger);
  const stagesOptions = { dataDir: options.data, log: writing, receiver: options.receiver };
  const startWorker = <Stats>(name: string, file: URL, data: unknown, onStats: (stats: Stats) => void) =>
    closing(startThread<Stats>(name, file, data, logger, onStats), threads);
  const threadCount = usefulThreads(options, log.partitions('frames'), logger);
  const stages = awaitedLater(startStages(threadCount, stagesOptions, startWorker, (stats) => (stagesStats = stats)));
  const startIngest = () =>
    startIngestThread(ingestData(options, writing, connectionsMax.feeders, simulatedAircraft), logger, (stats) => {
      ingestStats = stats;
      space?.logHold();
      damage.update();
    });
  // Simulated frames do not wait for the fold: meanwhile another processor loads their code. Feeders do, for the settings of their thread.
  const ingest = closing(simulatedAircraft === 0 ? stages.then(startIngest) : startIngest(), threads);
  const parts = await loading;

  const registry = new parts.Registry();
  // CPU, memory, event loop and garbage collection of the process, with prom-client's standard names.
  parts.collectDefaultMetrics({ register: registry });
  parts.registerFoldMetrics(registry, () => stagesStats?.fold ?? null);
  parts.registerIngestMetrics(registry, () => ingestStats);
  parts.registerFlightsMetrics(registry, () => stagesStats?.flights ?? null);
  let starting = true;
  const readiness = new Readiness().require('start', () => (starting ? 'the states of the fold are being restored' : null));
  const logSpace = new LogSpaceWatch(log, logger, () => writers().map((stats) => stats?.held ?? null), await log.space());
  space = logSpace;
  logSpace.register(registry);
  damage.register(registry);
  const reasons = { heldReason: () => logSpace.reason(), feedAdvice: () => endedSimulation(simulatedAircraft, ingestStats) };
  readiness.require('disk', reasons.heldReason).require('log', () => damage.reason());
  readiness.warn('simulation', reasons.feedAdvice);
  const context = { registry, logger, readiness };
  const store = startStore(options, logger, io.signal, closers);
  const history = closing(parts.startHistory(store, options, context), closers);
  const pastData = { partitions: log.partitions('frames'), referenceFolder: referenceFolder(options.data), simulatedAircraft };
  const past = new parts.PastService({ ...pastData, source: { kind: 'data', dataDir: options.data } }, { logger, registry, closers });
  pastDamages = () => past.damages();
  const types = await simulatedTypes(simulatedAircraft);
  const model = await parts.openReadModel(
    {
      ...{ log, codecs, registry, logger, readiness, past, ...reasons },
      site: shownReceiver(options),
      referenceFolder: referenceFolder(options.data),
      hasTracks: true,
      historyClient: history.then(({ client }) => client),
      factsOf: (reference) => withSimulatedTypes(reference, types, () => (ingestStats?.simulatedAircraft ?? simulatedAircraft) > 0),
    },
    closers,
  );
  const { access, feeders, failed: accessFailed } = await parts.openEmbeddedAccess(options, { log, codecs, ...context }, closers);
  const info = () => ({ simulated: (ingestStats?.simulatedAircraft ?? 0) > 0, feederAddress: String(options.listen ?? LISTEN_DEFAULT) });
  const handOver = new parts.HandOver(connectionsMax.push);
  const catalog = new parts.Catalog(bulkFolder(options.data));
  const waysInContext = { access, feeders, connectionsMax, ...context, info, handOver, catalog };
  const waysIn = await parts.startWaysIn(model, options, waysInContext, closers);
  // Closed before HTTP, which has connections that it handed over.
  const push = await parts.startPush(model, { values: options, socketsMax: connectionsMax.push, access, registry, logger }, closers);
  handOver.upstream = async () => push.upstream;
  const outputs = await parts.startOutputs(options, { view: model.view, log, codecs, registry, logger }, closers);

  const { info: ingestInfo, failed: ingestFailed } = await ingest;
  const ends = [aborted(io.signal), (await stages).failed, ingestFailed, model.ended, outputs.failed, accessFailed];
  const ended = awaitedLater(Promise.race(ends));
  // The thread that writes history makes little garbage, as those before it.
  if (simulatedAircraft === 0) tuneForFold();
  const signals = () => model.signals.samples(model.view.current()?.times.nowMs ?? 0);
  // Live aircraft do not wait for the history, and what fails meanwhile ends the service at once.
  starting = false;
  const { client, summary } = await Promise.race([history, ended.then(() => history)]);
  const main = { log, codecs };
  projectStats = parts.startHistoryWriting(client, { dataDir: options.data, main, log: writing, ...context, signals }, closers);
  await parts.publishDays(options, { log, ...context, hasHistory: client !== null }, closers);
  closers.unshift(startCollections(), async () => past.stop());
  const [listening, disk] = [ingestInfo['listen']!, logSpace.summary()];
  io.stdout.write(
    parts.banner(options, { ...outputs, ...waysIn, push, listening, disk, history: summary, access: parts.accessLine(options) }),
  );
  void parts.announceLive(waysIn.http, () => parts.whyNotReady(model, readiness)?.message ?? null, io);
  await ended;
}

/** Null without history. Its closer is added at the front: all that reads and writes history is closed before it. */
function startStore(
  { data, noHistory, diskReserveMib }: StartValues,
  logger: Logger,
  signal: AbortSignal,
  closers: Closer[],
): StartingStore | null {
  if (noHistory) return null;
  const access = { user: 'squitter', password: randomBytes(24).toString('base64url') };
  const child = startStoreChild({
    ...{ folder: historyFolder(data), ...access, processFile: storeProcessFile },
    // More than the log keeps free: the history stops first.
    diskReserveBytes: diskReserveMib === null ? null : 2 * diskReserveMib * MIB,
    keepsTrying: true,
    signal,
    readers: limits.storeReaders,
    memoryBytesMax: storeMemoryBytes(),
    log: (level, fields, message) => logger[level](fields, message),
  });
  return { access, child: closing(child, closers) };
}

function connectionsOf(options: StartValues, logger: Logger) {
  const { httpConnections: http, feederConnections: feeders, pushConnections: push, grpcConnections: grpc } = options;
  return fittingConnections({ http, feeders, push, grpc }, logger, outputConnectionsMax(options));
}

/** The first one frees what the start leaves behind, 5 to 10 MB. */
function startCollections(): Closer {
  collect();
  const end = collectEvery(COLLECTION_INTERVAL_MS);
  return async () => end();
}

/** Adds a closer at the front for a part that is still starting: it waits for the start, then stops the part. */
function closing<Part extends { stop(): Promise<unknown> }>(starting: Promise<Part>, closers: Closer[]): Promise<Part> {
  closers.unshift(async () => (await starting.catch(() => null))?.stop());
  return awaitedLater(starting);
}

/** A failure is met where the service waits for the part. */
function awaitedLater<Part>(starting: Promise<Part>): Promise<Part> {
  starting.catch(() => {});
  return starting;
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

const storeProcessFile = programFile('infra/history-store/store-process');
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

function startIngestThread(data: IngestThreadData, logger: Logger, onStats: (stats: WriterStats<IngestStats>) => void) {
  if (data.simulatedAircraft === 0) tuneForFeeders();
  return startThread('ingest', ingestThreadFile, data, logger, onStats);
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
