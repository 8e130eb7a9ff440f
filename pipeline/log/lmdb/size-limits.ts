// Size limits that fit the disk: what was asked for, lowered where the disk has no room for it. What others leave free changes, and the limits with it.
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topicIds } from '../../../schemas/topics.ts';
import type { LogUsage } from './usage.ts';

/** Bytes by topic; a topic without one has no limit. */
export type SizeLimits = Readonly<Partial<Record<TopicId, number>>>;

export interface Room {
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

/** The part of the disk, of what is free and what the log has, that the log may take. */
const DISK_SHARE_MAX = 0.8;

/**
 * `wanted`, all lowered by the same part where their sum does not fit beside the other topics and the index. None is lowered below
 * `limits.logTopicBytesMin`: the disk gets back only whole segments.
 */
export function fitSizes(wanted: SizeLimits, { freeBytes, reserveBytes }: Room, usage: LogUsage): SizeLimits {
  const sized = topicIds.filter((topic) => wanted[topic] !== undefined);
  const sum = sized.reduce((bytes, topic) => bytes + wanted[topic]!, 0);
  const logBytes = topicIds.reduce((bytes, topic) => bytes + usage.topics[topic], usage.indexBytes);
  const otherBytes = logBytes - sized.reduce((bytes, topic) => bytes + usage.topics[topic], 0);
  const available = (freeBytes + logBytes - reserveBytes) * DISK_SHARE_MAX - otherBytes;
  if (sum <= available) return wanted;
  const lowered = (bytes: number): number => Math.max(Math.min(bytes, limits.logTopicBytesMin), Math.floor((bytes / sum) * available));
  return Object.fromEntries(sized.map((topic) => [topic, lowered(wanted[topic]!)]));
}
