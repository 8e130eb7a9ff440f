// Entry of the ingest's worker thread: feeders, recorded files and simulated traffic in, FrameBatch records out.
import { workerData } from 'node:worker_threads';
import { openData } from '../../pipeline/log/open-data.ts';
import { openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import { type IngestStats, startIngest } from '../services/stages/ingest-service.ts';
import { feedFile } from './file-feed.ts';
import type { Simulation } from './simulation.ts';
import { runThread } from './thread-body.ts';
import type { WriterLogOptions, WriterStats } from './thread-host.ts';

export interface IngestThreadData {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
  readonly listen: { readonly host: string; readonly port: number };
  readonly listenFlag: string;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number | null;
  readonly feeds: readonly { readonly host: string; readonly port: number }[];
  readonly replayFile: string | null;
  readonly simulatedAircraft: number;
  /** The simulation ends when the first feeder connects. */
  readonly simulationYields: boolean;
}

await runThread<WriterStats<IngestStats>>(async (logger) => {
  const data = workerData as IngestThreadData;
  let simulation: Simulation | null = null;
  let endSimulation = (): void => {};
  // Loaded only for a simulation.
  const simulator = data.simulatedAircraft > 0 ? await import('./simulation.ts') : null;
  const { log, codecs } = await openData(data.dataDir, 'write', data.log);
  const ingest = await startIngest({
    log,
    codecs,
    secret: openDataSecret(data.dataDir),
    instance: 'embedded',
    listen: data.listen,
    listenFlag: data.listenFlag,
    connectionsMax: data.connectionsMax,
    connectionsPerAddressMax: data.connectionsPerAddressMax,
    feeds: data.feeds,
    logger,
    onFeederSeen(feeder) {
      if (!data.simulationYields || simulation === null) return;
      logger.info({ feeder }, 'a feeder connected: the simulation ends, and does not begin again');
      void simulation.stop();
      simulation = null;
      endSimulation();
    },
  });
  const { context } = ingest;
  if (simulator !== null) {
    endSimulation = ingest.addSource();
    simulation = simulator.flySimulation({
      ...context,
      log,
      codecs,
      aircraft: data.simulatedAircraft,
      dataDir: data.dataDir,
      onError: ingest.fail,
    });
  }
  const stopFile = new AbortController();
  const play = async (path: string): Promise<void> => {
    const endFile = ingest.addSource();
    await feedFile(path, { context, signal: stopFile.signal }).catch(ingest.fail);
    endFile();
  };
  const file = data.replayFile === null ? Promise.resolve() : play(data.replayFile);

  return {
    info: { listen: ingest.listening },
    failed: ingest.failed,
    stats: async () => ({ ...ingest.stats(), simulatedAircraft: simulation?.aircraft ?? 0, held: log.disk().held, damages: log.damages() }),
    async stop() {
      await simulation?.stop();
      stopFile.abort();
      await file;
      await ingest.stop();
    },
  };
});
