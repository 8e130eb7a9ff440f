// The LMDB environment behind the log: its named databases, typed rows, and optimistic transactions over them.
// It does not block on the disk after opening: a transaction is prepared against versions and written off-thread.
import { randomUUID } from 'node:crypto';
import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topicIds, topics } from '../../../schemas/topics.ts';
import { fileModeIn, folderModeIn, PRIVATE_FOLDER_MODE } from '../../runtime/private-files.ts';
import { logFailure } from './failures.ts';
import { type Identity, readIdentity } from './identity.ts';
import { checkIndexFile } from './index-check.ts';
import { rowEncoder } from './row-encoder.ts';
import {
  allPartitions,
  type CheckpointRow,
  COMMIT_OVERLAPPING,
  FORMAT_VERSION,
  type FormatRow,
  type IndexDatabase,
  NEXT_SEGMENT_KEY,
  type Owner,
  olderFormat,
  type PartitionRow,
  partitionKey,
  partitionRowKey,
  type Row,
  type SchemaRow,
  type SegmentRow,
  type Store,
} from './rows.ts';
import { segmentFilesIn, segmentsInWords } from './segment-names.ts';
import { finishSwap } from './swap.ts';

/**
 * Opens the environment in `path`; creates it when writing.
 * `isRepair` opens an index even if it contradicts the rest of the log.
 * Errors: `log.not_found`, `log.not_writable`, `log.damaged`, `log.older_format`, `log.newer_format`, `log.partitions_differ`, and those of the disk.
 */
export function openStore(
  path: string,
  writable: boolean,
  framePartitions: number | undefined,
  partitionsIfNew: number,
  isRepair = false,
): Store {
  if (writable) finishSwap(path);
  const indexPath = join(path, 'index');
  const segmentsPath = join(path, 'segments');
  const isNew = checkIndexFile(path, join(indexPath, 'data.mdb'), writable ? 'log.not_writable' : 'log.not_readable');
  const identity = readIdentity(path);
  if (isNew && !isRepair) checkIsNew(path, identity);
  if (isNew && !writable) throw new SquitterError('log.not_found', { path });
  if (writable) makeFolders(path, indexPath, segmentsPath);
  needDescriptors(path);
  const opened = openEnvironment(path, indexPath, writable);
  try {
    const format = opened.meta.get('format') as FormatRow | undefined;
    if (format === undefined && !isRepair) checkIsNew(path, identity);
    if (format === undefined && !writable) throw new SquitterError('log.not_found', { path });
    if (format !== undefined) checkVersion(path, format);
    if (format !== undefined && !isRepair) checkIdentity(path, format, identity);
    if (writable) nameLog(opened, framePartitions ?? partitionsIfNew);
    const { framePartitions: found, id } = opened.meta.get('format') as FormatRow;
    if (framePartitions !== undefined && found !== framePartitions) {
      throw new SquitterError('log.partitions_differ', { path, found, wanted: framePartitions });
    }
    const indexes = new Map<string, IndexDatabase>();
    for (const { topic, partition } of allPartitions({ framePartitions: found }))
      indexes.set(partitionKey(topic, partition), openIndex(opened.root, topic, partition));
    return { path, segmentsPath, ...opened, indexes, framePartitions: found, id };
  } catch (error) {
    opened.root.close();
    throw logFailure(path, error, 'log.damaged');
  }
}

/** Descriptors of an open log: LMDB's data file, its lock file, its data file again for flushing; and a segment. */
const DESCRIPTORS_NEEDED = 4;

/** With too few descriptors LMDB ends the process with a signal. Error: `log.no_descriptors`. */
function needDescriptors(path: string): void {
  const files: number[] = [];
  try {
    for (let i = 0; i < DESCRIPTORS_NEEDED; i += 1) files.push(openSync(path, 'r'));
  } catch (error) {
    throw logFailure(path, error, 'log.not_readable');
  } finally {
    for (const file of files) closeSync(file);
  }
}

function openIndex(root: RootDatabase, topic: TopicId, partition: number): IndexDatabase {
  return root.openDB<Buffer, Buffer>({ name: `index/${topic}/${partition}`, encoding: 'binary', keyEncoding: 'binary' });
}

function openEnvironment(path: string, indexPath: string, writable: boolean) {
  const isNew = writable && !existsSync(join(indexPath, 'data.mdb'));
  try {
    const root = open({
      path: indexPath,
      noSubdir: false,
      // Threads of one process share LMDB's environment, so a reading thread must not open it read-only. The log itself ensures that readers only read.
      readOnly: !writable && !isWritable(join(indexPath, 'data.mdb')),
      maxDbs: limits.logDatabasesMax,
      mapSize: limits.logIndexMapBytes,
      // With batching, a failed commit rejects a promise inside lmdb that no caller can handle, which ends the process.
      eventTurnBatching: false,
    });
    unlinkWritten(root);
    // lmdb has no option for their mode.
    if (isNew) for (const name of ['data.mdb', 'lock.mdb']) chmodSync(join(indexPath, name), fileModeIn(path));
    // lmdb's types lack the encoder of a named database.
    const encoded: object = { encoder: rowEncoder(path) };
    return {
      root,
      rows: root.openDB<Row, string>({ name: 'rows', useVersions: true, ...encoded }),
      meta: root.openDB<FormatRow | Owner | CheckpointRow, string>({ name: 'meta', ...encoded }),
      segments: root.openDB<SegmentRow, number>({ name: 'segments', keyEncoding: 'uint32', ...encoded }),
      schemas: root.openDB<SchemaRow, number>({ name: 'schemas', keyEncoding: 'uint32', ...encoded }),
    };
  } catch (error) {
    throw logFailure(path, error, 'log.damaged');
  }
}

/** lmdb's record of one write until it is committed (3.5, `write.js`). */
interface PendingWrite {
  next: PendingWrite | null;
  nextTxn?: PendingWrite | undefined;
  meta: unknown;
  readonly flag: number;
}

/** Set in `flag` once the write is applied or refused. */
const APPLIED = 0x100_0000;

/**
 * lmdb keeps its writes in a linked list and never removes the links of finished writes. A write that is pending at a garbage collection moves to
 * the old space. Once dead, it would keep all later writes and their data alive until the next full collection: 5 MB a minute at 5,000 aircraft.
 * This function cuts the links of each commit when the next one is done.
 */
export function unlinkWritten(root: RootDatabase): void {
  let oldest: PendingWrite | null = null;
  root.on('aftercommit', ({ next: first }: { readonly next: PendingWrite }) => {
    // lmdb continues from `first`; the promises of all earlier writes are settled.
    for (let write = oldest; write !== null && write !== first && (write.flag & APPLIED) !== 0; ) {
      const { next } = write;
      write.next = null;
      write.nextTxn = undefined;
      write.meta = null;
      write = next;
    }
    oldest = first;
  });
}

/** Reads every row of the index: a damaged row is found now, and not when it is needed. Error: `log.damaged`. */
export function checkRows({ meta, rows, segments, schemas }: Store): void {
  for (const database of [meta, rows, segments, schemas]) database.getRange().forEach(() => {});
}

function makeFolders(path: string, indexPath: string, segmentsPath: string): void {
  try {
    makeFolder(path, PRIVATE_FOLDER_MODE);
    for (const folder of [indexPath, segmentsPath]) makeFolder(folder, folderModeIn(path));
    for (const folder of [indexPath, segmentsPath]) accessSync(folder, constants.W_OK);
    const indexFile = join(indexPath, 'data.mdb');
    if (existsSync(indexFile)) accessSync(indexFile, constants.W_OK);
  } catch (error) {
    throw logFailure(path, error, 'log.not_writable');
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Node's recursive mkdir never ends on special file systems such as /proc. */
function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another thread may have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const EMPTY_PARTITION: PartitionRow = { earliest: 0, next: 0, bytes: 0, runningMaxTimestampMs: 0, cleanedTo: 0, dirtyBytes: 0 };

/** A log without an index is new only if it has no other files either. Error: `log.damaged`. */
function checkIsNew(path: string, identity: Identity | null): void {
  const files = segmentFilesIn(path);
  if (identity === null && files.length === 0) return;
  throw new SquitterError('log.damaged', { path, detail: `the index is missing, but ${segmentsInWords(files)} exist` });
}

/** Errors: `log.older_format`, `log.newer_format`. */
function checkVersion(path: string, { version: found }: FormatRow): void {
  if (found < FORMAT_VERSION) throw olderFormat(path, found);
  if (found > FORMAT_VERSION) throw new SquitterError('log.newer_format', { path, found, known: FORMAT_VERSION });
}

/** Error: `log.damaged` if the index is an older copy or belongs to another log. */
export function checkIdentity(path: string, format: FormatRow, identity: Identity | null): void {
  if (identity === null) return;
  const detail =
    identity.id !== format.id
      ? 'the index belongs to another log than log.json and the segments'
      : `the index is older than the segments: expected ${identity.opened} openings, got ${format.opened}`;
  if (identity.id !== format.id || identity.opened > format.opened) throw new SquitterError('log.damaged', { path, detail });
}

/** Writes the rows of a new log. Another thread may do the same at the same time; the first one wins. */
function nameLog({ root, meta, rows }: Pick<Store, 'root' | 'meta' | 'rows'>, framePartitions: number): void {
  const isNamed = (format: FormatRow | undefined): boolean =>
    format !== undefined && topicIds.every((topic) => format.topics.includes(topic));
  if (isNamed(meta.get('format') as FormatRow | undefined)) return;
  root.transactionSync(() => {
    const found = meta.get('format') as FormatRow | undefined;
    if (isNamed(found)) return;
    const isNew = (topic: TopicId): boolean => found === undefined || !found.topics.includes(topic);
    for (const { topic, partition } of allPartitions(found ?? { framePartitions }, topicIds.filter(isNew))) {
      const key = partitionRowKey(topic, partition);
      if (rows.get(key) === undefined) rows.put(key, EMPTY_PARTITION, 1);
    }
    if (found === undefined) rows.put(NEXT_SEGMENT_KEY, { value: 1 }, 1);
    const known = [...new Set([...topicIds, ...(found?.topics ?? [])])];
    meta.put('format', { opened: 0, id: randomUUID(), framePartitions, ...found, topics: known, version: FORMAT_VERSION });
  }, COMMIT_OVERLAPPING);
}

export function indexOf(store: Store, topic: TopicId, partition: number): IndexDatabase {
  const index = store.indexes.get(partitionKey(topic, partition));
  if (index !== undefined) return index;
  if (topics[topic] === undefined) throw new SquitterError('log.unknown_topic', { topic });
  throw new SquitterError('log.unknown_partition', { topic: topics[topic].name, partition });
}

/** The newest committed state of a partition, outside of any transaction. */
export function partitionRow(store: Store, topic: TopicId, partition: number): PartitionRow {
  indexOf(store, topic, partition);
  store.root.resetReadTxn();
  const row = store.rows.get(partitionRowKey(topic, partition)) as PartitionRow | undefined;
  if (row !== undefined) return row;
  if (!(store.meta.get('format') as FormatRow).topics.includes(topic)) return EMPTY_PARTITION;
  throw damaged(store, `the row of ${partitionKey(topic, partition)} is missing`);
}

/**
 * Frees LMDB's flush lock if a writer was killed while holding it and other processes kept the log open. This must happen outside a transaction:
 * inside one, LMDB takes the dead lock for a failure of this process and gives up.
 */
export function recoverSyncLock(store: Store): Promise<void> {
  return new Promise((resolve, reject) => {
    // lmdb's types lack this method, although its documentation of `backup` and `flushed` depends on it.
    (store.root as unknown as { sync(done: (error?: unknown) => void): void }).sync((error) =>
      error instanceof Error ? reject(error) : resolve(),
    );
  });
}

export function damaged(store: Store, detail: string, cause?: unknown): SquitterError {
  return new SquitterError('log.damaged', { path: store.path, detail }, cause);
}

export function segmentFile(store: Store, segment: number): string {
  return join(store.segmentsPath, `${String(segment).padStart(10, '0')}.seg`);
}
