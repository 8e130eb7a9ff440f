// Checks that a day is complete: a published day is never a part of it. Stages are complete when they have taken in every record of the day.
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { dayStartMs, nextDay } from '../jobs/due-days.ts';

/** A stage and the topic it reads. */
export interface StageGroup {
  readonly group: string;
  readonly topic: TopicId;
}

/** Error: `export.day_open`. */
export function checkDayOver(day: string, nowMs: number): void {
  const endMs = dayStartMs(nextDay(day));
  // Records of the last second come a little later.
  const fromMs = endMs + limits.exportSettleMs;
  if (nowMs < fromMs) throw new SquitterError('export.day_open', { day, time: new Date(fromMs).toISOString() });
}

/**
 * Checks that the stages are beyond the end of the day in every partition. A partition that ends within the day is complete: nothing runs any more that writes to it.
 * Error: `export.day_incomplete`.
 */
export async function checkDayWhole(log: EventLog, day: string, stages: readonly StageGroup[]): Promise<void> {
  const endMs = dayStartMs(nextDay(day));
  for (const { group, topic } of stages)
    for (let partition = 0; partition < log.partitions(topic); partition += 1) {
      const { earliest, next } = await log.bounds(topic, partition);
      const end = await log.offsetAt(topic, partition, endMs);
      if (end >= next) continue;
      const committed = (await log.committed(group, topic, partition)) ?? earliest;
      if (committed >= end) continue;
      const detail = `${group} is ${end - committed} records before its end in partition ${partition} of ${topic}`;
      throw new SquitterError('export.day_incomplete', { day, source: 'the log', detail });
    }
}
