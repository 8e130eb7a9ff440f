// Values of `--from` and `--to`: an offset, a time, or an end of the topic.

import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog } from '../log/event-log.ts';

export type RangeEnd = { readonly offset: number } | { readonly timeMs: number } | 'earliest' | 'latest';

/** Reads an offset (`1200`), an ISO time (`2026-01-31T12:00:00Z`), `earliest` or `latest`. */
export function parseRangeEnd(text: string): RangeEnd {
  if (text === 'earliest' || text === 'latest') return text;
  if (/^\d+$/.test(text)) return { offset: Number(text) };
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new Error('expected an offset (1200), a time (2026-01-31T12:00:00Z), earliest or latest');
  return { timeMs };
}

/** The offset of a range end in one partition. */
export async function offsetOf(log: EventLog, topic: TopicId, partition: number, end: RangeEnd): Promise<number> {
  const bounds = await log.bounds(topic, partition);
  if (end === 'earliest') return bounds.earliest;
  if (end === 'latest') return bounds.next;
  if ('offset' in end) return Math.min(Math.max(end.offset, bounds.earliest), bounds.next);
  return log.offsetAt(topic, partition, end.timeMs);
}
