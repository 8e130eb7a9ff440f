// A day of positions and flights made by hand, as a source of the exporter, and in a real log of a data folder, as the stages write them.
import { type DaySource, spillColumns } from '../../exporters/daily/day-source.ts';
import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { FOLD_GROUP } from '../../pipeline/fold/version.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import type { DailyKind } from '../../schemas/daily-file.ts';
import { heartbeat } from '../properties/traffic.ts';
import { tickRecord } from './positions.ts';

/** A row of the spill. */
export type HandPosition = Readonly<Omit<PositionRow, 'hex'>> & { readonly icao24: number; readonly partition: number };
export type HandFlight = Readonly<Omit<EndedFlight, 'hex'>> & {
  readonly icao24: number;
  readonly partition: number;
  readonly recordOffset: number;
};

const plainPosition: Omit<HandPosition, 'timeUs' | 'icao24'> = {
  ...{ latitudeMicrodeg: 52_310_000, longitudeMicrodeg: 4_760_000, onGround: false, altitudeBaroFt: 37_000, altitudeGeomFt: null },
  ...{ groundSpeedDeciKt: 4505, trackCentideg: 12_345, baroRateFpm: -64, source: 0, nic: 8, rcM: 186 },
  ...{ partition: 0, frameOffset: 0, frameIndex: 0, callsign: null, squawk: null, rssiDeciDbfs: null },
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

const BATCH_ROWS = 500;
const BATCH_US = 60e6;

/** Appends them in the order given; rows say their partition. The stages have committed everything, and the frames end after `untilMs`. */
export async function writeLog(
  dataDir: string,
  positions: readonly HandPosition[],
  flights: readonly HandFlight[],
  untilMs: number,
): Promise<void> {
  const { log, codecs } = await openData(dataDir, 'write');
  for (let partition = 0; partition < log.partitions('positions'); partition += 1) {
    const rows = positions.filter((row) => row.partition === partition);
    for (const some of batches(rows)) {
      const tickMs = Math.ceil(some.at(-1)!.timeUs / 1e6) * 1000;
      const rows = some.map(({ icao24, partition: _, ...row }) => ({ ...row, hex: keyHex(icao24) }));
      await log.append('positions', partition, [tickRecord(codecs, tickMs, rows)]);
    }
    for (const { icao24, partition: at, recordOffset: _, ...flight } of flights) {
      if (at !== partition) continue;
      const value = codecs.EndedFlight.encode({ ...flight, hex: keyHex(icao24) } as never);
      await log.append('flightsEnded', partition, [{ key: keyHex(icao24), value, timestampMs: flight.endedMs }]);
    }
    const frames = await log.append('frames', partition, frameRecords(codecs, [heartbeat(untilMs * 1000)]));
    const fromOffset = (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0;
    await log.commit({ group: FOLD_GROUP, topic: 'frames', partition, fromOffset, nextOffset: frames + 1, outputs: [] });
  }
  await log.close();
}

/** A batch is of a short time, as a tick is. */
function batches(rows: readonly HandPosition[]): HandPosition[][] {
  const made: HandPosition[][] = [];
  for (const row of rows) {
    const last = made.at(-1);
    if (last === undefined || last.length === BATCH_ROWS || row.timeUs > last[0]!.timeUs + BATCH_US) made.push([row]);
    else last.push(row);
  }
  return made;
}
