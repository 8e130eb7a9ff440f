// Finds the intact batches of a damaged log: by its index if that is readable and not older than the segments, otherwise by the heads in the segments.
import { SquitterError } from '../../../schemas/errors.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Damage } from '../damage.ts';
import { type CheckReport, checkStore } from './check.ts';
import type { BatchEntry } from './entry.ts';
import { type Identity, readIdentity } from './identity.ts';
import { allPartitions, type FormatRow, partitionKey, type SchemaRow, type Store } from './rows.ts';
import { chooseBatches, type FoundBatch, type ScannedSegment, scanSegment } from './scan.ts';
import { compareSegmentFiles, olderIndexInWords } from './segment-files.ts';
import { segmentFilesIn, segmentsInWords } from './segment-names.ts';
import { checkIdentity, checkRows, partitionRow } from './store.ts';
import { CODEC_NONE } from './stored-batch.ts';

export interface WholePartition {
  readonly topic: TopicId;
  readonly partition: number;
  /** Sorted by offset. */
  entries: BatchEntry[];
  /** First offset after every known record. */
  next: number;
}

export interface Salvage {
  readonly id: string;
  readonly opened: number;
  readonly framePartitions: number;
  readonly schemas: readonly (readonly [number, SchemaRow])[];
  readonly partitions: ReadonlyMap<string, WholePartition>;
  /** Offsets of groups; null if they are lost with the index. */
  readonly groups: ReadonlyMap<string, number> | null;
  readonly damages: readonly Damage[];
  /** Other faults, as text. */
  readonly faults: readonly string[];
  readonly report: CheckReport | null;
}

export interface SalvageOptions {
  /** Called with the bytes done, the total bytes and the batches so far. */
  readonly onProgress: (done: number, total: number, batches: number) => void;
  readonly signal: AbortSignal;
}

/** Examines the whole log. `index` is null if it cannot be opened; `fault` says why. */
export async function salvage(path: string, index: Store | null, fault: string | null, options: SalvageOptions): Promise<Salvage> {
  const identity = readIdentity(path);
  if (index === null) return fromSegments(path, null, identity, [fault ?? 'the index is missing'], options);
  try {
    const old = faultOfIndex(path, index, identity);
    if (old !== null) return fromSegments(path, index, identity, [old], options);
    return await fromIndex(index, options);
  } catch (error) {
    // Rows are missing or not JSON: the index cannot be trusted.
    const isDamage =
      error instanceof SquitterError ? error.code === 'log.damaged' : error instanceof SyntaxError || error instanceof TypeError;
    if (!isDamage) throw error;
    return fromSegments(path, null, identity, [`the index cannot be read: ${(error as Error).message}`], options);
  }
}

/** Why the index must not be trusted; null if it belongs to the segments. */
function faultOfIndex(path: string, index: Store, identity: Identity | null): string | null {
  const format = index.meta.get('format') as FormatRow;
  try {
    checkIdentity(path, format, identity);
  } catch (error) {
    if (error instanceof SquitterError && error.code === 'log.damaged') return String(error.details['detail']);
    throw error;
  }
  try {
    const { newer } = compareSegmentFiles(index);
    return newer.length === 0 ? null : olderIndexInWords(newer);
  } catch {
    // Whatever cannot be read is found and reported when the index is examined.
    return null;
  }
}

function emptyPartitions(framePartitions: number): Map<string, WholePartition> {
  const partitions = new Map<string, WholePartition>();
  for (const { topic, partition } of allPartitions({ framePartitions }))
    partitions.set(partitionKey(topic, partition), { topic, partition, entries: [], next: 0 });
  return partitions;
}

const schemasIn = (index: Store): (readonly [number, SchemaRow])[] =>
  [...index.schemas.getRange()].map(({ key, value }) => [key, value] as const);

async function fromIndex(index: Store, options: SalvageOptions): Promise<Salvage> {
  checkRows(index);
  const partitions = emptyPartitions(index.framePartitions);
  for (const whole of partitions.values()) whole.next = partitionRow(index, whole.topic, whole.partition).next;
  const report = await checkStore(index, {
    ...options,
    onSound: (topic, partition, entry) => partitions.get(partitionKey(topic, partition))!.entries.push(entry),
  });
  const groups = new Map<string, number>();
  for (const { key, value } of index.rows.getRange({ start: 'group/', end: 'group0' })) {
    const { offset } = value as { readonly offset: number | null };
    if (offset !== null) groups.set(key, offset);
  }
  const known = new Set(index.segments.getKeys());
  const unknown = segmentFilesIn(index.path).filter(({ id }) => !known.has(id));
  const faults =
    unknown.length === 0 ? [] : [`the index does not know ${segmentsInWords(unknown)}: ${unknown.map(({ name }) => name).join(', ')}`];
  const { id, opened, framePartitions } = index.meta.get('format') as FormatRow;
  return { id, opened, framePartitions, schemas: schemasIn(index), partitions, groups, damages: report.damages, faults, report };
}

/** Finds batches by their heads. */
function fromSegments(
  path: string,
  index: Store | null,
  identity: Identity | null,
  because: readonly string[],
  options: SalvageOptions,
): Salvage {
  const scan = scanAll(path, identity?.id ?? index?.id ?? '', options);
  const framePartitions = Math.max(identity?.framePartitions ?? index?.framePartitions ?? 1, scan.framePartitions);
  const partitions = emptyPartitions(framePartitions);
  for (const [key, candidates] of scan.found) {
    const whole = partitions.get(key);
    if (whole !== undefined) whole.entries = chooseBatches(candidates).map(entryOf);
  }
  for (const whole of partitions.values()) whole.next = (whole.entries.at(-1)?.lastOffset ?? -1) + 1;
  const known = identity?.schemas.map(({ id, subject, schema }) => [id, { subject, schema }] as const);
  const opened = Math.max(identity?.opened ?? 0, (index?.meta.get('format') as FormatRow | undefined)?.opened ?? 0);
  const faults = [...because, ...scan.faults];
  const schemas = known ?? (index === null ? [] : schemasIn(index));
  return { id: scan.id, opened, framePartitions, schemas, partitions, groups: null, damages: [], faults, report: null };
}

interface Scan {
  id: string;
  framePartitions: number;
  readonly found: Map<string, FoundBatch[]>;
  readonly faults: string[];
}

function scanAll(path: string, id: string, options: SalvageOptions): Scan {
  const files = segmentFilesIn(path);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const scan: Scan = { id, framePartitions: 1, found: new Map(), faults: [] };
  let done = 0;
  let batches = 0;
  for (const file of files) {
    if (options.signal.aborted) break;
    const scanned = scanSegment(path, file);
    done += file.bytes;
    batches += scanned.batches.length;
    options.onProgress(done, total, batches);
    const fault = addSegment(scan, scanned);
    if (fault !== null) scan.faults.push(`segment ${file.name}: ${fault}`);
  }
  return scan;
}

/** Adds a segment to the scan. Returns what is wrong with it, or null. */
function addSegment(scan: Scan, { head, batches, strayBytes }: ScannedSegment): string | null {
  if (head === null) return 'the head of the segment is damaged; only the index describes its content';
  const { topic, partition, log } = head;
  if (scan.id === '') scan.id = log;
  if (log !== scan.id) return 'the segment belongs to another log';
  if (topics[topic].partitions === 'frames') scan.framePartitions = Math.max(scan.framePartitions, partition + 1);
  const key = partitionKey(topic, partition);
  const found = scan.found.get(key) ?? [];
  scan.found.set(key, found);
  for (const batch of batches) found.push(batch);
  return strayBytes > 0 ? `${strayBytes} bytes belong to no intact batch` : null;
}

function entryOf({ head, segment, position, bytes, records }: FoundBatch): BatchEntry {
  const { baseOffset, lastOffset, maxTimestampMs, appendedAtMs, hasTombstones } = head;
  const stored = { baseOffset, lastOffset, records, headBytes: 0, bytes, segment, position } as const;
  return {
    ...stored,
    maxTimestampMs,
    runningMaxTimestampMs: 0,
    appendedAtMs,
    hasTombstones,
    tombstonesMetMs: 0,
    isLost: false,
    isPacked: head.codec !== CODEC_NONE,
  };
}
