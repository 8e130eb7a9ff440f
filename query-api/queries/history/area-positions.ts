// All stored positions of a box over some minutes, by aircraft: for maps that play the past at a pace for which slices of 30 s are too coarse. The store writes
// the JSON, so that the main thread copies bytes only.
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import type { Box } from '../../../pipeline/view/position-grid.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import type { Span } from './span.ts';
import { IN_BUCKETS, storedBounds, storedBytes } from './stored-rows.ts';

const MINUTE_MS = 60_000;
const MICRODEG = 1_000_000;
const HALF_TURN = 180;

/** A line of JSON for each aircraft, with its positions as columns. All of a bucket of the key are read: a minute costs as much as ten. */
const sql = (
  longitudes: string,
): string => `WITH groupArray((atMs, latitudeMicrodeg / 1e6, longitudeMicrodeg / 1e6, ifNull(altitudeBaroFt, altitudeGeomFt),
toUInt8(onGround), groundSpeedDeciKt / 10, trackCentideg / 100)) AS points
SELECT toUInt32(count()) AS count, concat(if(icao24 < 16777216, '', '~'), lower(leftPad(hex(bitAnd(icao24, 16777215)), 6, '0'))) AS hex,
points.1 AS t, points.2 AS lat, points.3 AS lon, points.4 AS alt, points.5 AS ground, points.6 AS gs, points.7 AS track
FROM (
  SELECT *, toUInt32(toUnixTimestamp64Milli(time) - {from:Int64}) AS atMs
  FROM positions
  WHERE ${IN_BUCKETS}
    AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
    AND latitudeMicrodeg BETWEEN {south:Int32} AND {north:Int32} AND ${longitudes}
  ORDER BY icao24, time, frameOffset, frameIndex
  LIMIT {rows:UInt32}
)
GROUP BY icao24
ORDER BY icao24
FORMAT JSONEachRow`;
const PLAIN = sql('longitudeMicrodeg BETWEEN {west:Int32} AND {east:Int32}');
const CROSSING = sql('(longitudeMicrodeg >= {west:Int32} OR longitudeMicrodeg <= {east:Int32})');
/** How each line begins; its number of positions follows. */
const LINE_START = '{"count":';

export interface Area extends Span {
  readonly box: Box;
}

/** The same for many viewers: whole minutes and degrees. */
export function widenedArea({ fromMs, toMs }: Span, { southDeg, westDeg, northDeg, eastDeg }: Box): Area {
  const [west, east] = [Math.floor(westDeg), Math.ceil(eastDeg)];
  const isWorld = westDeg > eastDeg && west <= east;
  return {
    fromMs: Math.floor(fromMs / MINUTE_MS) * MINUTE_MS,
    toMs: Math.ceil(toMs / MINUTE_MS) * MINUTE_MS,
    box: {
      ...{ southDeg: Math.floor(southDeg), northDeg: Math.ceil(northDeg) },
      ...{ westDeg: isWorld ? -HALF_TURN : west, eastDeg: isWorld ? HALF_TURN : east },
    },
  };
}

/** The response in pieces. Error: `api.history_too_large` for more than `limits.areaPositionsMax` positions, and those of the client. */
export async function areaPositions(client: HistoryClient, signal: AbortSignal, area: Area): Promise<string[]> {
  const { box, fromMs, toMs } = area;
  const { newestMs } = await storedBounds(client, signal);
  const rowsMax = limits.areaPositionsMax;
  const parameters = {
    ...{ from: fromMs, to: toMs, rows: rowsMax + 1, south: MICRODEG * box.southDeg, north: MICRODEG * box.northDeg },
    ...{ west: MICRODEG * box.westDeg, east: MICRODEG * box.eastDeg },
  };
  const bytes = await storedBytes(client, box.westDeg > box.eastDeg ? CROSSING : PLAIN, parameters, { signal });
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
  const total = lines.reduce((sum, line) => sum + Number.parseInt(line.slice(LINE_START.length), 10), 0);
  if (total > rowsMax)
    throw new QueryError('api.history_too_large', {
      detail: `the box has more than ${rowsMax} positions; ask for fewer minutes or a smaller box`,
    });
  return [areaHead(area, total, Math.min(toMs, newestMs ?? fromMs)), lines.join(','), ']}\n'];
}

/** The response without positions. */
export function emptyArea(area: Area): string {
  return `${areaHead(area, 0, area.fromMs)}]}\n`;
}

function areaHead({ fromMs, toMs, box: { southDeg, westDeg, northDeg, eastDeg } }: Area, total: number, storedToMs: number): string {
  const bbox = { min_lat: southDeg, min_lon: westDeg, max_lat: northDeg, max_lon: eastDeg };
  const times = `"from":${seconds(fromMs)},"to":${seconds(toMs)},"stored_to":${seconds(Math.max(fromMs, storedToMs))}`;
  return `{"total":${total},${times},"bbox":${JSON.stringify(bbox)},"aircraft":[`;
}
