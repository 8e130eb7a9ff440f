// The flights stage over partitions: one writer each, like the fold. Reads the aircraft states of its partitions and all flight plans; commits flights,
// ended flights and observed plans together with the input offset.
// Exactly once: each commit ends behind the aircraft record that made its newest flight, so the outputs alone prove the group's offset, and
// restore.ts finds the state there. States read since then changed no flight, and are read again after a restart.
import { SquitterError } from '../../schemas/errors.ts';
import { topics } from '../../schemas/topics.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import type { Codecs } from '../log/codec.ts';
import { damageOf } from '../log/damage.ts';
import type { Commit, EventLog, GroupHandler, GroupMember, Output, RecordBatch } from '../log/event-log.ts';
import type { OffsetRecovery } from '../log/group-offset.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import { cursorOf } from '../log/record-cursor.ts';
import type { Reference } from '../reference/reference.ts';
import type { FlightAirports } from './airports.ts';
import { type FlightChange, type FlightCounts, noFlightCounts, type PartitionFlights } from './partition-flights.ts';
import { PlanBook } from './plan-book.ts';
import { followPlans, type PlanStats } from './plan-follower.ts';
import { type PartitionWork, type RestoreStats, restoreFlights, type UnobservedStretch } from './restore.ts';
import { SampleReader } from './sample-reader.ts';

export const FLIGHTS_GROUP = 'flights';

export interface FlightsWorkerOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly reference: Reference;
  readonly airports: FlightAirports;
  /** Called when the group's offset was wrong and is corrected. */
  readonly onRecovered?: (recovery: OffsetRecovery) => void;
  /** Called when unread states are gone: after a stop longer than their retention, or a repair of the log. */
  readonly onUnobserved?: (stretch: UnobservedStretch) => void;
}

/** Counted since the start of the process unless noted. */
export interface FlightsWorkerStats extends PlanStats, RestoreStats {
  commits: number;
  /** Aircraft states read. */
  states: number;
  /** By partition: first offset not read yet, and event time. */
  readonly nextOffsets: Map<number, number>;
  readonly tickMs: Map<number, number>;
}

export interface FlightsWorker {
  readonly member: GroupMember;
  /** Settles when the worker stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
  readonly stats: FlightsWorkerStats;
  readonly book: PlanBook;
  /** Flights of assigned partitions. */
  flights(): number;
  /** Counts of all its partitions while they were assigned. */
  counts(): FlightCounts;
  /** Leaves the group and stops following plans. */
  stop(): Promise<void>;
}

/** Joins the group and observes until it is stopped or fails. */
export async function startFlightsWorker(options: FlightsWorkerOptions): Promise<FlightsWorker> {
  const { log, codecs } = options;
  const stats: FlightsWorkerStats = {
    ...{ commits: 0, states: 0, malformed: 0, replayedRecords: 0, unobserved: 0 },
    offsetsRecovered: { missing: 0, behind: 0, ahead: 0 },
    nextOffsets: new Map(),
    tickMs: new Map(),
  };
  const stop = new AbortController();
  const book = new PlanBook();
  const plans = followPlans(log, codecs, book, { stats, signal: stop.signal });
  /** Damage in the plans, once it is met: every partition depends on all plans, so each is held. */
  let plansDamage: unknown = null;
  const plansEnd = plans.done.catch((error: unknown) => {
    if (damageOf(error) === null) throw error;
    plansDamage = error;
  });
  const works = new Map<number, PartitionWork>();
  const left = noFlightCounts();
  const reader = new SampleReader(codecs.AircraftState);

  const handler: GroupHandler = {
    async assigned(partition, committed) {
      await plans.loaded;
      const work = await restoreFlights({ ...options, book }, { group: FLIGHTS_GROUP, partition, committed, stats });
      works.set(partition, work);
      stats.nextOffsets.set(partition, work.committed);
      return work.committed;
    },
    async batch(batch) {
      if (plansDamage !== null) throw plansDamage;
      const work = works.get(batch.partition)!;
      applyBatch(work.flights, reader, batch, stats);
      stats.nextOffsets.set(batch.partition, batch.nextOffset);
      stats.tickMs.set(batch.partition, work.flights.tickMs);
      // A partition that is behind the others may need plans that are over elsewhere.
      book.sweep(Math.max(...[...works.values()].map(({ flights }) => flights.tickMs)) - topics.aircraft.compactAfterMs);
      await commitChanges(options, work, batch.partition, stats);
    },
    async revoked(partition) {
      const work = works.get(partition);
      if (work !== undefined) addCounts(left, work.flights.counts);
      works.delete(partition);
      stats.tickMs.delete(partition);
    },
  };
  const member = await log.join(FLIGHTS_GROUP, 'aircraft', handler);
  const done = Promise.race([member.done, plansEnd.then(() => (stop.signal.aborted || plansDamage !== null ? member.done : endedEarly()))]);
  done.catch(() => {});
  return {
    member,
    done,
    stats,
    book,
    flights: () => [...works.values()].reduce((sum, { flights }) => sum + flights.size, 0),
    counts() {
      const sum = noFlightCounts();
      addCounts(sum, left);
      for (const { flights } of works.values()) addCounts(sum, flights.counts);
      return sum;
    },
    async stop() {
      await member.leave();
      stop.abort();
      await plans.done.catch(() => {});
    },
  };
}

function endedEarly(): never {
  throw new SquitterError('worker.failed', { worker: 'flights', detail: 'the follower of flight plans ended' });
}

function applyBatch(flights: PartitionFlights, reader: SampleReader, batch: RecordBatch, stats: FlightsWorkerStats): void {
  const flightText = (key: number): string | null => flights.flightText(key);
  const record = cursorOf(batch);
  while (record.next()) {
    stats.states += 1;
    if (record.end < 0) flights.remove(hexKey(record.key() ?? ''), record.timestampMs, record.offset);
    else if (reader.read(record.bytes, flightText, record.start, record.end)) flights.apply(reader.sample, record.offset);
    else stats.malformed += 1;
  }
}

/** Commits the changes of the batch up to the newest record with its offset; later tombstones wait. */
async function commitChanges(
  { log, codecs }: FlightsWorkerOptions,
  work: PartitionWork,
  partition: number,
  stats: FlightsWorkerStats,
): Promise<void> {
  const changes = [...work.waiting, ...work.flights.changes];
  work.flights.changes = [];
  const count = changes.findLastIndex(({ topic, value }) => topic !== 'flightplans' && value !== null) + 1;
  work.waiting = changes.slice(count);
  if (count === 0) return;
  const done = changes.slice(0, count);
  const outputs = [
    ...outputOf('flights', partition, done, codecs),
    ...outputOf('flightsEnded', partition, done, codecs),
    ...outputOf('flightplans', 0, done, codecs),
  ];
  const commit: Commit = {
    ...{ group: FLIGHTS_GROUP, topic: 'aircraft', partition },
    ...{ fromOffset: work.committed, nextOffset: done.at(-1)!.offset + 1, outputs },
  };
  await log.commit(commit);
  work.committed = commit.nextOffset;
  stats.commits += 1;
}

function outputOf(topic: FlightChange['topic'], partition: number, changes: readonly FlightChange[], codecs: Codecs): Output[] {
  const records = changes
    .filter((change) => change.topic === topic)
    .map((change): OutgoingRecord => ({ key: change.key, value: encoded(change, codecs), timestampMs: change.timeMs }));
  return records.length === 0 ? [] : [{ topic, partition, records }];
}

function encoded({ topic, value }: FlightChange, codecs: Codecs): Uint8Array | null {
  if (topic === 'flights') return value === null ? null : codecs.Flight.encode(value);
  return topic === 'flightsEnded' ? codecs.EndedFlight.encode(value) : codecs.FlightPlan.encode(value);
}

function addCounts(sum: FlightCounts, counts: FlightCounts): void {
  sum.takeoffs += counts.takeoffs;
  sum.landings += counts.landings;
  for (const end of Object.keys(sum.ended) as (keyof typeof sum.ended)[]) sum.ended[end] += counts.ended[end];
  for (const reason of Object.keys(sum.implausible) as (keyof typeof sum.implausible)[])
    sum.implausible[reason] += counts.implausible[reason];
}
