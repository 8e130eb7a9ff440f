// The flights stage as a service, whatever its profile: the worker over a log, what it tells of itself, how it drains and stops.
import { setTimeout as sleep } from 'node:timers/promises';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import type { FlightCounts } from '../../pipeline/flights/partition-flights.ts';
import { startFlightsWorker } from '../../pipeline/flights/worker.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import { LagMeter, type PartitionLag } from './lag.ts';
import { observeLog } from './observed-log.ts';
import { patientLog } from './patient-log.ts';

/** How long a stop may wait for the stage to reach the end of the aircraft states. */
const DRAIN_MS_MAX = 10_000;
const POLL_MS = 20;

export interface FlightsServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  /** Where reference data are imported to; null where they never are. */
  readonly referenceFolder: string | null;
  readonly logger: {
    info(fields: Readonly<Record<string, unknown>>, message: string): void;
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
}

/** Counts are since the start of the process unless they say otherwise. */
export interface FlightsStats {
  readonly partitions: number;
  readonly commits: number;
  readonly commitMs: number;
  readonly states: number;
  readonly malformed: number;
  readonly replayedRecords: number;
  readonly unobserved: number;
  readonly offsetsRecovered: Readonly<Record<string, number>>;
  readonly assigned: number;
  readonly revoked: number;
  readonly rebalances: number;
  readonly lastRestoreMs: number;
  readonly lag: readonly PartitionLag[];
  /** By partition that is here: event time of the newest record, ms. */
  readonly ticksMs: readonly (readonly [partition: number, tickMs: number])[];
  readonly flights: number;
  readonly plans: number;
  readonly plansDropped: number;
  readonly counts: FlightCounts;
}

export interface FlightsService {
  /** Settles when the worker has ended; rejects with what broke it. */
  readonly ended: Promise<void>;
  /** Partitions that this stage has, and how many of them have their flights again. */
  owned(): { readonly partitions: number; readonly restored: number };
  /** False until the group has told what this stage's share is. */
  hasShare(): boolean;
  stats(): Promise<FlightsStats>;
  /** Waits until all states of its partitions are read, for 10 s at most, and not while the disk has no room for what they give. */
  drain(): Promise<void>;
  /** Leaves the group, closes the log. */
  stop(): Promise<void>;
}

/** Joins the group of the flights stages. */
export async function startFlights({ log: plainLog, codecs, referenceFolder, logger }: FlightsServiceOptions): Promise<FlightsService> {
  const steadyMs = (): number => performance.now();
  const patience = patientLog(plainLog);
  const { log, observation } = observeLog(patience.log, steadyMs);
  const { reference, close } = await openReference({
    folder: referenceFolder,
    clock: () => Date.now(),
    onLoaded: (rows) => logger.info({ rows }, 'reference data taken up'),
    onError: (error) => logger.warn({ error: String(error) }, 'imported reference data cannot be read and are left out'),
  });
  const worker = await startFlightsWorker({
    log,
    codecs,
    reference,
    airports: new FlightAirports(reference),
    onRecovered: (recovery) => logger.warn({ ...recovery }, 'the offset of the group was wrong: the stage goes on where its outputs end'),
    onUnobserved: (stretch) =>
      logger.warn(
        { ...stretch },
        'aircraft states are gone that the stage did not read (a long stop, or a repair of the log): take-offs and landings may be missing',
      ),
  });
  const { owned } = observation;
  const lagMeter = new LagMeter(log, 'aircraft', owned, steadyMs);

  return {
    ended: worker.done,
    owned: () => ({ partitions: owned.size, restored: [...owned.values()].filter(({ restored }) => restored).length }),
    hasShare: () => worker.member.rebalances > 0,
    async stats() {
      const lag = await lagMeter.measure();
      const { commits, states, malformed, replayedRecords, unobserved, offsetsRecovered, tickMs } = worker.stats;
      const { assigned, revoked, lastRestoreMs, commitMs } = observation;
      return {
        ...{ partitions: owned.size, commits, commitMs, states, malformed, replayedRecords, unobserved },
        offsetsRecovered: { ...offsetsRecovered },
        ...{ assigned, revoked, rebalances: worker.member.rebalances, lastRestoreMs, lag },
        ticksMs: [...tickMs].filter(([, ms]) => Number.isFinite(ms)),
        ...{ flights: worker.flights(), plans: worker.book.size, plansDropped: worker.book.dropped },
        counts: worker.counts(),
      };
    },
    async drain() {
      const deadline = performance.now() + DRAIN_MS_MAX;
      const goesOn = (): boolean => performance.now() < deadline && patience.waiting() === 0;
      while (goesOn() && (await lagMeter.measure()).some(({ records }) => records !== 0)) await sleep(POLL_MS);
    },
    async stop() {
      patience.giveUp();
      await worker.stop();
      await close();
      await log.close();
    },
  };
}
