// The flights topic for the query API: the current flight of every aircraft, and its route in the live table.
import type { Flight } from '../../schemas/avro/flight.ts';
import { FREE } from '../aircraft/columns.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import type { LiveTable } from '../aircraft/table.ts';
import { offsetAfter } from '../log/damage.ts';
import type { EventLog, StoredRecord } from '../log/event-log.ts';
import { followTopic } from '../log/follow-topic.ts';
import type { Reference } from '../reference/reference.ts';
import { FlightAirports } from './airports.ts';
import { type FlightRoute, FlightRoutes } from './flight-routes.ts';

/** The part of the codecs that flights need. */
export interface FlightCodecs {
  readonly Flight: { decode(bytes: Uint8Array): Flight };
}

/** Observations of an aircraft's current flight, ms since the Unix epoch; NaN when not observed. */
export interface CurrentFlight {
  readonly takeoffMs: number;
  readonly landedMs: number;
  /** When it landed, or was first seen on the ground. */
  readonly groundMs: number;
  /** When it last moved on the ground, to the minute. */
  readonly movedMs: number;
}

export interface FlightFollowStats {
  /** Records taken. */
  records: number;
  /** Unreadable records. */
  malformed: number;
  /** Event time of the newest record, ms. */
  newestMs: number;
}

export interface FollowedFlights {
  /** Airports for flights. */
  readonly airports: FlightAirports;
  /** By `hexKey`. */
  readonly flightOf: (key: number) => CurrentFlight | undefined;
  /** The newest record of every current flight. */
  readonly records: () => Iterable<Flight>;
  /** Sets the routes of a tick; the view calls it before each snapshot. */
  readonly onTick: (table: LiveTable) => void;
  /** Number of known flights. */
  size(): number;
  /** True once every record that the topic had at the start is read. */
  isReady(): boolean;
  readonly stats: FlightFollowStats;
  /** Settles when the follower stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
  close(): Promise<void>;
}

interface KnownFlight extends CurrentFlight {
  readonly record: Flight;
  readonly partition: number;
  route: FlightRoute | null;
  /** The last compared call sign as sent, and whether it is that of the flight. */
  sent: string | null;
  isSent: boolean;
}

/** Follows the flights of all partitions. */
export function followFlights(log: EventLog, codecs: FlightCodecs, reference: Reference): FollowedFlights {
  const stop = new AbortController();
  const { signal } = stop;
  const airports = new FlightAirports(reference);
  const table = new FlightTable(airports, reference);
  const stats: FlightFollowStats = { records: 0, malformed: 0, newestMs: 0 };
  const waiting = new Set(Array.from({ length: log.partitions('flights') }, (_, partition) => partition));

  const apply = ({ key, value, timestampMs }: StoredRecord, partition: number): void => {
    stats.records += 1;
    stats.newestMs = Math.max(stats.newestMs, timestampMs);
    if (key === null) return;
    try {
      table.put(key, value === null ? null : codecs.Flight.decode(value), partition);
    } catch {
      stats.malformed += 1;
    }
  };
  const follow = (partition: number): Promise<void> => {
    const { loaded, done } = followTopic({
      ...{ log, topic: 'flights', partition, signal },
      onRecord: (record) => apply(record, partition),
      after(error) {
        // Compaction removed the records: the remaining ones are still in offset order. Behind a damaged stretch, a flight from before may have changed.
        const from = offsetAfter(error);
        if (from !== 'earliest') table.clear(partition);
        return from;
      },
    });
    loaded.then(
      () => waiting.delete(partition),
      () => {},
    );
    return done;
  };
  const done = Promise.all([...waiting].map(follow)).then(() => {});
  done.catch(() => {});
  return {
    airports,
    flightOf: (key) => table.flights.get(key),
    records: () => table.records(),
    onTick: (live) => table.setRoutes(live),
    size: () => table.flights.size,
    isReady: () => waiting.size === 0,
    stats,
    done,
    async close() {
      stop.abort();
      await done.catch(() => {});
    },
  };
}

/** The flights by aircraft. */
export class FlightTable {
  readonly flights = new Map<number, KnownFlight>();
  private readonly airports: FlightAirports;
  private readonly reference: Reference;
  private readonly routes = new FlightRoutes();
  private version: number;

  constructor(airports: FlightAirports, reference: Reference) {
    this.airports = airports;
    this.reference = reference;
    this.version = reference.version;
  }

  /** The newest record of an aircraft; null when it is gone. */
  put(hex: string, record: Flight | null, partition: number): void {
    const key = hexKey(hex);
    if (record === null) {
      this.flights.delete(key);
      return;
    }
    this.flights.set(key, {
      record,
      partition,
      takeoffMs: record.takeoffMs ?? Number.NaN,
      landedMs: record.landingMs ?? Number.NaN,
      groundMs: record.groundMs ?? Number.NaN,
      movedMs: record.movedMs ?? Number.NaN,
      route: this.routeOf(record),
      sent: null,
      isSent: true,
    });
  }

  /** Forgets the flights of a partition. */
  clear(partition: number): void {
    for (const [key, flight] of this.flights) if (flight.partition === partition) this.flights.delete(key);
  }

  *records(): Generator<Flight> {
    for (const { record } of this.flights.values()) yield record;
  }

  /** Writes the routes into the rows of their aircraft. A route belongs to a call sign and is not shown with another one. */
  setRoutes(table: LiveTable): void {
    if (this.version !== this.reference.version) {
      this.version = this.reference.version;
      for (const flight of this.flights.values()) flight.route = this.routeOf(flight.record);
    }
    const { flightTexts, highWater } = table;
    const keys = table.columns.key;
    for (let row = 0; row < highWater; row += 1) {
      const key = keys[row]!;
      if (key === FREE) continue;
      const flight = this.flights.get(key);
      table.putRoute(row, flight === undefined || flight.route === null || !isOf(flight, flightTexts[row]!) ? null : flight.route);
    }
  }

  private routeOf({ origin, destination, routeSource, routePlausible }: Flight): FlightRoute | null {
    if (routeSource === null) return null;
    if (routePlausible !== true) return this.routes.contradictedOf(routeSource);
    const airport = (code: string | null) => (code === null ? null : (this.airports.byCode(code) ?? null));
    const leg = { origin: airport(origin), destination: airport(destination) };
    return leg.origin === null && leg.destination === null ? null : this.routes.routeOf(leg, routeSource);
  }
}

/** True when an aircraft that sends this call sign is on this flight; without a call sign it may be. */
function isOf(flight: KnownFlight, sent: string | null): boolean {
  if (sent !== flight.sent) {
    flight.sent = sent;
    flight.isSent = sent === null || sent.trim() === flight.record.callsign;
  }
  return flight.isSent;
}
