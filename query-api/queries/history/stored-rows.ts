// Rows of the store in a stretch of time: the number of positions, and whether later ones prove that no more will come.

import type { HistoryClient, QueryOptions, QueryParameters } from '../../../pipeline/store/client.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { Span } from './span.ts';

const MS_PER_S = 1000;
/** A bucket of the key. Positions of a partition are stored in the order of the log, whose times go back by seconds at most. */
export const BUCKET_MS = 600_000;
const settings = { max_threads: 1 };

/** The buckets that contain a part of a span, `from` and `to` in ms: with them the store reads a few granules of each. */
export const IN_BUCKETS = `toStartOfTenMinutes(time) BETWEEN toStartOfTenMinutes(fromUnixTimestamp64Milli({from:Int64}, 'UTC'))
  AND toStartOfTenMinutes(fromUnixTimestamp64Milli({to:Int64}, 'UTC'))`;

/** All bytes of a response. */
export async function storedBytes(client: HistoryClient, sql: string, parameters: QueryParameters, options: QueryOptions): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.bytes(sql, parameters, { settings, ...options })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const BETWEEN =
  'toStartOfTenMinutes(time) >= fromUnixTimestamp({from:Int64}) AND toStartOfTenMinutes(time) < fromUnixTimestamp({to:Int64})';

const parameters = ({ fromMs, toMs }: Span) => ({ from: fromMs / MS_PER_S, to: toMs / MS_PER_S });

/** Rows of a stretch of whole buckets, and whether they are all: it looks for later ones first, so that it never takes rows for all that come in between. */
export async function storedStretch(client: HistoryClient, signal: AbortSignal, stretch: Span, partitions: number | null) {
  const isSettled = partitions !== null && (await isStoredBeyond(client, signal, stretch.toMs, partitions));
  return { rows: await storedRows(client, signal, stretch), isSettled };
}

/** Times of the first and the newest position in the store, from its statistics of parts; null without any. */
export async function storedBounds(client: HistoryClient, signal: AbortSignal) {
  const sql = `SELECT toUInt32(count()) AS rows, toFloat64(toUnixTimestamp64Milli(min(time))) AS firstMs, toFloat64(toUnixTimestamp64Milli(max(time))) AS newestMs FROM positions`;
  const [row] = await client.rows<{ rows: number; firstMs: number; newestMs: number }>(sql, {}, { signal, settings });
  return row!.rows === 0 ? { firstMs: null, newestMs: null } : { firstMs: row!.firstMs, newestMs: row!.newestMs };
}

/** Number of positions. As rows are only added or dropped, another number means other rows. */
export async function storedRows(client: HistoryClient, signal: AbortSignal, stretch: Span): Promise<number> {
  const sql = `SELECT toUInt32(count()) AS rows FROM positions WHERE ${BETWEEN}`;
  const [row] = await client.rows<{ rows: number }>(sql, parameters(stretch), { signal, settings });
  return row!.rows;
}

/** True if every partition has positions from well after `endMs`: then it has all from before. A partition that is late, or heard nothing, has none. */
async function isStoredBeyond(client: HistoryClient, signal: AbortSignal, endMs: number, partitions: number): Promise<boolean> {
  const fromMs = endMs + BUCKET_MS;
  const sql = `SELECT partition FROM positions WHERE ${BETWEEN} LIMIT 1 BY partition LIMIT {partitions:UInt32}`;
  const later = parameters({ fromMs, toMs: fromMs + limits.heatMapLaterMs });
  return (await client.rows(sql, { ...later, partitions }, { signal, settings })).length >= partitions;
}
