// Repairs a log: builds a new index of the intact batches and moves everything else aside. Exactly-once holds afterwards: if frames or fold outputs
// are damaged, all outputs of the fold are left out with its offsets, and the fold restarts at the first intact frame.
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { type TopicId, topicIds, topics } from '../../../schemas/topics.ts';
import { folderModeIn } from '../../runtime/private-files.ts';
import type { Damage } from '../damage.ts';
import { cutToCheckpoint, sealAbandoned } from './checkpoint.ts';
import { type BatchEntry, encodeEntry, offsetKey } from './entry.ts';
import { writeIdentity } from './identity.ts';
import { processUsing, releaseOwnership, takeOwnership } from './owner.ts';
import { COMMIT_OVERLAPPING, type FormatRow, NEXT_SEGMENT_KEY, partitionKey, partitionRowKey, type Store } from './rows.ts';
import { type Salvage, type SalvageOptions, salvage, type WholePartition } from './salvage.ts';
import { segmentFilesIn } from './segment-names.ts';
import { indexOf, openStore, recoverSyncLock } from './store.ts';
import { readHead, STORED_HEAD_BYTES } from './stored-batch.ts';

interface RepairOptions extends SalvageOptions {
  readonly nowMs: number;
  /** Deletes the rest instead of moving it aside. */
  readonly discards: boolean;
}

export interface Repair {
  /** null if nothing was wrong. */
  readonly salvage: Salvage | null;
  /** Offsets that are lost. */
  readonly lost: readonly Damage[];
  /** Offsets left out because the fold writes them again. */
  readonly leftOut: readonly Damage[];
  /** Offsets of the frames at which the fold restarts, by partition; null if it continues. */
  readonly foldsFrom: readonly number[] | null;
  /** Folder with the rest. */
  readonly aside: string | null;
}

const FOLDED: readonly TopicId[] = topicIds.filter((topic) => topics[topic].isFolded);
const ROWS_PER_TRANSACTION = 5000;

/** Opens the index, or returns the reason why it cannot be opened. Errors: those of the disk, `log.in_use`. */
export function openForRepair(path: string, writable: boolean): { readonly index: Store | null; readonly fault: string | null } {
  if (!existsSync(path)) throw new SquitterError('log.not_found', { path });
  try {
    const file = join(path, 'index', 'data.mdb');
    // LMDB would turn an empty file into a new index.
    if (!existsSync(file) || statSync(file).size === 0) return { index: null, fault: null };
    return { index: openStore(path, writable, undefined, 1, true), fault: null };
  } catch (error) {
    if (!(error instanceof SquitterError) || (error.code !== 'log.damaged' && error.code !== 'log.not_found')) throw error;
    return { index: null, fault: error.code === 'log.not_found' ? null : String(error.details['detail']) };
  }
}

/** Error: `log.in_use`, `log.not_found`, those of the disk. */
export async function repairLog(path: string, options: RepairOptions): Promise<Repair> {
  const user = existsSync(path) ? processUsing(path) : null;
  if (user !== null) throw new SquitterError('log.in_use', { path, pid: user });
  const { index, fault } = await own(openForRepair(path, true));
  let found: Salvage;
  try {
    found = await salvage(path, index, fault, options);
    if (options.signal.aborted || (found.damages.length === 0 && found.faults.length === 0)) {
      if (index !== null) releaseOwnership(index);
      return { salvage: null, lost: [], leftOut: [], foldsFrom: null, aside: null };
    }
  } finally {
    await index?.root.close();
  }
  const aside = join(path, `damaged-${new Date(options.nowMs).toISOString().replace(/[:.]/g, '-')}`);
  mkdirSync(aside, folderModeIn(path));
  const plan = planOf(path, found, options.nowMs);
  await writeIndex(join(aside, 'new'), found, plan);
  putInPlace(path, aside, found, plan);
  if (options.discards) rmSync(aside, { recursive: true });
  return { salvage: found, lost: plan.lost, leftOut: plan.leftOut, foldsFrom: plan.foldsFrom, aside: options.discards ? null : aside };
}

/** The index as its only writer; none where a row that this needs cannot be read. */
async function own({ index, fault }: ReturnType<typeof openForRepair>): Promise<ReturnType<typeof openForRepair>> {
  if (index === null) return { index, fault };
  try {
    takeOwnership(index, (afterPowerLoss) => {
      if (afterPowerLoss) cutToCheckpoint(index);
      sealAbandoned(index);
    });
    return { index, fault };
  } catch (error) {
    await index.root.close();
    if (!(error instanceof SquitterError && error.code === 'log.damaged')) throw error;
    return { index: null, fault: String(error.details['detail']) };
  }
}

interface Plan {
  readonly partitions: readonly WholePartition[];
  readonly groups: ReadonlyMap<string, number>;
  readonly lost: readonly Damage[];
  readonly leftOut: readonly Damage[];
  readonly foldsFrom: readonly number[] | null;
}

function planOf(path: string, found: Salvage, nowMs: number): Plan {
  const partitions = [...found.partitions.values()];
  const touchesFold = found.damages.some(({ topic }) => topic === 'frames' || FOLDED.includes(topic));
  const lost = found.damages.filter(({ topic }) => !FOLDED.includes(topic));
  const leftOut: Damage[] = [];
  if (found.groups !== null && !touchesFold)
    return { partitions: partitions.map((whole) => withGaps(whole, nowMs)), groups: found.groups, lost, leftOut, foldsFrom: null };
  const firstFrames = partitions.filter(({ topic }) => topic === 'frames').map((frames) => frames.entries[0]?.baseOffset ?? frames.next);
  for (const whole of partitions) {
    if (!FOLDED.includes(whole.topic)) continue;
    const { topic, partition, entries, next } = whole;
    // Positions from lost frames cannot be computed again, so they stay.
    const remaining = topic === 'positions' ? committedBefore(path, entries, firstFrames[partition]!) : [];
    const [first, last] = [entries[remaining.length], entries.at(-1)];
    if (first !== undefined)
      leftOut.push({ topic, partition, from: first.baseOffset, to: last!.lastOffset, detail: 'the fold writes them again' });
    whole.entries = remaining;
    whole.next = next;
  }
  return { partitions: partitions.map((whole) => withGaps(whole, nowMs)), groups: new Map(), lost, leftOut, foldsFrom: firstFrames };
}

/** The first entries, as long as they come from frames before an offset. */
function committedBefore(path: string, entries: readonly BatchEntry[], offset: number): BatchEntry[] {
  if (offset === 0) return [];
  const head = Buffer.alloc(STORED_HEAD_BYTES);
  const isBefore = ({ segment, position, isLost }: BatchEntry): boolean => {
    if (isLost) return true;
    const file = openSync(join(path, 'segments', `${String(segment).padStart(10, '0')}.seg`), 'r');
    try {
      readSync(file, head, 0, head.length, position);
    } finally {
      closeSync(file);
    }
    const committedNext = readHead(head, 0)?.committedNext ?? null;
    return committedNext !== null && committedNext <= offset;
  };
  const end = entries.findIndex((entry) => !isBefore(entry));
  return end === -1 ? [...entries] : entries.slice(0, end);
}

/** Marks missing offsets as lost if readers would treat a gap as damage, and recomputes the running maximum timestamps. */
function withGaps(whole: WholePartition, nowMs: number): WholePartition {
  const entries: BatchEntry[] = [];
  const isContiguous = topics[whole.topic].cleanup === 'delete';
  let runningMaxTimestampMs = 0;
  let expected = whole.entries[0]?.baseOffset ?? whole.next;
  const markTo = (end: number): void => {
    if (isContiguous && end > expected) entries.push(lostEntry(expected, end - 1, runningMaxTimestampMs, nowMs));
  };
  for (const entry of whole.entries) {
    markTo(entry.baseOffset);
    runningMaxTimestampMs = Math.max(runningMaxTimestampMs, entry.maxTimestampMs);
    entries.push({ ...entry, runningMaxTimestampMs });
    expected = entry.lastOffset + 1;
  }
  markTo(whole.next);
  return { ...whole, entries, next: Math.max(whole.next, expected) };
}

function lostEntry(baseOffset: number, lastOffset: number, runningMaxTimestampMs: number, appendedAtMs: number): BatchEntry {
  const nothing = { records: 0, headBytes: 0, bytes: 0, segment: 0, position: 0, maxTimestampMs: 0, tombstonesMetMs: 0 };
  const flags = { hasTombstones: false, isLost: true, isPacked: false };
  return { baseOffset, lastOffset, ...nothing, runningMaxTimestampMs, appendedAtMs, ...flags };
}

async function writeIndex(path: string, found: Salvage, plan: Plan): Promise<void> {
  const store = openStore(path, true, found.framePartitions, found.framePartitions);
  try {
    const writes = [...rowsOf(store, found, plan)];
    for (let i = 0; i < writes.length; i += ROWS_PER_TRANSACTION)
      store.root.transactionSync(() => {
        for (const write of writes.slice(i, i + ROWS_PER_TRANSACTION)) write();
      }, COMMIT_OVERLAPPING);
    await recoverSyncLock(store);
  } finally {
    await store.root.close();
  }
}

function* rowsOf(store: Store, found: Salvage, plan: Plan): Generator<() => void> {
  const batches = new Map<number, { topic: TopicId; partition: number; batches: number }>();
  const next: Record<string, number> = {};
  for (const { topic, partition, entries, next: end } of plan.partitions) {
    const index = indexOf(store, topic, partition);
    let bytes = 0;
    for (const entry of entries) {
      yield () => void index.put(offsetKey(entry.baseOffset), encodeEntry(entry));
      bytes += entry.bytes;
      const row = batches.get(entry.segment) ?? { topic, partition, batches: 0 };
      batches.set(entry.segment, { ...row, batches: row.batches + 1 });
    }
    const earliest = entries[0]?.baseOffset ?? end;
    const runningMaxTimestampMs = entries.at(-1)?.runningMaxTimestampMs ?? 0;
    const row = { earliest, next: end, bytes, runningMaxTimestampMs, cleanedTo: 0, dirtyBytes: bytes };
    yield () => void store.rows.put(partitionRowKey(topic, partition), row, 2);
    next[partitionKey(topic, partition)] = end;
  }
  // Lost offsets have no segment.
  batches.delete(0);
  for (const [segment, row] of batches) yield () => void store.segments.put(segment, { ...row, isOpen: false });
  for (const [key, offset] of plan.groups) yield () => void store.rows.put(key, { offset }, 1);
  for (const [id, schema] of found.schemas) yield () => void store.schemas.put(id, schema);
  const last = segmentFilesIn(join(store.path, '..', '..')).reduce((max, { id }) => Math.max(max, Number.isNaN(id) ? 0 : id), 0);
  yield () => void store.rows.put(NEXT_SEGMENT_KEY, { value: last + 1 }, 2);
  const { id, opened, framePartitions } = found;
  yield () => {
    const own = store.meta.get('format');
    void store.meta.put('format', { ...(own as FormatRow), framePartitions, opened, ...(id === '' ? {} : { id }) });
    void store.meta.put('checkpoint', { next, groups: Object.fromEntries(plan.groups) });
  };
}

/** Installs the new index. If the process ends in between, the log has no index and can be repaired again from its segments. */
function putInPlace(path: string, aside: string, found: Salvage, plan: Plan): void {
  const index = join(path, 'index');
  if (existsSync(index)) renameSync(index, join(aside, 'index'));
  renameSync(join(aside, 'new', 'index'), index);
  rmSync(join(aside, 'new'), { recursive: true });
  const identity = join(path, 'log.json');
  if (existsSync(identity)) cpSync(identity, join(aside, 'log.json'));
  const schemas = found.schemas.map(([id, row]) => ({ id, ...row }));
  if (found.id === '') rmSync(identity, { force: true });
  else writeIdentity(path, { id: found.id, framePartitions: found.framePartitions, opened: found.opened, schemas });
  const used = new Set(plan.partitions.flatMap(({ entries }) => entries.map(({ segment }) => segment)));
  for (const { name, id } of segmentFilesIn(path)) {
    if (used.has(id)) continue;
    mkdirSync(join(aside, 'segments'), { recursive: true, mode: folderModeIn(aside) });
    renameSync(join(path, 'segments', name), join(aside, 'segments', name));
  }
}
