// The history tables: columns in the order of their insertion, keys, partitions. Statements that create them: ddl.ts.
import { endedFlightSchema } from '../avro/ended-flight.ts';
import { FEEDER_DIRECTIONS } from '../avro/feeder-record.ts';
import { limits } from '../limits/index.ts';
import { type PositionField, positionFields } from '../position-fields.ts';
import { COUNTS_UP, type Column, icao24, instant, nullable, plain, STEPS } from './columns.ts';

export interface Table {
  readonly name: string;
  readonly about: string;
  /** Inserted columns, in this order. */
  readonly columns: readonly Column[];
  /** Prefix of `MergeTree`. */
  readonly engine: '' | 'Replacing';
  readonly partitionBy: string;
  readonly orderBy: string;
  /** Bytes of a column that are compressed together, at least; the engine's default is 65,536. A look at one granule unpacks them all. */
  readonly blockBytesMin?: number;
}

/** Fields that say where a position comes from. */
const FRAME: readonly string[] = ['frameOffset', 'frameIndex'];
const columnsOf = (isWanted: (field: PositionField) => boolean): Column[] => positionFields.filter(isWanted).map(({ column }) => column);

/** One row per accepted position: the rows of `PositionBatch`, and where they come from. */
export const positions: Table = {
  name: 'positions',
  about: 'One row per accepted position.',
  columns: [
    ...columnsOf(({ name }) => name === 'timeUs'),
    ...columnsOf(({ name }) => !['timeUs', ...FRAME].includes(name)),
    plain('partition', 'UInt16', 'Partition of the frames topic.'),
    ...columnsOf(({ name }) => FRAME.includes(name)),
  ],
  engine: '',
  partitionBy: 'toDate(time)',
  orderBy: '(toStartOfTenMinutes(time), icao24, time)',
  // A granule of four-byte values has as much: a track reads some ten granules of each column. 3 % more on the disk.
  blockBytesMin: 32_768,
};

/** Avro fields of an ended flight as columns: times lose `Ms` from their names, the address becomes a number. */
function flightColumn({ name, type, doc = '' }: { name: string; type: unknown; doc?: string }): Column {
  const about = `${doc[0]!.toUpperCase()}${doc.slice(1)}.`;
  const optional = Array.isArray(type);
  if (name.endsWith('Ms')) {
    const column = instant(name.slice(0, -'Ms'.length), about);
    return optional ? nullable(column) : column;
  }
  if (name.endsWith('Offset')) return plain(name, 'Int64', about, STEPS);
  const text = name === 'callsign' ? 'Nullable(String)' : optional ? 'LowCardinality(Nullable(String))' : 'LowCardinality(String)';
  return plain(name, text, about);
}

/** One row per flight that ended: the fields of `EndedFlight`, and where the record is. */
export const flights: Table = {
  name: 'flights',
  about: 'One row per flight that ended.',
  columns: [
    icao24,
    ...endedFlightSchema.fields.filter(({ name }) => name !== 'hex').map(flightColumn),
    plain('partition', 'UInt16', 'Partition of the topic of ended flights.'),
    plain('recordOffset', 'Int64', 'Offset of the record in that partition.', STEPS),
  ],
  engine: '',
  partitionBy: 'toDate(ended)',
  orderBy: '(icao24, firstSeen)',
};

/** Statistics of the received signal and counts of aircraft, one row per 2 s. A sample that is written twice counts once. */
export const signalHistory = {
  name: 'signal_history',
  about: 'Received signal, one row per 2 seconds.',
  columns: [
    plain('time', "DateTime('UTC')", 'Time of the sample.', 'DoubleDelta, ZSTD(1)'),
    plain('avgDeciDbfs', 'Nullable(Int16)', 'Average of the signal of all aircraft. In dBFS times 10.', STEPS),
    plain('medianDeciDbfs', 'Nullable(Int16)', 'Median. In dBFS times 10.', STEPS),
    plain('p10DeciDbfs', 'Nullable(Int16)', '10th percentile. In dBFS times 10.', STEPS),
    plain('p90DeciDbfs', 'Nullable(Int16)', '90th percentile. In dBFS times 10.', STEPS),
    plain('aircraftCount', 'UInt32', 'Aircraft with a known signal.', STEPS),
    // Unknown for samples that were restored from the log.
    plain('aircraft', 'Nullable(UInt32)', 'Aircraft listed.', STEPS),
    plain('withPosition', 'Nullable(UInt32)', 'Aircraft listed with a valid position.', STEPS),
    plain('messagesDeciPerSecond', 'Nullable(UInt32)', 'Messages per second times 10.', STEPS),
    plain('adsbIcao', 'Nullable(UInt32)', 'Aircraft by ADS-B.', STEPS),
    plain('mlat', 'Nullable(UInt32)', 'Aircraft by multilateration.', STEPS),
    plain('tisb', 'Nullable(UInt32)', 'Aircraft by TIS-B.', STEPS),
    plain('adsr', 'Nullable(UInt32)', 'Aircraft by ADS-R.', STEPS),
  ],
  engine: 'Replacing',
  partitionBy: 'toDate(time)',
  orderBy: 'time',
} as const satisfies Table;

/** Counts of a feeder, one row per feeder and five minutes in which it was heard. A row that is written again replaces the one before. */
export const feederHistory: Table = {
  name: 'feeder_history',
  about: 'Counts of a feeder, one row per feeder and 5 minutes.',
  columns: [
    plain('time', "DateTime('UTC')", 'Start of the five minutes.', COUNTS_UP),
    plain('feeder', 'LowCardinality(String)', 'Id of the feeder: a keyed hash.'),
    plain('frames', 'UInt32', 'Frames, noise and duplicates included.', STEPS),
    plain('positions', 'UInt32', 'Positions that it gave first.', STEPS),
    plain('disagreements', 'UInt32', 'Contradictions to others.', STEPS),
    plain('aircraft', 'UInt32', 'The most aircraft in one of its minutes.', STEPS),
    plain('signalDecidb', 'Nullable(Int16)', 'Mean signal level. In dBFS times 10.', STEPS),
    ...Array.from({ length: FEEDER_DIRECTIONS }, (_, i) =>
      plain(
        `range${i}Nm`,
        'UInt16',
        `Greatest range at ${(360 / FEEDER_DIRECTIONS) * i} degrees from north, clockwise. In nautical miles.`,
        STEPS,
      ),
    ),
  ],
  engine: 'Replacing',
  partitionBy: 'toDate(time)',
  orderBy: '(feeder, time)',
};

/**
 * Counts of positions: a view of `positions` with a GROUP BY that each of its parts keeps ready, as a projection. So they are written with the rows, in
 * one rename, and are dropped with them: a materialized view would be a second table, and a store killed between both would lose counts.
 */
export interface Counts {
  readonly name: string;
  readonly about: string;
  /** Expressions over columns of `positions`, by name. Rows are sorted by them within a part. */
  readonly keys: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}

/** Positions per aircraft and day, with the first and the last: on which days an aircraft was seen, without reading positions. */
export const aircraftDays: Counts = {
  name: 'aircraft_days',
  about: 'Positions per aircraft and day (UTC), with the time of the first and of the last.',
  keys: { icao24: 'icao24', day: 'toDate(time)' },
  values: { positions: 'count()', firstTime: 'min(time)', lastTime: 'max(time)' },
};

const CELL_MICRODEG = 1_000_000 / limits.densityCellsPerDegree;

/** Positions per hour and cell of a tenth of a degree: the heat map. */
export const densityHours = {
  name: 'density_hours',
  about: `Positions per hour and cell, which has its southern and western edge in degrees times ${limits.densityCellsPerDegree}.`,
  keys: {
    hour: 'toStartOfHour(time)',
    latitudeCell: `toInt16(floor(latitudeMicrodeg / ${CELL_MICRODEG}))`,
    longitudeCell: `toInt16(floor(longitudeMicrodeg / ${CELL_MICRODEG}))`,
  },
  values: { positions: 'count()' },
} as const satisfies Counts;

/** Tables that lose their oldest days together. */
export const dailyTables: readonly Table[] = [positions, flights, signalHistory, feederHistory];
