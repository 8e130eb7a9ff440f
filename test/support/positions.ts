// Positions for tests of tracks and of the history: plain objects in readable units, as columns or in a real history store, where what is not given is
// ordinary; and rows of made-up aircraft for a log: the same numbers give the same rows.

import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import type { HistoryClient } from '../../pipeline/store/client.ts';
import { ON_GROUND, Points, pointFields } from '../../pipeline/tracks/points.ts';
import { ABSENT } from '../../schemas/absent.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';

export interface TestPosition {
  readonly timeMs: number;
  readonly lat?: number;
  readonly lon?: number;
  readonly altitudeFt?: number | null;
  readonly altitudeGeomFt?: number | null;
  readonly onGround?: boolean;
  readonly speedKt?: number | null;
  readonly trackDeg?: number | null;
  readonly rateFpm?: number | null;
  readonly signalDbfs?: number | null;
  readonly source?: number;
}
export interface StoredPosition extends TestPosition {
  readonly icao24: number;
  readonly callsign?: string;
  readonly squawk?: number;
  readonly partition?: number;
}

/** Fields of the topic in their units; null where nothing is given. */
function fieldsOf({ lat = 50, lon = 5, altitudeFt, altitudeGeomFt, speedKt, trackDeg, rateFpm, signalDbfs, source = 0 }: TestPosition) {
  const scaled = (value: number | null | undefined, scale = 1): number | null => (value == null ? null : Math.round(value * scale));
  return {
    ...{ latitudeMicrodeg: scaled(lat, 1e6), longitudeMicrodeg: scaled(lon, 1e6), rssiDeciDbfs: scaled(signalDbfs, 10), source },
    ...{ altitudeBaroFt: scaled(altitudeFt), altitudeGeomFt: scaled(altitudeGeomFt), baroRateFpm: scaled(rateFpm) },
    ...{ groundSpeedDeciKt: scaled(speedKt, 10), trackCentideg: scaled(trackDeg, 100) },
  };
}

/** Columns with these positions. */
export function pointsOf(positions: readonly TestPosition[], flags: readonly number[] = []): Points {
  const points = new Points(Math.max(1, positions.length));
  positions.forEach((position, i) => {
    const fields = fieldsOf(position);
    pointFields.forEach((name, field) => {
      points.set(i, field, fields[name] ?? ABSENT);
    });
    points.timeMs[i] = position.timeMs;
    points.setFlags(i, (position.onGround === true ? ON_GROUND : 0) | (flags[i] ?? 0));
  });
  points.count = positions.length;
  return points;
}

/** One position, as point 0. */
export const positionOf = (position: TestPosition): Points => pointsOf([position]);

export async function storePositions(client: HistoryClient, positions: readonly StoredPosition[], token: string): Promise<void> {
  const rows = positions.map((position, frameOffset) => {
    const { timeMs, icao24, onGround = false, callsign = null, squawk = null, partition = 0 } = position;
    return {
      ...{ time: new Date(timeMs).toISOString().replace('Z', ''), icao24, onGround, callsign, squawk, partition },
      ...{ nic: 8, rcM: 186, frameOffset, frameIndex: 0 },
      ...fieldsOf({ altitudeFt: 12_000, speedKt: 250, trackDeg: 90, ...position }),
    };
  });
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await client.insert({ table: 'positions', columns: Object.keys(rows[0]!), format: 'JSONEachRow', body, token });
}

/** A record of positions, as a tick of the fold writes it. */
export const tickRecord = (codecs: Codecs, tickMs: number, rows: PositionRow[]): OutgoingRecord => ({
  ...{ key: null, value: codecs.PositionBatch.encode({ tickMs, rows }), timestampMs: tickMs },
});

/** A millisecond before midnight at the end of a leap day. */
export const LEAP_DAY_END_MS = Date.UTC(2024, 1, 29, 23, 59, 59, 999);

export interface PositionsToAppend {
  readonly partition: number;
  /** Records and rows of each; a record is a tick of one second. */
  readonly records: number;
  readonly rows: number;
  /** Tick of the first record. */
  readonly startMs: number;
  /** Number of the first record, which numbers the frames. */
  readonly first?: number;
}

export function positionRow(partition: number, record: number, row: number, tickMs: number): PositionRow {
  const random = new Random(partition, record, row);
  const optional = (value: number): number | null => (random.below(4) === 0 ? null : value);
  return {
    hex: `${row % 17 === 0 ? '~' : ''}${(0x40_0000 + row * 2 + partition).toString(16)}`,
    timeUs: 1000 * tickMs - 1_000_000 + (row % 1000) * 1000 + 1,
    latitudeMicrodeg: 50_000_000 + (row % 1000) * 2000 + record * 37,
    longitudeMicrodeg: -3_000_000 + (row % 700) * 3000 - record * 11,
    onGround: row % 11 === 0,
    altitudeBaroFt: optional(25 * ((row * 13) % 1600) - 1000),
    altitudeGeomFt: optional(25 * ((row * 13) % 1600) - 900),
    groundSpeedDeciKt: optional((row * 31) % 6000),
    trackCentideg: optional((row * 517) % 36_000),
    baroRateFpm: optional(64 * ((row % 60) - 30)),
    source: row % 4,
    nic: row % 12,
    rcM: (row * 37) % 3704,
    frameOffset: record,
    frameIndex: row % 65_536,
    callsign: random.below(5) === 0 ? null : `TST${row % 997}${record % 100 < 50 ? '' : 'A'}`,
    squawk: optional((row * 41) % 7778),
    rssiDeciDbfs: optional(-random.below(400)),
  };
}

export async function appendPositions(
  { log, codecs }: { readonly log: EventLog; readonly codecs: Codecs },
  wanted: PositionsToAppend,
): Promise<void> {
  const { partition, records, rows, startMs, first = 0 } = wanted;
  const list = Array.from({ length: records }, (_, i) => {
    const tickMs = startMs + 1000 * i;
    return tickRecord(
      codecs,
      tickMs,
      Array.from({ length: rows }, (_row, row) => positionRow(partition, first + i, row, tickMs)),
    );
  });
  await log.append('positions', partition, list);
}
