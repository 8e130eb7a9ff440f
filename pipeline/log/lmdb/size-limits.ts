// Size limits that fit the disk: the requested limits, lowered if the disk has no room for them. They change with the free space.
import { limits } from '../../../schemas/limits/index.ts';
import { FRAME_PARTITIONS_EMBEDDED, type TopicId, topicIds } from '../../../schemas/topics.ts';

export interface LogUsage {
  /** Bytes of each topic's segment files. */
  readonly topics: Readonly<Record<TopicId, number>>;
  /** Size of the index file, which never shrinks. */
  readonly indexBytes: number;
}

/** Bytes by topic; a topic without one has no limit. */
export type SizeLimits = Readonly<Partial<Record<TopicId, number>>>;

export interface Room {
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

/**
 * Returns `wanted`, or lowers all of them by the same ratio if their sum does not fit next to the other topics and the index. No limit falls below
 * `limits.logTopicBytesMin`.
 */
export function fitSizes(wanted: SizeLimits, { freeBytes, reserveBytes }: Room, usage: LogUsage): SizeLimits {
  const sized = topicIds.filter((topic) => wanted[topic] !== undefined);
  const sum = sized.reduce((bytes, topic) => bytes + wanted[topic]!, 0);
  const logBytes = topicIds.reduce((bytes, topic) => bytes + usage.topics[topic], usage.indexBytes);
  const otherBytes = logBytes - sized.reduce((bytes, topic) => bytes + usage.topics[topic], 0);
  const available = (freeBytes + logBytes - reserveBytes) * limits.logDiskRatioMax - otherBytes;
  if (sum <= available) return wanted;
  const lowered = (bytes: number): number => Math.max(Math.min(bytes, limits.logTopicBytesMin), Math.floor((bytes / sum) * available));
  return Object.fromEntries(sized.map((topic) => [topic, lowered(wanted[topic]!)]));
}

/**
 * Size of a segment on this disk. Each partition has segments that are nearly empty: the open one, and the one that retention has reached. All of them
 * together must be small beside what is left free.
 */
export function segmentBytesIn({ freeBytes, reserveBytes }: Room, framePartitions = FRAME_PARTITIONS_EMBEDDED): number {
  const bytes = ((freeBytes - reserveBytes) * limits.logSegmentRoomRatio * FRAME_PARTITIONS_EMBEDDED) / framePartitions;
  return Math.min(limits.logSegmentBytesMax, Math.max(limits.logSegmentBytesMin, bytes));
}
