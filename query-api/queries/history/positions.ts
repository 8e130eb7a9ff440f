// Positions of one aircraft from the store, as points. Rows have a fixed width in RowBinary, so reading them is a walk over bytes.

import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { ON_GROUND, Points } from '../../../pipeline/tracks/points.ts';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { QueryError } from '../errors.ts';
import type { Span } from './span.ts';

const UNKNOWN = 'toInt32(-2147483648)';
const orUnknown = (column: string): string => `ifNull(toInt32(${column}), ${UNKNOWN})`;
/** The ten minutes are the first part of the key: with them the store reads a few granules per bucket. */
const SQL = `SELECT toUnixTimestamp64Milli(time), latitudeMicrodeg, longitudeMicrodeg, ${orUnknown('altitudeBaroFt')},
${orUnknown('altitudeGeomFt')}, ${orUnknown('groundSpeedDeciKt')}, ${orUnknown('trackCentideg')}, ${orUnknown('baroRateFpm')},
${orUnknown('rssiDeciDbfs')}, toUInt8(source), toUInt8(onGround)
FROM positions
WHERE toStartOfTenMinutes(time) BETWEEN toStartOfTenMinutes(fromUnixTimestamp64Milli({from:Int64}, 'UTC'))
  AND toStartOfTenMinutes(fromUnixTimestamp64Milli({to:Int64}, 'UTC'))
  AND icao24 = {key:UInt32}
  AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({to:Int64} + 1, 'UTC')
ORDER BY time
LIMIT {rows:UInt32}
FORMAT RowBinary`;
const ROW_BYTES = 8 + 8 * 4 + 2;

/**
 * All positions from `fromMs` to `toMs`, both included, in order of time. Of several in one ms one.
 * Error: `api.history_too_large` for more than `trackLimits.historyPositionsMax`, and those of the client.
 */
export async function storedPositions(client: HistoryClient, signal: AbortSignal, key: number, { fromMs, toMs }: Span): Promise<Points> {
  const rowsMax = trackLimits.historyPositionsMax;
  const parameters = { from: fromMs, to: toMs, key, rows: rowsMax + 1 };
  // Whole: a stream takes a millisecond more. Other columns in the order, for positions of the same microsecond, take two.
  const settings = { max_threads: 1, wait_end_of_query: 1 } as const;
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.bytes(SQL, parameters, { signal, settings })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const rows = Math.floor(bytes.length / ROW_BYTES);
  if (rows > rowsMax)
    throw new QueryError('api.history_too_large', {
      detail: `the aircraft has more than ${rowsMax} positions in this time; ask for a shorter one`,
    });
  return readRows(bytes, rows);
}

function readRows(bytes: Buffer, rows: number): Points {
  const points = new Points(Math.max(1, rows));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let row = 0; row < rows; row += 1) {
    const at = row * ROW_BYTES;
    const i = points.count;
    const timeMs = view.getUint32(at, true) + 2 ** 32 * view.getInt32(at + 4, true);
    if (i > 0 && timeMs <= points.timeMs[i - 1]!) continue;
    points.timeMs[i] = timeMs;
    points.latitudeMicrodeg[i] = view.getInt32(at + 8, true);
    points.longitudeMicrodeg[i] = view.getInt32(at + 12, true);
    points.altitudeBaroFt[i] = view.getInt32(at + 16, true);
    points.altitudeGeomFt[i] = view.getInt32(at + 20, true);
    points.groundSpeedDeciKt[i] = view.getInt32(at + 24, true);
    points.trackCentideg[i] = view.getInt32(at + 28, true);
    points.baroRateFpm[i] = view.getInt32(at + 32, true);
    points.signalDeciDbfs[i] = view.getInt32(at + 36, true);
    points.source[i] = view.getUint8(at + 40);
    points.flags[i] = view.getUint8(at + 41) === 0 ? 0 : ON_GROUND;
    points.count += 1;
  }
  return points;
}
