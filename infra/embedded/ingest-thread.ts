// Entry of the ingest's worker thread: feeders, recorded files and simulated traffic in, FrameBatch records out.
import { workerData } from 'node:worker_threads';
import { Batcher, runBatcher } from '../../pipeline/ingest/batcher.ts';
import { createEventClock } from '../../pipeline/ingest/event-clock.ts';
import { FeederRegistry } from '../../pipeline/ingest/feeder-registry.ts';
import type { IngestContext } from '../../pipeline/ingest/feeder-session.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import { connectToFeeder } from '../../pipeline/ingest/tcp-connector.ts';
import { listenForFeeders } from '../../pipeline/ingest/tcp-listener.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { feedFile } from './file-feed.ts';
import { flySimulation, type Simulation } from './simulation.ts';
import { runThread, type ThreadLog } from './thread-body.ts';
import type { IngestThreadStats } from './thread-protocol.ts';

export interface IngestThreadData {
  readonly dataDir: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly feeds: readonly { readonly host: string; readonly port: number }[];
  readonly replayFile: string | null;
  readonly simulatedAircraft: number;
  /** The simulation ends when the first feeder connects. */
  readonly simulationYields: boolean;
}

await runThread<IngestThreadStats>(async (say: ThreadLog) => {
  const data = workerData as IngestThreadData;
  const { log, codecs } = await openData(data.dataDir, 'write');
  const nowUs = createEventClock();
  const counters = new Counters();
  const receivers = new ReceiverTable();
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });

  const batcher = new Batcher({
    partitions: log.partitions('frames'),
    receivers,
    counters,
    append: (partition, batches) => log.append('frames', partition, frameRecords(codecs, batches)),
    onFailure: fail,
    nowUs,
  });
  const stopBatcher = runBatcher(batcher, nowUs);

  let simulation: Simulation | null = null;
  const pendingEvents = new Set<Promise<unknown>>();
  const context: IngestContext = {
    target: batcher,
    receivers,
    counters,
    nowUs,
    onEvent(event) {
      if (event.event === 'seen' && data.simulationYields && simulation !== null) {
        say('info', { feeder: event.feeder }, 'a feeder is here: the simulation ends');
        simulation.stop();
        simulation = null;
      }
      const record = { key: event.feeder, value: codecs.FeederEvent.encode(event), timestampMs: event.timeMs };
      const appended = log.append('feeders', 0, [record]).catch(fail);
      pendingEvents.add(appended);
      appended.finally(() => pendingEvents.delete(appended));
    },
    log: { info: (fields, text) => say('info', { ...fields }, text), warn: (fields, text) => say('warn', { ...fields }, text) },
  };
  const registry = new FeederRegistry(context);
  const listener = await listenForFeeders({ ...data.listen, flag: '--listen', registry });
  const connectors = data.feeds.map(({ host, port }) => connectToFeeder({ host, port, registry }));
  if (data.simulatedAircraft > 0)
    simulation = flySimulation({ aircraft: data.simulatedAircraft, dataDir: data.dataDir, receivers, target: batcher, counters, nowUs });
  const stopFile = new AbortController();
  const file = data.replayFile === null ? Promise.resolve() : feedFile(data.replayFile, { context, signal: stopFile.signal }).catch(fail);

  return {
    info: { listen: `${listener.host}:${listener.port}` },
    failed,
    async stats() {
      return {
        counters: Object.fromEntries(counters.values),
        connections: registry.connections,
        backlogBytes: batcher.backlogBytes,
        feeders: Object.fromEntries(registry.statuses().map(({ feeder, frames }) => [feeder, frames])),
        simulatedAircraft: simulation?.aircraft ?? 0,
        heapBytes: process.memoryUsage().heapUsed,
      };
    },
    async stop() {
      simulation?.stop();
      stopFile.abort();
      await Promise.all([listener.close(), ...connectors.map((connector) => connector.close()), file]);
      await registry.close();
      stopBatcher();
      await batcher.drain();
      await Promise.all(pendingEvents);
      await log.close();
    },
  };
});
