// The embedded log: EventLog over LMDB and segment files, for one writing process (any threads) and any number of reading ones.
// pipeline/log/README.md explains the design, with figures.
import { setMaxListeners } from 'node:events';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { FRAME_PARTITIONS_EMBEDDED, type TopicId, topicPartitions, topics } from '../../../schemas/topics.ts';
import { type Damage, DamageList, damageOf } from '../damage.ts';
import type { Bounds, Commit, EventLog, GroupHandler, GroupMember, Output, ReadRequest, RecordBatch } from '../event-log.ts';
import { joinAlone, type PartitionShare } from '../group.ts';
import type { OutgoingRecord } from '../record-block.ts';
import { Changes } from './changes.ts';
import { cutToCheckpoint, sealAbandoned, takeCheckpoint } from './checkpoint.ts';
import { Cleaner } from './cleaner.ts';
import { DiskGuard, type DiskState } from './disk-guard.ts';
import { logFailure } from './failures.ts';
import { saveIdentity } from './identity.ts';
import { releaseOwnership, takeOwnership } from './owner.ts';
import { Packer } from './packer.ts';
import { findOffset, type LogOfReaders, readFailure, readLog } from './reader.ts';
import { expire, type RetentionOverrides, retentionOf } from './retention.ts';
import { allPartitions, type FormatRow, type GroupRow, groupRowKey, type Store } from './rows.ts';
import { checkSegmentFiles, settleSegmentFiles } from './segment-files.ts';
import { SegmentWriter } from './segments.ts';
import { segmentBytesIn } from './size-limits.ts';
import { LogSpace, type SpaceReport } from './space.ts';
import { checkRows, openStore, partitionRow, recoverSyncLock } from './store.ts';
import { removeBeside } from './swap.ts';
import { LogWriter } from './writer.ts';

export interface LmdbLogOptions {
  /** Folder of the log; created when writing. */
  readonly path: string;
  readonly mode: 'write' | 'read';
  /** Must match the existing log. Default: the number the log has. */
  readonly framePartitions?: number;
  /** Partitions of a new log. */
  readonly framePartitionsIfNew?: number;
  /** The partitions of this log object's members. Default: all. */
  readonly share?: PartitionShare;
  readonly retention?: RetentionOverrides;
  /** 0 (the default) starts no timer: the caller must then call `maintain`. One log object per process should have a timer. */
  readonly maintenanceIntervalMs?: number;
  /** Time of arrival, for retention by age. */
  readonly now?: () => number;
  /** Called after maintenance that changed something. */
  readonly onMaintenance?: (report: MaintenanceReport) => void;
  /** Called when a background task fails; the task is retried. */
  readonly onError?: (error: unknown) => void;
  /** Memory of `createChanges`, the same for every log object of this process: followers then wait for writes instead of polling. */
  readonly changes?: SharedArrayBuffer;
  /** Free disk space below which nothing is written. Default: see `DiskGuard`. */
  readonly diskReserveBytes?: number;
  /** Called at each maintenance with the used and the allowed disk space. */
  readonly onSpace?: (report: SpaceReport) => void;
  /** Called when a power failure lost records after the last checkpoint. */
  readonly onPowerLoss?: (records: number) => void;
  /** Called when files that the index does not know were moved from segments/ to aside/. */
  readonly onAside?: (names: readonly string[]) => void;
}

interface MaintenanceReport {
  /** Records removed by retention and by compaction. */
  readonly expired: number;
  readonly compacted: number;
  /** Batches merged into larger, compressed ones. */
  readonly packed: number;
}

/** Opens the log. Errors: `log.not_found`, `log.not_writable`, `log.damaged`, `log.in_use`, `log.partitions_differ`, and those of the disk: `log.no_space`, `log.no_descriptors`, `log.io_failed`, `log.read_only`. */
export async function openLmdbLog(options: LmdbLogOptions): Promise<LmdbLog> {
  const isWriter = options.mode === 'write';
  const store = openStore(options.path, isWriter, options.framePartitions, options.framePartitionsIfNew ?? FRAME_PARTITIONS_EMBEDDED);
  if (isWriter) {
    try {
      await own(store, options);
    } catch (error) {
      await store.root.close();
      throw logFailure(options.path, error, 'log.not_writable');
    }
  }
  return new LmdbLog(store, options);
}

async function own(store: Store, options: LmdbLogOptions): Promise<void> {
  let lost = 0;
  await recoverSyncLock(store);
  const isFirst = takeOwnership(store, (afterPowerLoss) => {
    checkRows(store);
    if (afterPowerLoss) lost = cutToCheckpoint(store);
    checkSegmentFiles(store, afterPowerLoss);
    sealAbandoned(store);
    const format = store.meta.get('format') as FormatRow;
    store.meta.put('format', { ...format, opened: format.opened + 1 });
  });
  if (lost > 0) options.onPowerLoss?.(lost);
  if (!isFirst) return;
  removeBeside(store.path);
  // The index on the disk must not be older than log.json.
  await store.root.flushed;
  saveIdentity(store);
  const aside = await settleSegmentFiles(store);
  if (aside.length > 0) options.onAside?.(aside);
}

export class LmdbLog implements EventLog {
  readonly store: Store;
  private readonly options: LmdbLogOptions;
  private readonly writer: LogWriter;
  private readonly guard: DiskGuard;
  private readonly logSpace: LogSpace;
  private readonly cleanerSegments: SegmentWriter;
  private readonly members = new Set<GroupMember>();
  private readonly closing = new AbortController();
  private checkpointTimer: NodeJS.Timeout | null = null;
  private maintenanceTimer: NodeJS.Timeout | null = null;
  private background: Promise<unknown> = Promise.resolve();
  private isClosed = false;
  private ending: Promise<void> | null = null;

  private readonly met = new DamageList();
  private readonly readers: LogOfReaders;

  constructor(store: Store, options: LmdbLogOptions) {
    this.store = store;
    this.options = options;
    this.guard = new DiskGuard({
      path: store.path,
      ...(options.diskReserveBytes === undefined ? {} : { reserveBytes: options.diskReserveBytes }),
    });
    const segmentBytesMax = (): number => segmentBytesIn(this.guard.state(), store.framePartitions);
    const changes = new Changes(store, options.changes);
    this.readers = {
      ...{ changes, closing: this.closing.signal },
      check: () => this.checkOpen(),
      onFailure: (error) => void this.noteDamage(error),
    };
    this.writer = new LogWriter(
      store,
      changes,
      segmentBytesMax,
      options.now ?? Date.now,
      () => this.armCheckpoint(),
      (error) => this.report(error),
    );
    this.logSpace = new LogSpace(store, this.guard, options.retention ?? {});
    this.cleanerSegments = new SegmentWriter(store, segmentBytesMax);
    // Every follower adds a listener.
    setMaxListeners(0, this.closing.signal);
    if (options.mode === 'write' && (options.maintenanceIntervalMs ?? 0) > 0) this.armMaintenance(options.maintenanceIntervalMs!);
  }

  partitions(topic: TopicId): number {
    if (topics[topic] === undefined) throw new SquitterError('log.unknown_topic', { topic });
    return topicPartitions(topics[topic], this.store.framePartitions);
  }

  /** The records must not change until the promise settles. Errors: those of the port; `log.no_space` while the disk is nearly full. */
  async append(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    this.checkWritable();
    return this.write([{ topic, partition, records }], null);
  }

  /** The records must not change until the promise settles. The first commit of a group may begin at any offset. */
  async commit(commit: Commit): Promise<void> {
    this.checkWritable();
    await this.write(commit.outputs, commit);
  }

  async committed(group: string, topic: TopicId, partition: number): Promise<number | null> {
    this.checkOpen();
    this.store.root.resetReadTxn();
    return (this.store.rows.get(groupRowKey(group, topic, partition)) as GroupRow | undefined)?.offset ?? null;
  }

  async bounds(topic: TopicId, partition: number): Promise<Bounds> {
    this.checkOpen();
    const { earliest, next } = partitionRow(this.store, topic, partition);
    return { earliest, next };
  }

  async offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number> {
    this.checkOpen();
    try {
      return await findOffset(this.store, topic, partition, timestampMs);
    } catch (error) {
      const failure = readFailure(this.store, error, topic, partition, 0);
      this.noteDamage(failure);
      throw failure;
    }
  }

  /** Ends when the signal is aborted. Error: `log.closed` if the log is closed meanwhile. */
  read(request: ReadRequest): AsyncIterable<RecordBatch> {
    this.checkOpen();
    const { next } = partitionRow(this.store, request.topic, request.partition);
    const end = request.to === 'follow' ? Number.POSITIVE_INFINITY : request.to === 'end' ? next : request.to;
    return readLog(this.store, request, end, this.readers);
  }

  async join(group: string, topic: TopicId, handler: GroupHandler): Promise<GroupMember> {
    this.checkOpen();
    const member = joinAlone(this, group, topic, handler, this.options.share);
    this.members.add(member);
    const forget = () => this.members.delete(member);
    member.done.then(forget, forget);
    return member;
  }

  /** Runs a checkpoint, retention, compaction and packing. `compactNow` compacts and packs all new records. Only for the writer. */
  maintain(nowMs: number, compactNow = false): Promise<MaintenanceReport> {
    this.checkWritable();
    return this.inBackground(() => this.maintainOnce(nowMs, compactNow));
  }

  /** Makes all acknowledged records durable against a power loss. */
  checkpoint(): Promise<void> {
    this.checkWritable();
    return this.inBackground(async () => {
      this.writer.isDirty = false;
      try {
        await takeCheckpoint(this.store, () => this.writer.segments.flush());
      } catch (error) {
        // Without another write, only the timer tries again.
        this.writer.isDirty = true;
        this.armCheckpoint();
        throw error;
      }
    });
  }

  /** Stops members and readers, completes pending writes and releases the ownership. Every call waits for the same end. */
  close(): Promise<void> {
    this.ending ??= this.end();
    return this.ending;
  }

  private async end(): Promise<void> {
    await Promise.allSettled([...this.members].map((member) => member.leave()));
    await this.writer.idle();
    this.isClosed = true;
    this.closing.abort();
    if (this.checkpointTimer !== null) clearTimeout(this.checkpointTimer);
    if (this.maintenanceTimer !== null) clearInterval(this.maintenanceTimer);
    await this.background.catch(() => undefined);
    try {
      if (this.options.mode === 'write') {
        await takeCheckpoint(this.store, () => this.writer.segments.flush());
        await this.writer.segments.close();
        await this.cleanerSegments.close();
        await this.store.root.flushed;
        releaseOwnership(this.store);
      }
    } catch (error) {
      throw this.asFailure(error);
    } finally {
      await this.store.root.close();
    }
  }

  /** Free disk space, and whether writing is held. */
  disk(): DiskState {
    return this.guard.state();
  }

  /** Damaged stretches that readers and maintenance of this log object have met. */
  damages(): readonly Damage[] {
    return this.met.all();
  }

  /** Used and allowed disk space. */
  space(): Promise<SpaceReport> {
    this.checkOpen();
    return this.logSpace.measure();
  }

  private async write(outputs: readonly Output[], commit: Commit | null): Promise<number> {
    this.guard.check();
    try {
      const last = await this.writer.write(outputs, commit);
      this.guard.wrote();
      return last;
    } catch (error) {
      this.guard.failed(error);
      throw error;
    }
  }

  private async maintainOnce(nowMs: number, always: boolean): Promise<MaintenanceReport> {
    const space = await this.logSpace.measure();
    this.options.onSpace?.(space);
    await takeCheckpoint(this.store, () => this.writer.segments.flush());
    // A reader that was killed during a read transaction would prevent the reuse of index pages.
    this.store.root.readerCheck();
    const report = { expired: 0, compacted: 0, packed: 0 };
    let packMs = 0;
    for (const { topic, partition } of allPartitions(this.store)) {
      if (this.isClosed) break;
      const partitions = this.partitions(topic);
      const bytesMax = space.limits[topic] ?? null;
      const at = [this.store, this.cleanerSegments, topic, partition] as const;
      await this.apart(topic, partition, async () => {
        const isKeyed = topics[topic].cleanup === 'compact';
        if (!isKeyed) {
          const retention = { ...retentionOf(topic, this.options.retention ?? {}), bytesMax };
          report.expired += await expire(this.store, topic, partition, retention, partitions, nowMs);
        }
        // Compaction and packing need space before they free any.
        if (space.disk.held !== null) return;
        if (isKeyed) {
          const cleaner = new Cleaner(...at, {
            nowMs,
            always,
            dirtyBytesMin: segmentBytesIn(space.disk, this.store.framePartitions) * limits.logCleanDirtySegmentsMin,
            keptBytesMax: bytesMax === null ? null : bytesMax / partitions,
          });
          report.compacted += await cleaner.run();
        } else {
          const startMs = performance.now();
          const isOver = (): boolean => this.isClosed || (!always && packMs + performance.now() - startMs > limits.logPackMsMax);
          report.packed += await new Packer(...at, { nowMs, always, isOver }).run();
          packMs += performance.now() - startMs;
        }
      });
    }
    if (report.expired + report.compacted + report.packed > 0) this.options.onMaintenance?.(report);
    return report;
  }

  /** Maintenance of one partition. Damage ends it for this partition only. */
  private async apart(topic: TopicId, partition: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = readFailure(this.store, error, topic, partition, 0);
      if (!this.noteDamage(failure)) throw failure;
    }
  }

  /** True if the error names a damaged stretch. */
  private noteDamage(error: unknown): boolean {
    const damage = damageOf(error);
    if (damage !== null) this.met.add(damage);
    return damage !== null;
  }

  /** Background work of one log object never overlaps with itself. */
  private inBackground<T>(work: () => Promise<T>): Promise<T> {
    const result = this.background.then(work).catch((error: unknown) => {
      throw this.asFailure(error);
    });
    this.background = result.catch(() => undefined);
    return result;
  }

  private armCheckpoint(): void {
    if (this.checkpointTimer !== null || this.isClosed) return;
    this.checkpointTimer = setTimeout(() => {
      this.checkpointTimer = null;
      if (!this.isClosed && this.writer.isDirty) this.checkpoint().catch((error: unknown) => this.report(error));
    }, limits.logSyncMs);
    this.checkpointTimer.unref();
  }

  private armMaintenance(intervalMs: number): void {
    let isRunning = false;
    this.maintenanceTimer = setInterval(() => {
      if (isRunning || this.isClosed) return;
      isRunning = true;
      this.maintain((this.options.now ?? Date.now)())
        .catch((error: unknown) => this.report(error))
        .finally(() => {
          isRunning = false;
        });
    }, intervalMs);
    this.maintenanceTimer.unref();
  }

  private asFailure(error: unknown): unknown {
    return (error as { code?: unknown }).code === undefined ? error : logFailure(this.store.path, error, 'log.not_writable');
  }

  private report(error: unknown): void {
    this.options.onError?.(error);
  }

  private checkOpen(): void {
    if (this.isClosed) throw new SquitterError('log.closed');
  }

  private checkWritable(): void {
    this.checkOpen();
    if (this.options.mode !== 'write')
      throw new SquitterError('log.not_writable', { path: this.store.path, detail: 'the log is open for reading only' });
  }
}
