// The common part of compaction and packing: a partition, its entries, and the replacement of batches by one merged batch.
import { crc32 } from 'node:zlib';
import type { TopicId } from '../../../schemas/topics.ts';
import type { StoredRecord } from '../event-log.ts';
import { recordsOf } from '../record-block.ts';
import { batchSize, writeBatch } from './batch.ts';
import { checkpointedTo } from './checkpoint.ts';
import { type BatchEntry, encodeEntry, offsetKey } from './entry.ts';
import { BatchBuffer, entriesFrom } from './reader.ts';
import { type IndexDatabase, type PartitionRow, partitionRowKey, type Store } from './rows.ts';
import type { SegmentWriter } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { CODEC_BROTLI, CODEC_NONE, packed, STORED_HEAD_BYTES, type StoredHead, writeHead } from './stored-batch.ts';
import { transact } from './transaction.ts';

/** Records to be written as one batch, and the entries they come from. */
export interface Collected {
  readonly from: BatchEntry[];
  readonly records: StoredRecord[];
  bytes: number;
}

export interface MaintenanceOptions {
  readonly nowMs: number;
  /** Compacts and packs all new records, however few and however recent. */
  readonly always: boolean;
}

/** Maintenance of one partition. Only one at a time may use `segments`. */
export abstract class PartitionMaintenance<Options extends MaintenanceOptions> {
  protected readonly store: Store;
  protected readonly topic: TopicId;
  protected readonly index: IndexDatabase;
  protected readonly options: Options;
  protected readonly buffer: BatchBuffer;
  private readonly segments: SegmentWriter;
  private readonly partition: number;
  private readonly rowKey: string;

  constructor(store: Store, segments: SegmentWriter, topic: TopicId, partition: number, options: Options) {
    this.store = store;
    this.segments = segments;
    this.topic = topic;
    this.partition = partition;
    this.options = options;
    this.index = indexOf(store, topic, partition);
    this.rowKey = partitionRowKey(topic, partition);
    this.buffer = new BatchBuffer(store, topic, partition);
  }

  /** Does the work that is due. Returns the number of records that compaction removed, or of batches that packing merged. */
  async run(): Promise<number> {
    try {
      return await this.work();
    } finally {
      this.buffer.close();
    }
  }

  protected abstract work(): Promise<number>;

  protected get row(): PartitionRow {
    return partitionRow(this.store, this.topic, this.partition);
  }

  /** A power loss cuts the log at the checkpoint: no batch may be merged across it. */
  protected get checkpoint(): number {
    return checkpointedTo(this.store, this.topic, this.partition);
  }

  protected entries(from: number, to: number, entriesMax?: number): BatchEntry[] {
    this.store.root.resetReadTxn();
    const entries = entriesFrom(this.store, this.index, from, to, entriesMax);
    this.store.root.resetReadTxn();
    return entries;
  }

  protected changeRow(change: (row: PartitionRow) => Partial<PartitionRow>): Promise<void> {
    return transact(this.store, (transaction) => {
      const row = transaction.row<PartitionRow>(this.rowKey);
      transaction.setRow(this.rowKey, { ...row, ...change(row) });
    });
  }

  /** Replaces entries by one batch with their records. `packs` compresses it and records the progress. Returns false if the entries have changed meanwhile. */
  protected async replace(collected: Collected, packs: boolean): Promise<boolean> {
    const { index, rowKey } = this;
    const merged = collected.records.length === 0 ? null : await this.writeMerged(collected, packs);
    const isDone = await transact(this.store, (transaction) => {
      const row = transaction.row<PartitionRow>(rowKey);
      let bytes = row.bytes;
      for (const entry of collected.from) {
        const found = index.get(offsetKey(entry.baseOffset));
        if (found === undefined || !found.equals(encodeEntry(entry))) return false;
        transaction.remove(index, offsetKey(entry.baseOffset));
        if (!entry.isLost) transaction.addToSegment(entry.segment, -1);
        bytes -= entry.bytes;
      }
      if (merged !== null) {
        transaction.put(index, offsetKey(merged.baseOffset), encodeEntry(merged));
        transaction.addToSegment(merged.segment, 1);
        bytes += merged.bytes;
      }
      transaction.setRow(rowKey, packs ? { ...row, bytes, cleanedTo: collected.from.at(-1)!.lastOffset + 1 } : { ...row, bytes });
      return true;
    });
    await this.segments.settle();
    return isDone;
  }

  private async writeMerged({ from, records }: Collected, isPacked: boolean): Promise<BatchEntry> {
    const { segments, options } = this;
    const baseOffset = from[0]!.baseOffset;
    const outgoing = recordsOf(records);
    const size = batchSize(outgoing);
    const plain = Buffer.allocUnsafe(STORED_HEAD_BYTES + size.bytes);
    const offsetDeltas = records.map(({ offset }) => offset - baseOffset);
    writeBatch({ records: outgoing, from: 0, to: outgoing.length, size, offsetDeltas }, plain, STORED_HEAD_BYTES);
    const bytes = isPacked ? Buffer.concat([Buffer.alloc(STORED_HEAD_BYTES), await packed(plain.subarray(STORED_HEAD_BYTES))]) : plain;
    const last = from.at(-1)!;
    const { runningMaxTimestampMs, appendedAtMs } = last;
    const head: StoredHead = {
      codec: isPacked ? CODEC_BROTLI : CODEC_NONE,
      hasTombstones: records.some((record) => record.value === null),
      isMerged: true,
      bytes: bytes.length - STORED_HEAD_BYTES,
      checksum: crc32(bytes.subarray(STORED_HEAD_BYTES)),
      plainBytes: size.bytes,
      baseOffset,
      lastOffset: records.at(-1)!.offset,
      coversTo: last.lastOffset,
      maxTimestampMs: records.reduce((max, record) => Math.max(max, record.timestampMs), Number.NEGATIVE_INFINITY),
      appendedAtMs,
      // The outputs of compacted topics need no proof of the input offset.
      committedNext: isPacked ? (this.buffer.head(last)?.committedNext ?? null) : null,
    };
    writeHead(head, bytes, 0);
    const address = await segments.reserve(this.topic, this.partition, bytes.length);
    segments.write(address, bytes);
    // The replaced batches are before the checkpoint, so this one must be on the disk too.
    await segments.flush();
    // The newest tombstone decides, so that none is dropped too early.
    const met = from
      .filter((entry) => entry.hasTombstones)
      .map((entry) => (entry.tombstonesMetMs === 0 ? options.nowMs : entry.tombstonesMetMs));
    const { lastOffset, maxTimestampMs, hasTombstones } = head;
    return {
      ...{ baseOffset, lastOffset, records: records.length, headBytes: size.headBytes, bytes: bytes.length, ...address },
      ...{ maxTimestampMs, runningMaxTimestampMs, appendedAtMs, hasTombstones, isPacked, isLost: false },
      tombstonesMetMs: hasTombstones ? Math.max(...met) : 0,
    };
  }
}
