// The whole service in one process: main thread = view and HTTP, one worker thread = ingest, one = decode and fold. They meet in the log only.
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { openData } from '../../pipeline/log/open-data.ts';
import { type Address, address } from '../../pipeline/runtime/options.ts';
import { openLiveView } from '../../pipeline/view/live-view.ts';
import { createQueryApi } from '../../query-api/app.ts';
import { registerViewMetrics } from '../../query-api/view-metrics.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import type { FoldThreadData } from './fold-thread.ts';
import type { IngestThreadData } from './ingest-thread.ts';
import { createPipelineMetrics } from './pipeline-metrics.ts';
import { startThread, type ThreadHandlers } from './thread-host.ts';
import type { FoldThreadStats, IngestThreadStats } from './thread-protocol.ts';

const MAINTENANCE_INTERVAL_MS = 5000;

export interface ServiceOptions {
  readonly dataDir: string;
  readonly http: Address;
  readonly listen: Address;
  readonly feeds: readonly Address[];
  readonly replayFile: string | null;
  readonly simulatedAircraft: number;
  /** The simulation ends when a feeder connects. */
  readonly simulationYields: boolean;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  /** Disk for raw frames, all partitions. */
  readonly framesBytesMax: number;
}

export interface ServiceIo {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Stops the service. */
  readonly signal: AbortSignal;
}

/** Runs until the signal; resolves when everything is drained and closed. Errors: those of the log and of listening, `worker.failed`. */
export async function runService(options: ServiceOptions, io: ServiceIo): Promise<void> {
  const logger = pino({ base: null, timestamp: stdTimeFunctions.isoTime }, io.stderr as unknown as DestinationStream);
  /** What to close, in this order: whatever feeds something is closed before it. */
  const closers: (() => Promise<unknown>)[] = [];
  try {
    await run(options, io, logger, closers);
    logger.info('stopping: what was received is folded first');
  } finally {
    await closeAll(closers, logger);
  }
  logger.info('stopped');
}

/** Closes in order. Error: `service.stop_timeout`; what is still open then is the caller's to end. */
async function closeAll(closers: readonly (() => Promise<unknown>)[], logger: Logger): Promise<void> {
  const late = new AbortController();
  const timeout = sleep(limits.shutdownMsMax, undefined, { signal: late.signal }).then(
    () => {
      throw new SquitterError('service.stop_timeout', { seconds: limits.shutdownMsMax / 1000 });
    },
    () => {},
  );
  const closed = async (): Promise<void> => {
    // What failed was told already, or is told here; the rest is closed all the same.
    for (const close of closers) await close().catch((error: unknown) => logger.warn({ error: String(error) }, 'closing failed'));
    late.abort();
  };
  const closing = closed();
  await Promise.race([closing, timeout.then(() => closing)]);
}

async function run(options: ServiceOptions, io: ServiceIo, logger: Logger, closers: (() => Promise<unknown>)[]): Promise<void> {
  const clock = (): number => Date.now();
  const { log, codecs } = await openData(options.dataDir, 'write', {
    maintenanceIntervalMs: MAINTENANCE_INTERVAL_MS,
    retention: { frames: { bytesMax: options.framesBytesMax } },
    onMaintenance: (report) => logger.debug(report, 'log maintenance'),
    onError: (error) => logger.warn({ error: String(error) }, 'log maintenance failed and is tried again'),
    onPowerLoss: (records) => logger.warn({ records }, 'records after the last checkpoint were lost with the power'),
  });
  closers.unshift(() => log.close());

  const stopView = new AbortController();
  const view = await openLiveView(log, codecs, { clock, signal: stopView.signal });
  closers.unshift(() => {
    stopView.abort();
    return view.follower.done;
  });
  const registry = new Registry();
  // CPU, memory, event loop and collector of the process, under the names that every dashboard knows.
  collectDefaultMetrics({ register: registry });
  const metrics = createPipelineMetrics(registry);
  registerViewMetrics(registry, view, clock);
  const info = () => ({ simulatedAircraft: metrics.simulatedAircraft(), feederAddress: String(options.listen) });
  let starting = true;
  const checks = () => (starting ? ['the fold is rebuilding its states'] : []);
  const app = createQueryApi({ view, registry, clock, info, checks, logger });
  closers.unshift(() => app.close());
  const http = await listen(app, options.http);

  const fold = await startThread<FoldThreadStats>('fold', foldThreadFile, foldData(options), handlers(logger, metrics.onFold));
  closers.unshift(() => fold.stop());
  const ingest = await startThread<IngestThreadStats>('ingest', ingestThreadFile, ingestData(options), handlers(logger, metrics.onIngest));
  closers.unshift(() => ingest.stop());

  starting = false;
  io.stdout.write(banner(options, http, ingest.info['listen']!));
  await Promise.race([aborted(io.signal), fold.failed, ingest.failed, view.follower.done]);
}

const foldThreadFile = new URL('./fold-thread.js', import.meta.url);
const ingestThreadFile = new URL('./ingest-thread.js', import.meta.url);

function foldData({ dataDir, receiver }: ServiceOptions): FoldThreadData {
  return { dataDir, receiver };
}

function ingestData({ dataDir, listen: on, feeds, replayFile, simulatedAircraft, simulationYields }: ServiceOptions): IngestThreadData {
  const plain = ({ host, port }: Address) => ({ host, port });
  return { dataDir, listen: plain(on), feeds: feeds.map(plain), replayFile, simulatedAircraft, simulationYields };
}

function handlers<Stats>(logger: Logger, onStats: (stats: Stats) => void): ThreadHandlers<Stats> {
  return { onStats, onLog: (level, fields, message) => logger[level](fields, message) };
}

/** Errors: `listen.port_in_use`, `listen.failed`. */
async function listen(app: FastifyInstance, wanted: Address): Promise<string> {
  try {
    await app.listen({ host: wanted.host, port: wanted.port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new SquitterError('listen.port_in_use', { address: String(wanted), flag: '--http' }, error);
    throw new SquitterError('listen.failed', { address: String(wanted), detail: message }, error);
  }
  const { port } = app.server.address() as AddressInfo;
  return String(address(wanted.host, port));
}

function banner(options: ServiceOptions, http: string, listening: string): string {
  const lines = [
    '',
    `Squitter is live at       http://${http}/`,
    `  all aircraft            http://${http}/v2/all`,
    `  for readsb's web maps   http://${http}/data/aircraft.json`,
    `  metrics                 http://${http}/metrics`,
    `  feeders push Beast/AVR  ${listening}`,
    `  data                    ${options.dataDir}`,
  ];
  for (const feed of options.feeds) lines.push(`  pulling from            ${feed}`);
  if (options.replayFile !== null) lines.push(`  replaying               ${options.replayFile}`);
  if (options.simulatedAircraft > 0) lines.push('', simulationNote(options));
  return `${lines.join('\n')}\n\n`;
}

function simulationNote({ simulatedAircraft, simulationYields }: ServiceOptions): string {
  const note = `These ${simulatedAircraft} aircraft are SIMULATED`;
  return simulationYields
    ? `${note}: no feed is configured (--feed, --listen, --replay).\nThe simulation ends when the first feeder connects.`
    : `${note}, as asked for with --simulate.`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
