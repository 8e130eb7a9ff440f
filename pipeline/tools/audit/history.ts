// `squitter audit --history`: the rows of the history store against the records of the log, count and content. Every row of every record that
// the sink has committed is made again and compared with what the store returns for that stretch.
import { limits } from '../../../schemas/limits/index.ts';
import type { Codecs } from '../../log/codec.ts';
import type { EventLog } from '../../log/event-log.ts';
import { BEGIN_GROUP } from '../../log/group-offset.ts';
import { flightProjection } from '../../project/flight-projection.ts';
import { rowsBetween, whereText } from '../../project/missing-rows.ts';
import { NativeBlock } from '../../project/native-block.ts';
import { type ReadColumn, readBlocks } from '../../project/native-reader.ts';
import { positionProjection } from '../../project/position-projection.ts';
import type { Projection } from '../../project/projection.ts';
import { isBefore, keysOf, type RowKey } from '../../project/row-keys.ts';
import { sinkGroup } from '../../project/sink.ts';
import type { HistoryClient } from '../../store/client.ts';

/** The tables that are audited, with the records that they are made of. */
export const auditedTables = (codecs: Codecs): readonly Projection[] => [
  positionProjection(codecs.PositionBatch),
  flightProjection(codecs.EndedFlight),
];

export interface HistoryAuditOptions {
  readonly log: EventLog;
  readonly client: HistoryClient;
  readonly onProgress: (done: number, total: number, rows: number) => void;
  readonly signal: AbortSignal;
}

export interface HistoryAudit {
  readonly table: string;
  readonly partition: number;
  /** Records from `from` up to the sink's committed offset are compared. */
  readonly from: number;
  readonly committed: number;
  records: number;
  /** Rows that the log gives, and rows of these records in the store. */
  expected: number;
  stored: number;
  /** Records that could not be read: they are in no table. */
  malformed: number;
  /** Records after the committed offset: the sink has not finished with them. */
  readonly waiting: number;
  readonly differences: string[];
  differenceCount: number;
}

interface Stretch {
  readonly block: NativeBlock;
  firstOffset: number;
  nextOffset: number;
}

/** Audits every partition of a table up to the sink's committed offset. */
export async function auditHistory(options: HistoryAuditOptions, projection: Projection): Promise<HistoryAudit[]> {
  const { topic } = projection;
  const audits: HistoryAudit[] = [];
  for (let partition = 0; partition < options.log.partitions(topic); partition += 1)
    audits.push(await auditPartition(options, projection, partition));
  return audits;
}

async function auditPartition(options: HistoryAuditOptions, projection: Projection, partition: number): Promise<HistoryAudit> {
  const { log, signal, onProgress } = options;
  const { topic } = projection;
  const begin = (await log.committed(BEGIN_GROUP, topic, partition)) ?? 0;
  const earliest = Math.max(begin, (await log.bounds(topic, partition)).earliest);
  const committed = (await log.committed(sinkGroup(projection), topic, partition)) ?? earliest;
  let waiting = 0;
  for await (const { records } of log.read({ topic, partition, from: Math.max(committed, earliest), to: 'end', signal }))
    waiting += records.length;
  const counts = { records: 0, expected: 0, stored: 0, malformed: 0, waiting, differences: [], differenceCount: 0 };
  const audit: HistoryAudit = { table: projection.table, partition, from: earliest, committed, ...counts };
  const stretch: Stretch = { block: new NativeBlock(projection.columns), firstOffset: earliest, nextOffset: earliest };
  let range: readonly [first: RowKey, last: RowKey] | null = null;
  const compare = async (): Promise<void> => {
    if (stretch.block.rows > 0) {
      const keys = await compareStretch(options, projection, audit, stretch);
      range = [range?.[0] ?? keys[0]!, keys.at(-1)!];
    }
    stretch.block.clear();
    stretch.firstOffset = stretch.nextOffset;
  };
  if (earliest < committed)
    for await (const batch of log.read({ topic, partition, from: earliest, to: committed, signal })) {
      for (const record of batch.records) {
        audit.records += 1;
        if (!projection.add(stretch.block, partition, record)) audit.malformed += 1;
        stretch.nextOffset = record.offset + 1;
        if (stretch.block.rows >= limits.auditRowsMax) await compare();
      }
      onProgress(batch.nextOffset, committed, audit.expected);
    }
  await compare();
  if (range !== null) await countRows(options, projection, audit, range);
  return audit;
}

/** Returns the keys of its rows. */
async function compareStretch(
  { client, signal }: HistoryAuditOptions,
  projection: Projection,
  audit: HistoryAudit,
  { block, firstOffset, nextOffset }: Stretch,
): Promise<RowKey[]> {
  const { order, time, table } = projection;
  const bytes = Buffer.concat(block.pieces());
  const expected = readBlocks(bytes)[0]!.columns;
  const keys = keysOf(projection, { columns: expected });
  // The encoder's form: LowCardinality has a form of its own.
  const columns = block.columns.map(({ name, type }) => `CAST(${name} AS ${type.name}) AS ${name}`).join(', ');
  const where = whereText({ partition: audit.partition, order, time }, keys);
  const sql = `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${order.join(', ')} FORMAT Native`;
  const found = await allBytes(client.bytes(sql, undefined, { signal, settings: SETTINGS, secondsMax: limits.auditSecondsMax }));
  audit.expected += block.rows;
  // The usual case.
  if (found.equals(bytes)) {
    audit.stored += block.rows;
    return keys;
  }
  const stored = joined(readBlocks(found).map((each) => each.columns));
  const storedKeys = stored.length === 0 ? [] : keysOf(projection, { columns: stored });
  audit.stored += storedKeys.length;
  const differ = (text: string): void => {
    audit.differenceCount += 1;
    if (audit.differences.length < limits.auditDifferencesMax)
      audit.differences.push(`records ${firstOffset} to ${nextOffset - 1}: ${text}`);
  };
  compareRows({ keys, columns: expected }, { keys: storedKeys, columns: stored }, differ);
  return keys;
}

/** One block, as the encoder makes one. */
const SETTINGS = { max_block_size: String(2 * limits.auditRowsMax) };

async function allBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return Buffer.concat(list);
}

/** Rows of the audited records in the whole table: it may have more than those in the times that the log gives. */
async function countRows(
  { client, signal }: HistoryAuditOptions,
  { table, order }: Projection,
  audit: HistoryAudit,
  [first, last]: readonly [RowKey, RowKey],
): Promise<void> {
  const sql = `SELECT count() AS rows FROM ${table} WHERE ${rowsBetween({ partition: audit.partition, order }, first, last)}`;
  const [found] = await client.rows<{ rows: string }>(sql, undefined, { signal, secondsMax: limits.auditSecondsMax });
  const rows = Number(found!.rows);
  if (rows === audit.stored) return;
  audit.differenceCount += 1;
  audit.differences.push(`the table has ${rows} rows of these records, ${audit.stored} of them in their order and at their times`);
}

function joined(blocks: readonly (readonly ReadColumn[])[]): readonly ReadColumn[] {
  const first = blocks[0] ?? [];
  return first.map((column, i) => ({ ...column, values: blocks.flatMap((columns) => columns[i]!.values) }));
}

interface KeyedRows {
  readonly keys: readonly RowKey[];
  readonly columns: readonly ReadColumn[];
}

/** Merges two lists in the same order: rows that one of them lacks, and rows with other values. */
function compareRows(expected: KeyedRows, stored: KeyedRows, differ: (text: string) => void): void {
  let at = 0;
  let other = 0;
  while (at < expected.keys.length || other < stored.keys.length) {
    const [mine, theirs] = [expected.keys[at], stored.keys[other]];
    const isMissing = theirs === undefined || (mine !== undefined && isBefore(mine, theirs));
    const isMore = mine === undefined || (theirs !== undefined && isBefore(theirs, mine));
    if (isMissing) differ(`the store lacks the row ${mine!.order}`);
    else if (isMore) differ(`the store has one more row ${theirs.order}`);
    else {
      const names = expected.columns.filter((column, i) => column.values[at] !== stored.columns[i]!.values[other]).map(({ name }) => name);
      if (names.length > 0) differ(`the row ${mine.order} differs in ${names.join(', ')}`);
    }
    if (!isMore) at += 1;
    if (!isMissing) other += 1;
  }
}
