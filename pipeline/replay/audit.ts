// The audit: folds the frames topic again from its start and proves that the topics hold what this gives, record by record.
// Positions must be equal in number, order and bytes. The aircraft and progress topics are compacted, so what they still hold
// must be a subsequence of what the fold gives, and hold the last record of every key.
import { createHash, type Hash } from 'node:crypto';
import { SquitterError } from '../../schemas/errors.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import { type FoldOptions, PartitionFold } from '../fold/partition-fold.ts';
import { TickOutputs } from '../fold/tick-outputs.ts';
import { FOLD_GROUP } from '../fold/worker.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog, OutgoingRecord, StoredRecord } from '../log/event-log.ts';

/** Topics that the fold writes and an audit proves. */
const AUDITED = ['positions', 'aircraft', 'progress'] as const satisfies readonly TopicId[];
type AuditedTopic = (typeof AUDITED)[number];

const DIFFERENCES_SHOWN_MAX = 5;

export interface TopicAudit {
  readonly topic: AuditedTopic;
  readonly partition: number;
  /** Records that the fold gives, and that the topic holds. */
  expected: number;
  stored: number;
  expectedSha256: string;
  storedSha256: string;
  /** The first few differences, in words. */
  readonly differences: string[];
  differenceCount: number;
}

export interface PartitionAudit {
  readonly partition: number;
  frames: number;
  frameRecords: number;
  /** Positions that the fold accepts. */
  positions: number;
  /** Aircraft that the fold still knows at the end. */
  aircraft: number;
  readonly topics: TopicAudit[];
}

export interface AuditOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly fold: FoldOptions;
  /** Told after each batch: frames records done, of how many, and frames so far. */
  readonly onProgress: (done: number, total: number, frames: number) => void;
  readonly signal: AbortSignal;
}

/** Audits every partition up to the fold's committed offset. Errors: `audit.frames_expired`. */
export async function audit(options: AuditOptions): Promise<PartitionAudit[]> {
  const results: PartitionAudit[] = [];
  for (let partition = 0; partition < options.log.partitions('frames'); partition += 1)
    results.push(await auditPartition(options, partition));
  return results;
}

async function auditPartition(options: AuditOptions, partition: number): Promise<PartitionAudit> {
  const { log, codecs } = options;
  const { committed, ends } = await consistentEnds(log, partition);
  const { earliest } = await log.bounds('frames', partition);
  if (earliest > 0) throw new SquitterError('audit.frames_expired', { offset: earliest, partition });
  const checks = new Map<TopicId, TopicCheck>();
  for (const topic of AUDITED) checks.set(topic, new TopicCheck(log, topic, partition, ends.get(topic)!));

  const result: PartitionAudit = { partition, frames: 0, frameRecords: 0, positions: 0, aircraft: 0, topics: [] };
  const fold = new PartitionFold(options.fold);
  const outputs = new TickOutputs(codecs, partition);
  for await (const batch of log.read({ topic: 'frames', partition, from: 'earliest', to: committed, signal: options.signal })) {
    for (const record of batch.records) {
      result.frameRecords += 1;
      if (record.value === null) continue;
      const frames = codecs.FrameBatch.decode(record.value);
      result.frames += frames.count;
      fold.apply(frames, record.offset, (tick) => {
        result.positions += tick.positions.count;
        result.aircraft = tick.progress.aircraft;
        outputs.addTick(tick);
      });
    }
    for (const output of outputs.take()) await checks.get(output.topic)?.expect(output.records);
    options.onProgress(batch.nextOffset, committed, result.frames);
  }
  for (const check of checks.values()) result.topics.push(await check.finish());
  return result;
}

/** Ends of the audited topics that belong to one committed offset, also while a fold goes on writing. */
async function consistentEnds(log: EventLog, partition: number): Promise<{ committed: number; ends: Map<TopicId, number> }> {
  for (;;) {
    const before = (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0;
    const ends = new Map<TopicId, number>();
    for (const topic of AUDITED) ends.set(topic, (await log.bounds(topic, partition)).next);
    const after = (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0;
    if (before === after) return { committed: after, ends };
  }
}

/** Compares one topic's records with the expected ones while both are read once, in order. */
class TopicCheck {
  private readonly log: EventLog;
  private readonly end: number;
  private readonly result: TopicAudit;
  private readonly compacted: boolean;
  private readonly stored: AsyncIterator<StoredRecord>;
  private readonly expectedHash: Hash = createHash('sha256');
  private readonly storedHash: Hash = createHash('sha256');
  /** Compacted topics: what became of each key. */
  private readonly keys = new Map<string, KeyCheck>();
  private head: StoredRecord | null = null;
  private started = false;

  constructor(log: EventLog, topic: AuditedTopic, partition: number, end: number) {
    this.log = log;
    this.end = end;
    this.compacted = topics[topic].cleanup === 'compact';
    this.stored = storedRecords(log, topic, partition, end)[Symbol.asyncIterator]();
    this.result = {
      topic,
      partition,
      expected: 0,
      stored: 0,
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
        if (!found) this.differ(`record ${this.result.expected - 1} of tick ${record.timestampMs} is not at its place`);
      }
      if (!found) continue;
      hashRecord(this.storedHash, record);
      if (this.compacted) hashRecord(this.expectedHash, record);
      await this.advance();
    }
  }

  async finish(): Promise<TopicAudit> {
    if (!this.started) await this.advance();
    while (this.head !== null) {
      this.differ(`offset ${this.head.offset} (key ${this.head.key}, tick ${this.head.timestampMs}) is not what the fold gives`);
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
      // A fold that still writes may have superseded it since; a cleaner drops a tombstone once nothing older is left.
      if (check.lastFound || newer.has(key) || (check.lastIsTombstone && !check.held)) continue;
      this.expectedHash.update(key);
      this.differ(`the last record of key ${key} is missing`);
    }
  }

  private async advance(): Promise<void> {
    this.started = true;
    const next = await this.stored.next();
    this.head = next.done === true ? null : next.value;
    if (this.head !== null) this.result.stored += 1;
  }

  private differ(text: string): void {
    this.result.differenceCount += 1;
    if (this.result.differences.length < DIFFERENCES_SHOWN_MAX) this.result.differences.push(text);
  }
}

interface KeyCheck {
  lastFound: boolean;
  lastIsTombstone: boolean;
  /** The topic holds a value of this key. */
  held: boolean;
}

async function* storedRecords(
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
