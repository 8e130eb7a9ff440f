// The heat map of a box: positions per cell over whole hours, from the store's counts: filters of keys only, or the store reads all positions.
import type { Box } from '../../../pipeline/view/position-grid.ts';
import { historyLimits } from '../../../schemas/history-limits.ts';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { QueryError } from '../errors.ts';
import type { ReadModel } from '../read-model.ts';
import type { Span } from './span.ts';

const PER_DEGREE = historyLimits.densityCellsPerDegree;
const HOUR_MS = 3_600_000;
/** Sizes of a cell, degrees. */
export const cellSizes = ['0.1', '0.2', '0.5', '1', '2', '5'] as const;
export type CellSize = (typeof cellSizes)[number];

export interface DensityCell {
  /** South-western corner. */
  readonly lat: number;
  readonly lon: number;
  readonly positions: number;
}

export interface Density extends Span {
  readonly cells: readonly DensityCell[];
}

interface StoredCell {
  readonly south: number;
  readonly west: number;
  readonly positions: number;
}

const COLUMN = (column: string): string => `toInt32(floor(${column} / {step:UInt16}) * {step:UInt16})`;
const sql = (longitudes: string): string => `SELECT ${COLUMN('latitudeCell')} AS south, ${COLUMN('longitudeCell')} AS west,
toFloat64(sum(positions)) AS positions
FROM density_hours
WHERE hour >= fromUnixTimestamp({from:Int64}) AND hour < fromUnixTimestamp({to:Int64})
  AND latitudeCell BETWEEN {south:Int32} AND {north:Int32} AND ${longitudes}
GROUP BY south, west
ORDER BY south, west
LIMIT {rows:UInt32}`;
const PLAIN = sql('longitudeCell BETWEEN {west:Int32} AND {east:Int32}');
const CROSSING = sql('(longitudeCell >= {west:Int32} OR longitudeCell <= {east:Int32})');

/**
 * Cells with positions, from the south-west. The span is widened to whole hours. The cells of a box are those that it touches.
 * Errors: `api.history_too_large` for too many cells, and those of the store.
 */
export async function density({ history }: Pick<ReadModel, 'history'>, box: Box, span: Span, size: CellSize): Promise<Density> {
  const fromMs = Math.floor(span.fromMs / HOUR_MS) * HOUR_MS;
  const toMs = Math.ceil(span.toMs / HOUR_MS) * HOUR_MS;
  const step = Math.round(Number(size) * PER_DEGREE);
  const cellOf = (degrees: number): number => Math.floor((degrees * PER_DEGREE) / step) * step;
  const rowsMax = trackLimits.densityCellsMax;
  const parameters = {
    ...{ from: fromMs / 1000, to: toMs / 1000, step, rows: rowsMax + 1 },
    ...{ south: cellOf(box.southDeg), north: cellOf(box.northDeg) + step - 1 },
    ...{ west: cellOf(box.westDeg), east: cellOf(box.eastDeg) + step - 1 },
  };
  const rows = await history.query((client, signal) =>
    client.rows<StoredCell>(box.westDeg > box.eastDeg ? CROSSING : PLAIN, parameters, { signal, settings: { max_threads: 1 } }),
  );
  if (rows.length > rowsMax)
    throw new QueryError('api.history_too_large', {
      detail: `more than ${rowsMax} cells have positions; ask for larger cells or a smaller box`,
    });
  const cells = rows.map(({ south, west, positions }) => ({ lat: south / PER_DEGREE, lon: west / PER_DEGREE, positions }));
  return { fromMs, toMs, cells };
}
