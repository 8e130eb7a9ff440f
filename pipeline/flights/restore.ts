// Restores the flights of a partition at the starting offset: from their own records, with the newest motion from the aircraft
// topic before that offset. The newest records prove the offset, not the group (pipeline/log/group-offset.ts).

import { topics } from '../../schemas/topics.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog } from '../log/event-log.ts';
import { type GroupPartition, groupStart, moveGroup, newestRecord, type OffsetProblem, type OffsetRecovery } from '../log/group-offset.ts';
import { UNHEARD_MS } from './movements.ts';
import { type FlightChange, PartitionFlights, type PartitionFlightsOptions } from './partition-flights.ts';
import { SampleReader } from './sample-reader.ts';

/** Positions older than UNHEARD_MS are ignored; states come a little later than their positions. */
const MOTION_MS = UNHEARD_MS + 60_000;

export interface RestoreStats {
  /** Aircraft records read again to restore motion. */
  replayedRecords: number;
  /** Flights under way while the stage was stopped for too long: their take-offs and landings may be missing. */
  unobserved: number;
  /** Group offsets that contradicted the outputs and were corrected. */
  readonly offsetsRecovered: Record<OffsetProblem, number>;
}

/** An assigned partition. */
export interface PartitionWork {
  readonly flights: PartitionFlights;
  /** The committed offset. */
  committed: number;
  /** Tombstones that wait: a commit ends with a record that has its offset. */
  waiting: FlightChange[];
}

/** Event time that the stage did not completely see, and the flights under way then. */
export interface UnobservedStretch {
  readonly partition: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly flights: number;
}

export interface RestoreOptions extends PartitionFlightsOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly onRecovered?: (recovery: OffsetRecovery) => void;
  readonly onUnobserved?: (stretch: UnobservedStretch) => void;
}

export interface RestoredPartition {
  readonly group: string;
  readonly partition: number;
  readonly committed: number | null;
  readonly stats: RestoreStats;
}

/** Error: `log.offset_contradiction` when the outputs come from states that the aircraft topic does not have. */
export async function restoreFlights(options: RestoreOptions, wanted: RestoredPartition): Promise<PartitionWork> {
  const { log } = options;
  const { partition, committed, stats } = wanted;
  const flights = new PartitionFlights(options);
  const next = await readFlights(options, flights, partition);
  const group: GroupPartition = { log, group: wanted.group, topic: 'aircraft', partition, committed };
  const { offset, problem } = await groupStart(group, { next, outputsEnd: async () => next ?? 0 });
  // Unread states may be gone, after a repair of the log or by hand. The stage continues with the remaining ones.
  const start = Math.max(offset, (await log.bounds('aircraft', partition)).earliest);
  await recallMotion(options, flights, wanted, start);
  reportUnobserved(options, flights, wanted, { toMs: await newestMs(log, partition, start), isLost: start > offset });
  if (problem !== null || start > offset) await moveGroup(group, start);
  if (problem !== null) {
    stats.offsetsRecovered[problem] += 1;
    options.onRecovered?.({ partition, problem, committed, offset: start });
  }
  return { flights, committed: problem === null && start === offset ? (committed ?? start) : start, waiting: [] };
}

/** Restores the flights; returns the offset committed with the newest record, null without records. */
async function readFlights({ log, codecs }: RestoreOptions, flights: PartitionFlights, partition: number): Promise<number | null> {
  let next: number | null = null;
  const newest = new Map<string, Buffer>();
  for await (const { records } of log.read({ topic: 'flights', partition, from: 'earliest', to: 'end' })) {
    for (const { key, value } of records) {
      if (value === null) newest.delete(key!);
      else newest.set(key!, Buffer.from(value));
    }
    const last = records.findLast(({ value }) => value !== null)?.value;
    if (last !== undefined && last !== null) next = Math.max(next ?? 0, codecs.Flight.decode(last).aircraftOffset + 1);
  }
  for (const value of newest.values()) flights.restore(codecs.Flight.decode(value));
  const ended = (await newestRecord(log, 'flightsEnded', partition))?.value;
  if (ended !== undefined && ended !== null) next = Math.max(next ?? 0, codecs.EndedFlight.decode(ended).aircraftOffset + 1);
  return next;
}

/** Replays the newest minutes before the offset, silently. */
async function recallMotion(
  { log, codecs }: RestoreOptions,
  flights: PartitionFlights,
  { partition, stats }: RestoredPartition,
  offset: number,
): Promise<void> {
  if (flights.size === 0) return;
  const reader = new SampleReader(codecs.AircraftState);
  const flightText = (key: number): string | null => flights.flightText(key);
  const from = await log.offsetAt('aircraft', partition, flights.tickMs - MOTION_MS);
  if (from >= offset) return;
  for await (const { records } of log.read({ topic: 'aircraft', partition, from, to: offset }))
    for (const { key, value, timestampMs } of records) {
      stats.replayedRecords += 1;
      if (value === null) flights.recallGone(hexKey(key ?? ''), timestampMs);
      else if (reader.read(value, flightText)) flights.recall(reader.sample);
    }
}

/** Event time of the newest aircraft record; null when there is none at or behind the offset. */
async function newestMs(log: EventLog, partition: number, offset: number): Promise<number | null> {
  const newest = await newestRecord(log, 'aircraft', partition);
  return newest === null || newest.offset < offset ? null : newest.timestampMs;
}

/** Reports that unread states are gone: they are older than the topic's retention, or the log lost them. */
function reportUnobserved(
  { onUnobserved }: RestoreOptions,
  flights: PartitionFlights,
  { partition, stats }: RestoredPartition,
  { toMs, isLost }: { readonly toMs: number | null; readonly isLost: boolean },
): void {
  const { size, tickMs: fromMs } = flights;
  const isLong = toMs !== null && toMs - fromMs > topics.aircraft.compactAfterMs;
  if (size === 0 || !(isLong || isLost)) return;
  stats.unobserved += size;
  onUnobserved?.({ partition, fromMs, toMs: toMs ?? fromMs, flights: size });
}
