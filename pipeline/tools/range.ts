// What `--from` and `--to` mean: an offset, a time, or an end of the topic.

import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog } from '../log/event-log.ts';

export type Place = { readonly offset: number } | { readonly timeMs: number } | 'earliest' | 'latest';

/** Reads an offset (`1200`), an ISO time (`2026-01-31T12:00:00Z`), `earliest` or `latest`. */
export function parsePlace(text: string): Place {
  if (text === 'earliest' || text === 'latest') return text;
  if (/^\d+$/.test(text)) return { offset: Number(text) };
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new Error('it is an offset (1200), a time (2026-01-31T12:00:00Z), earliest or latest');
  return { timeMs };
}

/** The offset that a place stands for in one partition. */
export async function offsetOf(log: EventLog, topic: TopicId, partition: number, place: Place): Promise<number> {
  const bounds = await log.bounds(topic, partition);
  if (place === 'earliest') return bounds.earliest;
  if (place === 'latest') return bounds.next;
  if ('offset' in place) return Math.min(Math.max(place.offset, bounds.earliest), bounds.next);
  return log.offsetAt(topic, partition, place.timeMs);
}
