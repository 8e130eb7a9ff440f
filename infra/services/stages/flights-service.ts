// The flights stage as a service, in every profile.

import { FlightAirports } from '../../../pipeline/flights/airports.ts';
import type { FlightCounts } from '../../../pipeline/flights/partition-flights.ts';
import { type FlightsWorkerStats, startFlightsWorker } from '../../../pipeline/flights/worker.ts';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { openReference } from '../../../pipeline/reference/open-reference.ts';
import type { LineLogger } from '../logging.ts';
import { type Stage, type StageStats, startStage } from './stage.ts';

export interface FlightsServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  /** Folder of imported reference data; null if none are imported. */
  readonly referenceFolder: string | null;
  readonly logger: LineLogger;
}

/** Counts are since the start of the process, unless stated otherwise. */
export interface FlightsStats extends StageStats, Omit<FlightsWorkerStats, 'nextOffsets' | 'tickMs'> {
  /** By owned partition: event time of the newest record, ms. */
  readonly ticksMs: readonly (readonly [partition: number, tickMs: number])[];
  readonly flights: number;
  readonly plans: number;
  readonly plansDropped: number;
  readonly counts: FlightCounts;
}

/** Joins the group of the flights stages. */
export function startFlights({ log: plainLog, codecs, referenceFolder, logger }: FlightsServiceOptions): Promise<Stage<FlightsStats>> {
  return startStage(plainLog, 'aircraft', async (log) => {
    const { reference, close } = await openReference({
      folder: referenceFolder,
      clock: () => Date.now(),
      onLoaded: (rows) => logger.info({ rows }, 'reference data loaded'),
      onError: (error) => logger.warn({ error: String(error) }, 'imported reference data cannot be read and are not used'),
    });
    const worker = await startFlightsWorker({
      log,
      codecs,
      reference,
      airports: new FlightAirports(reference),
      onRecovered: (recovery) =>
        logger.warn({ ...recovery }, 'the offset of the group was wrong: the stage continues where its outputs end'),
      onUnobserved: (stretch) =>
        logger.warn(
          { ...stretch },
          'aircraft states were removed before the stage read them (a long stop, or a repair of the log): take-offs and landings may be missing',
        ),
    });
    return {
      member: worker.member,
      done: worker.done,
      stats(shared) {
        const { nextOffsets: _, tickMs, ...counted } = worker.stats;
        return {
          ...{ ...counted, ...shared, counts: worker.counts() },
          ticksMs: [...tickMs].filter(([, ms]) => Number.isFinite(ms)),
          ...{ flights: worker.flights(), plans: worker.book.size, plansDropped: worker.book.dropped },
        };
      },
      async stop() {
        await worker.stop();
        await close();
      },
    };
  });
}
