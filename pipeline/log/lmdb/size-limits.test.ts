// Size limits that fit the disk.
import { describe, expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topicIds } from '../../../schemas/topics.ts';
import { fitSizes, type LogUsage, segmentBytesIn } from './size-limits.ts';

const GIB = 1024 ** 3;
const WANTED = { frames: 20 * GIB, positions: 10 * GIB, deadletter: GIB };

function usage(sizes: Partial<Record<TopicId, number>>, indexBytes = 0): LogUsage {
  const topics = Object.fromEntries(topicIds.map((topic) => [topic, sizes[topic] ?? 0])) as Record<TopicId, number>;
  return { topics, indexBytes };
}

const room = (freeGib: number) => ({ freeBytes: freeGib * GIB, reserveBytes: limits.logDiskReserveBytes });
const sum = (sizes: Partial<Record<TopicId, number>>): number => Object.values(sizes).reduce((all, bytes) => all + bytes, 0);

describe('size limits', () => {
  it('leave a fifth of a 32 GB card, in the requested proportions; fall with what else is on it, but not below the minimum', () => {
    const free = 24;
    const fit = fitSizes(WANTED, room(free), usage({}));
    expect(sum(fit)).toBeLessThanOrEqual(0.8 * free * GIB);
    expect(sum(fit)).toBeGreaterThan(0.75 * free * GIB);
    expect(fit.frames! / fit.positions!).toBeCloseTo(2, 3);
    expect(sum(fitSizes(WANTED, room(14), usage({})))).toBeLessThan(sum(fit) - 7 * GIB);
    // Topics without a limit, and the index.
    expect(sum(fitSizes(WANTED, room(free - 3), usage({ aircraft: 2 * GIB }, GIB)))).toBeCloseTo(sum(fit) - 3 * GIB, -1);
    const least = { frames: limits.logTopicBytesMin, positions: limits.logTopicBytesMin, deadletter: 1000 };
    expect(fitSizes({ ...WANTED, deadletter: 1000 }, room(0.1), usage({}))).toEqual(least);
  });
});

it('segments are a share of the room beyond the reserve, between their limits', () => {
  const { logSegmentBytesMax, logSegmentBytesMin } = limits;
  const sizes = [60, 2, 0.3, 0.2].map((freeGib) => segmentBytesIn(room(freeGib)));
  expect(sizes).toEqual([logSegmentBytesMax, (1.75 * GIB) / 64, logSegmentBytesMin, logSegmentBytesMin]);
  // Each partition has nearly empty segments.
  expect(segmentBytesIn(room(2), 8)).toBe((1.75 * GIB) / 256);
  expect(segmentBytesIn({ freeBytes: Number.POSITIVE_INFINITY, reserveBytes: 0 })).toBe(logSegmentBytesMax);
});
