// A day of positions and flights made by hand, as a source of the exporter.
import type { DaySource, FlightRow, PositionBlock } from '../../exporters/daily/day-source.ts';

export type HandPosition = { readonly [Name in keyof PositionBlock]: PositionBlock[Name][number] };

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

const plainFlight: Omit<FlightRow, 'icao24' | 'firstSeenMs' | 'lastSeenMs' | 'endedMs'> = {
  ...{ callsign: 'KLM12A', airborneMs: null, origin: 'EHAM', originSource: 'observed', destination: 'KJFK', destinationSource: 'plan' },
  ...{ takeoffMs: null, takeoffAirport: 'EHAM', takeoffSource: 'transition', landingMs: null, landingAirport: null, landingSource: null },
  ...{ end: 'gone', partition: 0, recordOffset: 0 },
};

export function handFlight(icao24: number, firstSeen: string, lastSeen: string, own: Partial<FlightRow> = {}): FlightRow {
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
export function handSource(positions: readonly HandPosition[], flights: readonly FlightRow[] = [], blockRows = 1000): DaySource {
  return {
    name: 'the test',
    async fill(_bounds, target) {
      for (let from = 0; from < positions.length; from += blockRows) target.positions(blockOf(positions.slice(from, from + blockRows)));
      target.flights(flights);
    },
  };
}

export function blockOf(positions: readonly HandPosition[]): PositionBlock {
  const names = ['timeUs', 'icao24', ...Object.keys(plainPosition)] as (keyof HandPosition)[];
  return Object.fromEntries(names.map((name) => [name, positions.map((row) => row[name])])) as unknown as PositionBlock;
}
