// Compaction: keeps the last record of each key. Like Kafka's cleaner, it reads the keys of the new part when enough of a partition is new,
// then rewrites the batches without superseded records. Offsets stay, so gaps appear. Steps are small, and readers continue meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../../schemas/limits/index.ts';
import { topics } from '../../../schemas/topics.ts';
import type { StoredRecord } from '../event-log.ts';
import { RECORD_BYTES, readRecords } from './batch.ts';
import { type BatchEntry, offsetKey } from './entry.ts';
import { type Collected, type MaintenanceOptions, PartitionMaintenance } from './maintenance.ts';
import { readEntry } from './reader.ts';
import type { PartitionRow } from './rows.ts';

interface CleanOptions extends MaintenanceOptions {
  /** New bytes of a partition below which it is not compacted. */
  readonly dirtyBytesMin: number;
  /** Bytes of recent records that the partition may keep uncompacted, if its topic keeps any; null for no limit. */
  readonly keptBytesMax: number | null;
}

/** The part to compact: its end offset, and its new bytes. */
interface Due {
  readonly to: number;
  readonly bytes: number;
}

/** An entry with its records, whose values are valid until the next entry is loaded. */
interface Loaded {
  readonly entry: BatchEntry;
  readonly records: readonly StoredRecord[];
}

/** Compacts a partition if it is due. */
export class Cleaner extends PartitionMaintenance<CleanOptions> {
  /** Another cleaner is at work: a batch is gone, and only a cleaner moves batches of a compacted topic. */
  private isOvertaken = false;

  protected async work(): Promise<number> {
    const { row } = this;
    const due = this.due(row);
    if (due === null) return 0;
    const lastOffsets = new Map<string, number>();
    const end = await this.collectKeys(row.cleanedTo, Math.min(due.to, this.checkpoint), lastOffsets);
    if (end <= row.cleanedTo) return 0;
    const removed = await this.rewrite(end, lastOffsets);
    // Records appended during the compaction are still new. If `end` is before `next`, the rest is left for the next time.
    await this.changeRow(({ cleanedTo, dirtyBytes }) => ({
      cleanedTo: Math.max(cleanedTo, end),
      dirtyBytes: Math.max(0, dirtyBytes - due.bytes),
    }));
    return removed;
  }

  /** The due part of the partition; null if compaction is not due. */
  private due(row: PartitionRow): Due | null {
    const { always, dirtyBytesMin } = this.options;
    const { dirtyBytes: bytes, next } = row;
    if (always) return next > row.cleanedTo ? { to: next, bytes } : null;
    if (bytes < dirtyBytesMin) return null;
    const { compactAfterMs } = topics[this.topic];
    if (compactAfterMs !== null) return this.dueOfOld(row, compactAfterMs);
    return bytes >= row.bytes * limits.logCleanDirtyRatioMin ? { to: next, bytes } : null;
  }

  /** The same for a topic that keeps recent records: records that arrived long ago, and those beyond the size limit. */
  private dueOfOld(row: PartitionRow, compactAfterMs: number): Due | null {
    const { nowMs, keptBytesMax, dirtyBytesMin } = this.options;
    let young = row.dirtyBytes;
    let to = row.cleanedTo;
    let batches = 0;
    for (const { key, value } of this.index.getRange({ start: offsetKey(to), limit: limits.logCleanBatchesMin })) {
      const { appendedAtMs, bytes, lastOffset } = readEntry(this.store, key, value);
      if (appendedAtMs > nowMs - compactAfterMs && young <= (keptBytesMax ?? Number.POSITIVE_INFINITY)) break;
      young -= bytes;
      to = lastOffset + 1;
      batches += 1;
    }
    const old = row.dirtyBytes - young;
    const isMuch = old >= dirtyBytesMin && old >= (row.bytes - young) * limits.logCleanDirtyRatioMin;
    return isMuch || batches === limits.logCleanBatchesMin ? { to, bytes: old } : null;
  }

  /** The batches in [from, to), one a turn of the event loop. */
  private async *batches(from: number, to: number): AsyncGenerator<Loaded> {
    for (let position = from; position < to; ) {
      const entries = this.entries(position, to);
      if (entries.length === 0) return;
      for (const entry of entries) {
        const bytes = entry.isLost ? null : this.buffer.load(entry);
        this.isOvertaken = bytes === null && !entry.isLost;
        if (this.isOvertaken) return;
        yield { entry, records: bytes === null ? [] : readRecords({ bytes, baseOffset: entry.baseOffset }) };
        position = entry.lastOffset + 1;
        await nextTurn();
      }
    }
  }

  /** Collects the last offset of each key in [from, to), up to the limit of the map. Returns where it stopped. */
  private async collectKeys(from: number, to: number, lastOffsets: Map<string, number>): Promise<number> {
    for await (const { entry, records } of this.batches(from, to)) {
      for (const { key, offset } of records) if (key !== null) lastOffsets.set(key, offset);
      if (lastOffsets.size >= limits.logCleanKeysMax) return entry.lastOffset + 1;
    }
    return this.isOvertaken ? from : to;
  }

  /** Replaces the batches before `end` by batches of their surviving records. Returns the number of dropped records. */
  private async rewrite(end: number, lastOffsets: ReadonlyMap<string, number>): Promise<number> {
    let collected: Collected = { from: [], records: [], bytes: 0 };
    let removed = 0;
    for await (const loaded of this.batches(0, end)) {
      if (collected.from.length === limits.logMaintenanceEntriesMax || collected.bytes + loaded.entry.bytes > limits.logBatchBytesMax) {
        if (collected.from.length > 0 && !(await this.replace(collected, false))) return removed;
        collected = { from: [], records: [], bytes: 0 };
      }
      removed += this.keepSurvivors(loaded, lastOffsets, collected);
    }
    if (collected.from.length > 0) await this.replace(collected, false);
    return removed;
  }

  /** Adds copies of the records to keep. Returns the number of dropped records. */
  private keepSurvivors({ entry, records }: Loaded, lastOffsets: ReadonlyMap<string, number>, collected: Collected): number {
    const dropsTombstones = entry.tombstonesMetMs > 0 && entry.tombstonesMetMs + limits.logTombstoneKeepMs <= this.options.nowMs;
    collected.from.push(entry);
    const isSurvivor = ({ key, offset, value }: StoredRecord): boolean =>
      (key === null || (lastOffsets.get(key) ?? -1) <= offset) && !(value === null && dropsTombstones);
    const survivors = records.filter(isSurvivor);
    for (const { offset, key, timestampMs, value } of survivors) {
      collected.records.push({ offset, key, timestampMs, value: value === null ? null : Buffer.from(value) });
      collected.bytes += RECORD_BYTES + Buffer.byteLength(key ?? '') + (value?.length ?? 0);
    }
    return records.length - survivors.length;
  }
}
