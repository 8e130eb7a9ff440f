// Entry of the ingest's worker thread: feeders, recorded files and simulated traffic in, FrameBatch records out.
import { workerData } from 'node:worker_threads';
import { openData } from '../../pipeline/log/open-data.ts';
import { openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import { type IngestServiceOptions, type IngestStats, startIngest } from '../services/stages/ingest-service.ts';
import { feedFile } from './file-feed.ts';
import type { Simulation } from './simulation.ts';
import { runThread } from './thread-body.ts';
import type { WriterLogOptions, WriterStats } from './thread-host.ts';

type IngestOption = 'listen' | 'listenFlag' | 'connectionsMax' | 'connectionsPerAddressMax' | 'feeds';

export interface IngestThreadData extends Pick<IngestServiceOptions, IngestOption> {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
  readonly replayFile: string | null;
  readonly simulatedAircraft: number;
  /** The simulation ends when the first feeder connects. */
  readonly simulationYields: boolean;
}

await runThread<WriterStats<IngestStats>>(async (logger) => {
  const { dataDir, log: logOptions, replayFile, simulatedAircraft, simulationYields, ...options } = workerData as IngestThreadData;
  let simulation: Simulation | null = null;
  let endSimulation = (): void => {};
  // Loaded only for a simulation.
  const simulator = simulatedAircraft > 0 ? await import('./simulation.ts') : null;
  const { log, codecs } = await openData(dataDir, 'write', logOptions);
  const ingest = await startIngest({
    ...options,
    log,
    codecs,
    logger,
    secret: openDataSecret(dataDir),
    instance: 'embedded',
    onFeederSeen(feeder) {
      if (!simulationYields || simulation === null) return;
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
      aircraft: simulatedAircraft,
      dataDir,
      onError: ingest.fail,
    });
  }
  const stopFile = new AbortController();
  const play = async (path: string): Promise<void> => {
    const endFile = ingest.addSource();
    await feedFile(path, { context, signal: stopFile.signal }).catch(ingest.fail);
    endFile();
  };
  const file = replayFile === null ? Promise.resolve() : play(replayFile);

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
