// Positions of one aircraft from the store, as points. Rows have a fixed width in RowBinary, so reading them is a walk over bytes.

import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { ON_GROUND, Points, pointFields } from '../../../pipeline/tracks/points.ts';
import { ABSENT } from '../../../schemas/absent.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import type { Span } from './span.ts';
import { IN_BUCKETS, storedBytes } from './stored-rows.ts';

const columns = pointFields.map((name) => `ifNull(toInt32(${name}), toInt32(${ABSENT}))`).join(', ');
const SQL = `SELECT toUnixTimestamp64Milli(time), ${columns}, toUInt8(onGround)
FROM positions
WHERE ${IN_BUCKETS}
  AND icao24 = {key:UInt32}
  AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({to:Int64} + 1, 'UTC')
ORDER BY time
LIMIT {rows:UInt32}
FORMAT RowBinary`;
const FLAGS_AT = 8 + 4 * pointFields.length;
const ROW_BYTES = FLAGS_AT + 1;

/**
 * All positions from `fromMs` to `toMs`, both included, in order of time. Several positions in one ms count as one.
 * Error: `api.history_too_large` for more than `limits.historyPositionsMax`, and those of the client.
 */
export async function storedPositions(client: HistoryClient, signal: AbortSignal, key: number, { fromMs, toMs }: Span): Promise<Points> {
  const rowsMax = limits.historyPositionsMax;
  const parameters = { from: fromMs, to: toMs, key, rows: rowsMax + 1 };
  // The response comes as a whole: a stream takes a millisecond more. Other columns in the order, for positions of the same microsecond, take two.
  const bytes = await storedBytes(client, SQL, parameters, { signal, settings: { max_threads: 1, wait_end_of_query: 1 } });
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
    for (let field = 0; field < pointFields.length; field += 1) points.set(i, field, view.getInt32(at + 8 + 4 * field, true));
    points.setFlags(i, view.getUint8(at + FLAGS_AT) === 0 ? 0 : ON_GROUND);
    points.count += 1;
  }
  return points;
}
