// The audit folds the frames topic again and proves record by record that the topics match. It begins at the start of the log, or where
// this version of the fold took over from another.
// Positions must be equal in number, order and bytes. The aircraft and progress topics are compacted: their records must be a subsequence
// of the fold's output and contain the last record of every key. Superseded states that are gone cannot be compared.
// The audit counts no offsets: on Kafka there are control records between records.
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import { TickOutputs } from '../../fold/tick-outputs.ts';
import { FOLD_GROUP } from '../../fold/version.ts';
import { decodeFrames } from '../../fold/worker.ts';
import type { EventLog } from '../../log/event-log.ts';
import { listOf } from '../../log/record-block.ts';
import { type DeadLetterAudit, type DeadLetterDigests, ExpectedDeadLetters } from './dead-letters.ts';
import { type AuditOptions, countFrameRecords, stretchOf } from './stretch.ts';
import { type TopicAudit, TopicCheck } from './topic.ts';

/** Topics that the fold writes and the audit proves. */
const AUDITED = ['positions', 'aircraft', 'progress'] as const satisfies readonly TopicId[];

/** Time between two reads of the topic ends while a fold is writing. */
const SETTLE_MS = 100;

export interface PartitionAudit {
  readonly partition: number;
  /** Frames from `fromOffset` up to the fold's committed offset are compared. */
  readonly fromOffset: number;
  /** Tick of the kept snapshot that the audit began with, ms; null when it began with the log or the version. */
  readonly snapshotMs: number | null;
  readonly committed: number;
  frames: number;
  frameRecords: number;
  /** Positions that the fold accepts. */
  positions: number;
  /** Frame records after the committed offset: not folded yet. */
  waiting: number;
  /** Aircraft in the fold at the end. */
  aircraft: number;
  readonly topics: TopicAudit[];
  /** Outputs of other fold versions, which cannot be compared; null when there are none. */
  notCompared: { readonly versions: readonly number[]; readonly beforeOffset: number; readonly frameRecords: number } | null;
}

export interface Audit {
  readonly partitions: readonly PartitionAudit[];
  /** Unreadable frame records. */
  readonly deadLetters: DeadLetterAudit;
}

/** Audits every partition up to the fold's committed offset. Errors: `audit.frames_expired`, `fold.newer_version`. */
export async function audit(options: AuditOptions): Promise<Audit> {
  const audited: AuditedPartition[] = [];
  for (let partition = 0; partition < options.log.partitions('frames'); partition += 1)
    audited.push(await auditPartition(options, partition));
  return completeAudit(options, audited);
}

/** An audited partition, and the dead letters that its frames must have. */
export interface AuditedPartition {
  readonly audit: PartitionAudit;
  readonly deadLetters: DeadLetterDigests;
}

/** Compares the dead letters of all partitions, which share a topic. */
export async function completeAudit(
  { log, signal }: Pick<AuditOptions, 'log' | 'signal'>,
  audited: readonly AuditedPartition[],
): Promise<Audit> {
  const partitions = audited.map((partition) => partition.audit);
  const deadLetters = new ExpectedDeadLetters();
  for (const { deadLetters: digests } of audited) deadLetters.addDigests(digests);
  return { partitions, deadLetters: await deadLetters.compare(log, partitions, signal) };
}

/** Audits one partition: they are independent of each other. Errors: `audit.frames_expired`, `audit.no_snapshot`, `fold.newer_version`. */
export async function auditPartition(options: AuditOptions, partition: number): Promise<AuditedPartition> {
  const deadLetters = new ExpectedDeadLetters();
  const { log, codecs } = options;
  const { committed, ends } = await consistentEnds(log, partition);
  const { fold, fromOffset, afterTickMs, otherVersions, snapshotMs } = await stretchOf(options, partition, committed);
  const { earliest } = await log.bounds('frames', partition);
  if (earliest > fromOffset) throw new SquitterError('audit.frames_expired', { offset: earliest, partition });
  const checks = new Map<TopicId, TopicCheck>();
  for (const topic of AUDITED) {
    const end = ends.get(topic)!;
    // Records before the snapshot need not be read.
    const from = snapshotMs === null ? {} : { from: Math.min(end, await log.offsetAt(topic, partition, snapshotMs + 1)) };
    checks.set(topic, new TopicCheck(log, topic, partition, { ...from, end, afterTickMs }));
  }

  const waiting = await countFrameRecords(log, partition, { from: committed, to: 'end' }, options.signal);
  const counts = { frames: 0, frameRecords: 0, positions: 0, waiting, aircraft: 0 };
  const result: PartitionAudit = { partition, committed, fromOffset, snapshotMs, ...counts, topics: [], notCompared: null };
  if (otherVersions.length > 0) {
    const frameRecords = await countFrameRecords(log, partition, { from: 'earliest', to: fromOffset }, options.signal);
    result.notCompared = { versions: otherVersions, beforeOffset: fromOffset, frameRecords };
  }
  const outputs = new TickOutputs(codecs, partition);
  for await (const batch of log.read({ topic: 'frames', partition, from: fromOffset, to: committed, signal: options.signal })) {
    for (const record of batch.records) {
      result.frameRecords += 1;
      const frames = decodeFrames(codecs, record);
      if (frames === null) {
        outputs.addDeadLetter(partition, record);
        continue;
      }
      result.frames += frames.count;
      fold.apply(frames, record.offset, (tick) => {
        result.positions += tick.positions.count;
        result.aircraft = tick.progress.aircraft;
        outputs.addTick(tick);
      });
    }
    for (const { topic, records } of outputs.drain('all')) {
      const list = listOf(records);
      if (topic === 'deadletter') deadLetters.add(list);
      else await checks.get(topic)?.expect(list);
    }
    options.onProgress(batch.nextOffset, committed, result.frames);
  }
  for (const check of checks.values()) result.topics.push(await check.finish());
  return { audit: result, deadLetters: deadLetters.digests };
}

/**
 * Ends of the audited topics that belong to one committed offset, also while a fold is writing. On Kafka the markers of one transaction
 * reach the partitions one after the other, so the ends count only after they stay the same for a while.
 */
async function consistentEnds(log: EventLog, partition: number): Promise<{ committed: number; ends: Map<TopicId, number> }> {
  let before = await endsOf(log, partition);
  for (;;) {
    await sleep(SETTLE_MS);
    const after = await endsOf(log, partition);
    const same = after.committed === before.committed && AUDITED.every((topic) => after.ends.get(topic) === before.ends.get(topic));
    if (same) return after;
    before = after;
  }
}

async function endsOf(log: EventLog, partition: number): Promise<{ committed: number; ends: Map<TopicId, number> }> {
  const ends = new Map<TopicId, number>();
  for (const topic of AUDITED) ends.set(topic, (await log.bounds(topic, partition)).next);
  return { committed: (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0, ends };
}
