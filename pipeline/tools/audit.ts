// The audit: folds the frames topic again and proves that the topics hold what this gives, record by record: from the start, or from where
// this version of the fold took over from another.
// Positions must be equal in number, order and bytes. The aircraft and progress topics are compacted, so what they still hold
// must be a subsequence of what the fold gives, and hold the last record of every key; superseded states that are gone cannot be compared.
// Offsets are never counted: on Kafka control records stand between records.
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../schemas/errors.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { TickOutputs } from '../fold/tick-outputs.ts';
import { decodeFrames, FOLD_GROUP } from '../fold/worker.ts';
import type { EventLog } from '../log/event-log.ts';
import { listOf } from '../log/record-block.ts';
import { ExpectedLetters, type LetterAudit } from './audit-letters.ts';
import { type AuditOptions, countFrameRecords, stretchOf } from './audit-stretch.ts';
import { type TopicAudit, TopicCheck } from './audit-topic.ts';

/** Topics that the fold writes and an audit proves. */
const AUDITED = ['positions', 'aircraft', 'progress'] as const satisfies readonly TopicId[];

/** Between two looks at the ends of the topics while a fold goes on writing. */
const SETTLE_MS = 100;

export interface PartitionAudit {
  readonly partition: number;
  /** Frames from `fromOffset` to before the fold's committed offset are compared. */
  readonly fromOffset: number;
  readonly committed: number;
  frames: number;
  frameRecords: number;
  /** Positions that the fold accepts. */
  positions: number;
  /** Frame records behind the committed offset: a fold has yet to read them. */
  waiting: number;
  /** Aircraft that the fold still knows at the end. */
  aircraft: number;
  readonly topics: TopicAudit[];
  /** What other versions of the fold wrote before, which cannot be compared; null where nothing is. */
  notCompared: { readonly versions: readonly number[]; readonly beforeOffset: number; readonly frameRecords: number } | null;
}

export interface Audit {
  readonly partitions: readonly PartitionAudit[];
  /** Frame records that cannot be read. */
  readonly letters: LetterAudit;
}

/** Audits every partition up to the fold's committed offset. Errors: `audit.frames_expired`, `fold.newer_version`. */
export async function audit(options: AuditOptions): Promise<Audit> {
  const { log, signal } = options;
  const partitions: PartitionAudit[] = [];
  const letters = new ExpectedLetters();
  for (let partition = 0; partition < log.partitions('frames'); partition += 1)
    partitions.push(await auditPartition(options, partition, letters));
  return { partitions, letters: await letters.compare(log, partitions, signal) };
}

async function auditPartition(options: AuditOptions, partition: number, letters: ExpectedLetters): Promise<PartitionAudit> {
  const { log, codecs } = options;
  const { committed, ends } = await consistentEnds(log, partition);
  const { fold, fromOffset, afterTickMs, otherVersions } = await stretchOf(options, partition, committed);
  const { earliest } = await log.bounds('frames', partition);
  if (earliest > fromOffset) throw new SquitterError('audit.frames_expired', { offset: earliest, partition });
  const checks = new Map<TopicId, TopicCheck>();
  for (const topic of AUDITED) checks.set(topic, new TopicCheck(log, topic, partition, { end: ends.get(topic)!, afterTickMs }));

  const waiting = await countFrameRecords(log, partition, { from: committed, to: 'end' }, options.signal);
  const counts = { frames: 0, frameRecords: 0, positions: 0, waiting, aircraft: 0 };
  const result: PartitionAudit = { partition, committed, fromOffset, ...counts, topics: [], notCompared: null };
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
    for (const { topic, records } of outputs.take('all')) {
      const list = listOf(records);
      if (topic === 'deadletter') letters.add(list);
      else await checks.get(topic)?.expect(list);
    }
    options.onProgress(batch.nextOffset, committed, result.frames);
  }
  for (const check of checks.values()) result.topics.push(await check.finish());
  return result;
}

/**
 * Ends of the audited topics that belong to one committed offset, also while a fold goes on writing. On Kafka the marks of one transaction
 * reach the partitions one after the other, so the ends count only when they stayed the same for a while.
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
