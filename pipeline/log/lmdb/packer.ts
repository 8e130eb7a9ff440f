// Packing: merges and compresses batches of uncompacted topics when they are some minutes old.
// Followers and restarts read newer batches. Audits, replays and tools read older ones; unpacking is transparent to them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../../schemas/limits/index.ts';
import type { StoredRecord } from '../event-log.ts';
import { readRecords } from './batch.ts';
import type { BatchEntry } from './entry.ts';
import { type Collected, type MaintenanceOptions, PartitionMaintenance } from './maintenance.ts';

interface PackOptions extends MaintenanceOptions {
  /** True when the time limit is used up or the log is closing. */
  readonly isOver: () => boolean;
}

interface Group {
  readonly entries: readonly BatchEntry[];
  /** They need no packing. */
  readonly isDone: boolean;
}

/** Packs the due batches of a partition. */
export class Packer extends PartitionMaintenance<PackOptions> {
  protected async work(): Promise<number> {
    const end = this.checkpoint;
    let position = await this.start(end);
    let merged = 0;
    while (!this.options.isOver()) {
      const group = this.nextGroup(position, end);
      if (group === null) break;
      const { entries } = group;
      const next = entries.at(-1)!.lastOffset + 1;
      if (group.isDone) {
        await this.noteProgress(next);
      } else {
        const collected = this.collect(entries);
        // Retention may have removed some of them meanwhile: the next round begins after those.
        if (collected === null || !(await this.replace(collected, true))) break;
        merged += entries.length;
        await nextTurn();
      }
      position = next;
    }
    return merged;
  }

  /** Where packing continues. If retention has overtaken packing, packing restarts at the end. */
  private async start(end: number): Promise<number> {
    const { cleanedTo, earliest } = this.row;
    if (cleanedTo >= earliest || cleanedTo === 0) return Math.max(cleanedTo, earliest);
    await this.noteProgress(end);
    return end;
  }

  /** The next entries that form one batch; null if there are not enough. */
  private nextGroup(from: number, to: number): Group | null {
    const { always, nowMs } = this.options;
    const newestMs = always ? Number.POSITIVE_INFINITY : nowMs - limits.logPackAgeMs;
    const found = from < to ? this.entries(from, to, limits.logMaintenanceEntriesMax + 1) : [];
    const entries: BatchEntry[] = [];
    const group = (): Group | null => (entries.length === 0 ? null : { entries, isDone: false });
    let bytes = 0;
    let records = 0;
    for (const entry of found) {
      if (entry.appendedAtMs > newestMs) return null;
      if (entry.isPacked || entry.isLost) return group() ?? { entries: [entry], isDone: true };
      bytes += entry.bytes;
      records += entry.records;
      const isFull =
        bytes > limits.logBatchBytesMax || records > limits.readRecordsMax || entries.length === limits.logMaintenanceEntriesMax;
      if (isFull && entries.length > 0) return group();
      entries.push(entry);
    }
    return always ? group() : null;
  }

  /** Copies of all records; null if a segment is gone. */
  private collect(entries: readonly BatchEntry[]): Collected | null {
    const records: StoredRecord[] = [];
    let bytes = 0;
    for (const entry of entries) {
      const batch = this.buffer.load(entry);
      if (batch === null) return null;
      const copy = Buffer.from(batch);
      for (const record of readRecords({ bytes: copy, baseOffset: entry.baseOffset })) records.push(record);
      bytes += copy.length;
    }
    return { from: [...entries], records, bytes };
  }

  private noteProgress(to: number): Promise<void> {
    return this.changeRow(({ cleanedTo }) => ({ cleanedTo: Math.max(cleanedTo, to) }));
  }
}
