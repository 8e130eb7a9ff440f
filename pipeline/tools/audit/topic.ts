// One topic of one partition in an audit. Its records and the expected ones are both read once, in order.
import { createHash, type Hash } from 'node:crypto';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { EventLog, StoredRecord } from '../../log/event-log.ts';
import type { OutgoingRecord } from '../../log/record-block.ts';

export interface TopicAudit {
  readonly topic: TopicId;
  readonly partition: number;
  /** Records from the fold, and records in the topic. */
  expected: number;
  stored: number;
  /** Records of a compacted topic that newer ones superseded. They no longer exist and cannot be compared. */
  superseded: number;
  /** Records that other versions of the fold wrote. They are read but not compared. */
  others: number;
  expectedSha256: string;
  storedSha256: string;
  /** The first few differences, as text. */
  readonly differences: string[];
  differenceCount: number;
}

/** Compares the records of one topic with the expected ones; both are read once, in order. */
export class TopicCheck {
  private readonly log: EventLog;
  private readonly end: number;
  private readonly afterTickMs: number;
  private readonly result: TopicAudit;
  private readonly compacted: boolean;
  private readonly stored: AsyncIterator<StoredRecord>;
  private readonly expectedHash: Hash = createHash('sha256');
  private readonly storedHash: Hash = createHash('sha256');
  /** Compacted topics: the state of each key. */
  private readonly keys = new Map<string, KeyCheck>();
  private head: StoredRecord | null = null;
  private started = false;

  /** Compares the records from `from` to before offset `end` whose tick is after `afterTickMs`. */
  constructor(
    log: EventLog,
    topic: TopicId,
    partition: number,
    { from, end, afterTickMs }: { from?: number; end: number; afterTickMs: number },
  ) {
    this.log = log;
    this.end = end;
    this.afterTickMs = afterTickMs;
    this.compacted = topics[topic].cleanup === 'compact';
    this.stored = storedRecords(log, topic, partition, end, from)[Symbol.asyncIterator]();
    this.result = {
      topic,
      partition,
      expected: 0,
      stored: 0,
      superseded: 0,
      others: 0,
      expectedSha256: '',
      storedSha256: '',
      differences: [],
      differenceCount: 0,
    };
  }

  async expect(records: readonly OutgoingRecord[]): Promise<void> {
    if (!this.started) await this.advance();
    for (const record of records) {
      this.result.expected += 1;
      const found = this.head !== null && sameRecord(this.head, record);
      if (this.compacted) this.noteKey(record, found);
      else {
        hashRecord(this.expectedHash, record);
        if (!found) this.differ(`record ${this.result.expected - 1} of tick ${record.timestampMs} is missing or out of order`);
      }
      if (!found && this.compacted) this.result.superseded += 1;
      if (!found) continue;
      hashRecord(this.storedHash, record);
      if (this.compacted) hashRecord(this.expectedHash, record);
      await this.advance();
    }
  }

  async finish(): Promise<TopicAudit> {
    if (!this.started) await this.advance();
    while (this.head !== null) {
      this.differ(`offset ${this.head.offset} (key ${this.head.key}, tick ${this.head.timestampMs}) differs from the fold`);
      hashRecord(this.storedHash, this.head);
      await this.advance();
    }
    if (this.compacted) await this.checkLastRecords();
    this.result.expectedSha256 = this.expectedHash.digest('hex');
    this.result.storedSha256 = this.storedHash.digest('hex');
    return this.result;
  }

  private noteKey(record: OutgoingRecord, found: boolean): void {
    const key = record.key ?? '';
    const check = this.keys.get(key) ?? { lastFound: false, lastIsTombstone: false, held: false };
    this.keys.set(key, check);
    check.lastFound = found;
    check.lastIsTombstone = record.value === null;
    if (found) check.held = record.value !== null;
  }

  private async checkLastRecords(): Promise<void> {
    const newer = new Set<string>();
    const { topic, partition } = this.result;
    for await (const record of storedRecords(this.log, topic, partition, 'end', this.end)) newer.add(record.key ?? '');
    for (const [key, check] of this.keys) {
      // A running fold may have superseded it since. A log cleaner drops a tombstone once no older record is left.
      if (check.lastFound || newer.has(key) || (check.lastIsTombstone && !check.held)) continue;
      this.expectedHash.update(key);
      this.result.superseded -= 1;
      this.differ(`the last record of key ${key} is missing`);
    }
  }

  private async advance(): Promise<void> {
    this.started = true;
    let next = await this.stored.next();
    for (; next.done !== true && next.value.timestampMs <= this.afterTickMs; next = await this.stored.next()) this.result.others += 1;
    this.head = next.done === true ? null : next.value;
    if (this.head !== null) this.result.stored += 1;
  }

  private differ(text: string): void {
    this.result.differenceCount += 1;
    if (this.result.differences.length < limits.auditDifferencesMax) this.result.differences.push(text);
  }
}

interface KeyCheck {
  lastFound: boolean;
  lastIsTombstone: boolean;
  /** The topic contains a value of this key. */
  held: boolean;
}

export async function* storedRecords(
  log: EventLog,
  topic: TopicId,
  partition: number,
  to: number | 'end',
  from: number | 'earliest' = 'earliest',
): AsyncGenerator<StoredRecord> {
  for await (const batch of log.read({ topic, partition, from, to })) yield* batch.records;
}

function sameRecord(a: OutgoingRecord, b: OutgoingRecord): boolean {
  if (a.key !== b.key || a.timestampMs !== b.timestampMs) return false;
  if (a.value === null || b.value === null) return a.value === b.value;
  return Buffer.compare(a.value, b.value) === 0;
}

function hashRecord(hash: Hash, record: OutgoingRecord): void {
  hash.update(`${record.key ?? ''} ${record.timestampMs} ${record.value === null ? 'tombstone' : record.value.length}\n`);
  if (record.value !== null) hash.update(record.value);
}
