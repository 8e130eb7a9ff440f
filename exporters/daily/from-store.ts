// The rows of a day from the history store: Parquet in stretches of a bounded number of rows, which DuckDB reads from files. Rows never pass through JavaScript.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HistoryClient, QueryParameters } from '../../pipeline/store/client.ts';
import type { DailyKind } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type DayBounds, type DaySource, type SpillTarget, type SpillWatch, spillColumns } from './day-source.ts';

/** Addresses are counted in blocks of this size, so that stretches need not be counted aircraft by aircraft. */
const ADDRESS_BLOCK = 65_536;
const ADDRESS_BLOCKS = 512;

/**
 * DuckDB reads every row of these files once. Bloom filters, the page index and dictionaries help readers that skip rows, and making them is two thirds
 * of the store's work.
 */
const PARQUET_SETTINGS = {
  output_format_parquet_compression_method: 'lz4',
  output_format_parquet_write_bloom_filter: 0,
  output_format_parquet_write_page_index: 0,
  output_format_parquet_max_dictionary_size: 0,
} as const;

/** Positions from `fromS` to before `toS`, of the addresses in these blocks. */
interface Stretch {
  readonly fromS: number;
  readonly toS: number;
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly rows: number;
}

/** Errors: `history.…`. */
export function storeSource(client: HistoryClient): DaySource {
  return {
    name: 'the history store',
    async fill(bounds, target, watch) {
      await fillPositions(client, bounds, target, watch);
      await fillFlights(client, bounds, target, watch);
    },
  };
}

async function fillPositions(
  client: HistoryClient,
  bounds: DayBounds,
  target: SpillTarget,
  { signal, onProgress }: SpillWatch,
): Promise<void> {
  const stretches = stretchesOf(await countedBlocks(client, bounds, signal));
  const total = stretches.reduce((sum, { rows }) => sum + rows, 0);
  let rows = 0;
  const paths: string[] = [];
  let next = 0;
  const fetchNext = async (): Promise<void> => {
    for (let at = next; at < stretches.length; at = next) {
      next += 1;
      const path = join(target.folder, `positions-${at}.parquet`);
      await fetchStretch(client, stretches[at]!, path, signal);
      paths.push(path);
      rows += stretches[at]!.rows;
      onProgress(rows, total, rows);
    }
  };
  await Promise.all(Array.from({ length: limits.exportFetchesMax }, fetchNext));
  target.addFiles('positions', paths.sort());
}

interface CountedBlock {
  readonly bucketS: number;
  readonly block: number;
  readonly rows: number;
}

/** Rows per ten minutes and block of addresses, in the order of the table. */
function countedBlocks(client: HistoryClient, { startMs, endMs }: DayBounds, signal: AbortSignal): Promise<CountedBlock[]> {
  return client.rows<CountedBlock>(
    `SELECT toUInt32(toStartOfTenMinutes(time)) AS bucketS, toUInt32(intDiv(icao24, ${ADDRESS_BLOCK})) AS block, toUInt32(count()) AS rows
      FROM positions WHERE time >= fromUnixTimestamp64Milli({startMs:Int64}) AND time < fromUnixTimestamp64Milli({endMs:Int64})
      GROUP BY bucketS, block ORDER BY bucketS, block`,
    { startMs, endMs },
    { signal, secondsMax: limits.exportQuerySecondsMax },
  );
}

/** Joins whole buckets while they fit, and splits a bucket that alone has more rows. */
export function stretchesOf(counted: readonly CountedBlock[], rowsMax: number = limits.exportFetchRows): Stretch[] {
  const buckets = new Map<number, CountedBlock[]>();
  for (const row of counted) buckets.set(row.bucketS, [...(buckets.get(row.bucketS) ?? []), row]);
  const stretches: Stretch[] = [];
  let whole = null as Stretch | null;
  for (const [fromS, blocks] of buckets) {
    const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
    const bucket: Stretch = { fromS, toS: fromS + 600, fromBlock: 0, toBlock: ADDRESS_BLOCKS, rows };
    if (whole !== null && whole.rows + rows <= rowsMax) whole = { ...whole, toS: bucket.toS, rows: whole.rows + rows };
    else {
      if (whole !== null) stretches.push(whole);
      whole = rows <= rowsMax ? bucket : null;
      if (whole === null) stretches.push(...splitBucket(bucket, blocks, rowsMax));
    }
  }
  return whole === null ? stretches : [...stretches, whole];
}

function splitBucket(bucket: Stretch, blocks: readonly CountedBlock[], rowsMax: number): Stretch[] {
  const parts: Stretch[] = [];
  let part: { -readonly [Name in keyof Stretch]: Stretch[Name] } = { ...bucket, rows: 0 };
  for (const { block, rows } of blocks) {
    if (part.rows > 0 && part.rows + rows > rowsMax) {
      parts.push({ ...part, toBlock: block });
      part = { ...bucket, fromBlock: block, rows: 0 };
    }
    part.rows += rows;
  }
  return [...parts, part];
}

async function fetchStretch(
  client: HistoryClient,
  { fromS, toS, fromBlock, toBlock }: Stretch,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const condition =
    'time >= fromUnixTimestamp64Milli({fromMs:Int64}) AND time < fromUnixTimestamp64Milli({toMs:Int64}) AND icao24 >= {from:UInt32} AND icao24 < {to:UInt32}';
  const parameters = { fromMs: fromS * 1000, toMs: toS * 1000, from: fromBlock * ADDRESS_BLOCK, to: toBlock * ADDRESS_BLOCK };
  await fetchRows(client, 'positions', condition, parameters, path, signal);
}

async function fillFlights(
  client: HistoryClient,
  { startMs, endMs }: DayBounds,
  target: SpillTarget,
  { signal }: SpillWatch,
): Promise<void> {
  const condition = `(lastSeen >= fromUnixTimestamp64Milli({startMs:Int64}) AND firstSeen < fromUnixTimestamp64Milli({endMs:Int64}))
    OR (ended >= fromUnixTimestamp64Milli({startMs:Int64}) AND ended < fromUnixTimestamp64Milli({endMs:Int64}))`;
  const path = join(target.folder, 'flights.parquet');
  await fetchRows(client, 'flights', condition, { startMs, endMs }, path, signal);
  target.addFiles('flights', [path]);
}

/** Writes rows of a table into a file. */
async function fetchRows(
  client: HistoryClient,
  kind: DailyKind,
  condition: string,
  parameters: QueryParameters,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const columns = spillColumns[kind].map(({ name, stored }) => `${stored} AS "${name}"`).join(', ');
  const bytes = client.bytes(`SELECT ${columns} FROM ${kind} WHERE ${condition} FORMAT Parquet`, parameters, {
    ...{ signal, secondsMax: limits.exportQuerySecondsMax, settings: PARQUET_SETTINGS },
  });
  await pipeline(Readable.from(bytes, { objectMode: false }), createWriteStream(path), { signal });
}
