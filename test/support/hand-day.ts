// A day of positions and flights made by hand, as a source of the exporter.
import { type DaySource, spillColumns } from '../../exporters/daily/day-source.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import type { DailyKind } from '../../schemas/daily-file.ts';

/** A row of the spill. */
export type HandPosition = Readonly<Omit<PositionRow, 'hex'>> & { readonly icao24: number; readonly partition: number };
export type HandFlight = Readonly<Omit<EndedFlight, 'hex'>> & {
  readonly icao24: number;
  readonly partition: number;
  readonly recordOffset: number;
};

const plainPosition: Omit<HandPosition, 'timeUs' | 'icao24'> = {
  ...{ latitudeMicrodeg: 52_310_000, longitudeMicrodeg: 4_760_000, onGround: false, altitudeBaroFt: 37_000, altitudeGeomFt: null },
  ...{
    groundSpeedDeciKt: 4505,
    trackCentideg: 12_345,
    baroRateFpm: -64,
    source: 0,
    nic: 8,
    rcM: 186,
    partition: 0,
    frameOffset: 0,
    frameIndex: 0,
  },
  ...{ callsign: null, squawk: null, rssiDeciDbfs: null },
};

export function handPosition(time: string, icao24: number, own: Partial<HandPosition> = {}): HandPosition {
  return { ...plainPosition, timeUs: Date.parse(time) * 1000, icao24, ...own };
}

const plainFlight: Omit<HandFlight, 'icao24' | 'firstSeenMs' | 'lastSeenMs' | 'endedMs'> = {
  ...{ callsign: 'KLM12A', airborneMs: null, origin: 'EHAM', originSource: 'observed', destination: 'KJFK', destinationSource: 'plan' },
  ...{ takeoffMs: null, takeoffAirport: 'EHAM', takeoffSource: 'transition', landingMs: null, landingAirport: null, landingSource: null },
  ...{ end: 'gone', partition: 0, recordOffset: 0, aircraftOffset: 0 },
};

export function handFlight(icao24: number, firstSeen: string, lastSeen: string, own: Partial<HandFlight> = {}): HandFlight {
  return {
    ...plainFlight,
    icao24,
    firstSeenMs: Date.parse(firstSeen),
    lastSeenMs: Date.parse(lastSeen),
    endedMs: Date.parse(lastSeen) + 1000,
    ...own,
  };
}

/** Gives the rows in blocks of `blockRows`. */
export function handSource(positions: readonly HandPosition[], flights: readonly HandFlight[] = [], blockRows = 1000): DaySource {
  return {
    name: 'the test',
    async fill(_bounds, target) {
      for (let from = 0; from < positions.length; from += blockRows)
        target.add('positions', columnsOf('positions', positions.slice(from, from + blockRows)));
      target.add('flights', columnsOf('flights', flights));
    },
  };
}

export function columnsOf(kind: DailyKind, rows: readonly object[]) {
  return spillColumns[kind].map(({ name }) => rows.map((row) => (row as Record<string, number | string | null>)[name]!));
}
