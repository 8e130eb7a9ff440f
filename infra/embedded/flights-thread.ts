// Entry of the flights stage's worker thread: aircraft states and flight plans to flights, for all partitions of the embedded log.
import { workerData } from 'node:worker_threads';
import { openData } from '../../pipeline/log/open-data.ts';
import { referenceFolder } from '../../pipeline/reference/open-reference.ts';
import { type FlightsStats, startFlights } from '../services/flights-service.ts';
import { runThread } from './thread-body.ts';
import type { WriterLogOptions, WriterStats } from './thread-protocol.ts';

export interface FlightsThreadData {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
}

await runThread<WriterStats<FlightsStats>>(async (say) => {
  const { dataDir, log: logOptions } = workerData as FlightsThreadData;
  const { log, codecs } = await openData(dataDir, 'write', logOptions);
  const flights = await startFlights({
    log,
    codecs,
    referenceFolder: referenceFolder(dataDir),
    logger: { info: (fields, text) => say('info', fields, text), warn: (fields, text) => say('warn', fields, text) },
  });
  return {
    info: {},
    failed: flights.ended,
    stats: async () => ({ ...(await flights.stats()), held: log.disk().held }),
    async stop() {
      await flights.drain();
      await flights.stop();
    },
  };
});
