// The heat map of a box: positions per cell over whole hours, from the store's counts. With filters the store reads the positions instead.
import type { Box } from '../../../pipeline/view/position-grid.ts';
import { densityHours } from '../../../schemas/clickhouse/tables.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import type { ReadModel } from '../read-model.ts';
import { type DensityFilters, type FlownBy, flownBy, storedConditions } from './density-filters.ts';
import type { Span } from './span.ts';

const PER_DEGREE = limits.densityCellsPerDegree;
const HOUR_MS = 3_600_000;
/** Sizes of a cell, degrees. */
export const cellSizes = ['0.1', '0.2', '0.5', '1', '2', '5'] as const;
export type CellSize = (typeof cellSizes)[number];

interface StoredCell {
  readonly south: number;
  readonly west: number;
  readonly positions: number;
}

/** Numbers of cells are multiples of a step. */
const CELL = '{step:UInt16}';
const isBetween = (latitude: string, longitude: string, crosses: boolean): string =>
  `${latitude} BETWEEN {south:Int32} AND {north:Int32} AND (${longitude} >= {west:Int32} ${crosses ? 'OR' : 'AND'} ${longitude} <= {east:Int32})`;
const column = (number: string): string => `toInt32(floor(${number} / ${CELL}) * ${CELL})`;

/** From the counts of all positions. */
const countsSql = (crosses: boolean): string => `SELECT ${column('latitudeCell')} AS south, ${column('longitudeCell')} AS west,
toFloat64(sum(positions)) AS positions
FROM density_hours
WHERE hour >= fromUnixTimestamp({from:Int64}) AND hour < fromUnixTimestamp({to:Int64}) AND ${isBetween('latitudeCell', 'longitudeCell', crosses)}
GROUP BY south, west
ORDER BY south, west
LIMIT {rows:UInt32}`;

interface FlownCells {
  readonly icao24: number;
  readonly name: string;
  readonly cells: readonly (readonly [south: number, west: number, positions: number])[];
}

const { latitudeCell: LATITUDE_CELL, longitudeCell: LONGITUDE_CELL } = densityHours.keys;
/** From the positions, which are all read: cells by aircraft and call sign. */
const positionsSql = (crosses: boolean, conditions: string): string => `SELECT icao24, name, groupArray((south, west, positions)) AS cells
FROM (
  SELECT icao24, ifNull(callsign, '') AS name, ${column(LATITUDE_CELL)} AS south, ${column(LONGITUDE_CELL)} AS west, toUInt32(count()) AS positions
  FROM positions
  WHERE toStartOfTenMinutes(time) >= fromUnixTimestamp({from:Int64}) AND toStartOfTenMinutes(time) < fromUnixTimestamp({to:Int64})
    AND ${isBetween(LATITUDE_CELL, LONGITUDE_CELL, crosses)}${conditions}
  GROUP BY icao24, name, south, west
  LIMIT {rows:UInt32}
)
GROUP BY icao24, name`;

/**
 * Cells with positions, from the south-west. The span is widened to whole hours. The cells of a box are those that it touches.
 * Errors: `api.history_too_large` for too many cells, and those of the store.
 */
export async function density(
  model: Pick<ReadModel, 'history' | 'reference'>,
  box: Box,
  span: Span,
  size: CellSize,
  filters: DensityFilters,
) {
  const fromMs = Math.floor(span.fromMs / HOUR_MS) * HOUR_MS;
  const toMs = Math.ceil(span.toMs / HOUR_MS) * HOUR_MS;
  const step = Math.round(Number(size) * PER_DEGREE);
  const cellOf = (degrees: number): number => Math.floor((degrees * PER_DEGREE) / step) * step;
  const parameters = {
    ...{ from: fromMs / 1000, to: toMs / 1000, step },
    ...{ south: cellOf(box.southDeg), north: cellOf(box.northDeg) + step - 1 },
    ...{ west: cellOf(box.westDeg), east: cellOf(box.eastDeg) + step - 1 },
  };
  const crosses = box.westDeg > box.eastDeg;
  const cellsMax = limits.densityCellsMax;
  const [conditions, isFlownBy] = [storedConditions(filters), flownBy(filters, model.reference)];
  const cells = await model.history.query(async (client, signal) => {
    const options = { signal, settings: { max_threads: 1 } };
    if (conditions.sql === '' && isFlownBy === null)
      return (await client.rows<StoredCell>(countsSql(crosses), { ...parameters, rows: cellsMax + 1 }, options)).map(shown);
    const rowsMax = limits.densityRowsMax;
    const all = { ...parameters, ...conditions.parameters, rows: rowsMax + 1 };
    return await cellsOf(client.stream<FlownCells>(positionsSql(crosses, conditions.sql), all, options), isFlownBy, rowsMax);
  });
  if (cells.length > cellsMax) throw tooMany(`more than ${cellsMax} cells have positions`);
  return { fromMs, toMs, cells };
}

/** By its south-western corner. */
const shown = ({ south, west, positions }: StoredCell) => ({ lat: south / PER_DEGREE, lon: west / PER_DEGREE, positions });
const tooMany = (what: string): QueryError =>
  new QueryError('api.history_too_large', { detail: `${what}; ask for larger cells, a shorter time or a smaller box` });

/** The cells of the aircraft that pass. */
async function cellsOf(batches: AsyncIterable<FlownCells[]>, isFlownBy: FlownBy | null, rowsMax: number) {
  const sums = new Map<number, StoredCell>();
  let rows = 0;
  for await (const batch of batches)
    for (const { icao24, name, cells } of batch) {
      rows += cells.length;
      if (rows > rowsMax) throw tooMany(`more than ${rowsMax} cells of single aircraft`);
      if (isFlownBy !== null && !isFlownBy(icao24, name)) continue;
      for (const [south, west, count] of cells) {
        const key = south * 360 * PER_DEGREE + west;
        sums.set(key, { south, west, positions: count + (sums.get(key)?.positions ?? 0) });
      }
    }
  return [...sums].sort(([a], [b]) => a - b).map(([, cell]) => shown(cell));
}
