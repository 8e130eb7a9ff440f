// Follows the positions topic into the track memory, from its newest part on: a restart brings the tracks of the last hour back.
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../schemas/limits/index.ts';
import { offsetAfter } from '../log/damage.ts';
import type { EventLog, RecordBatch } from '../log/event-log.ts';
import { newestRecord } from '../log/group-offset.ts';
import { type PositionCodec, PositionReader } from '../project/position-reader.ts';
import { Turns } from '../runtime/waiting.ts';
import { ON_GROUND, Points, pointFields } from './points.ts';
import { TrackMemory } from './track-memory.ts';

export interface TrackCodecs {
  readonly PositionBatch: PositionCodec;
}

export interface TrackFollowOptions {
  readonly memory?: TrackMemory;
  /** How much of the topic is read at the start, ms of event time. Reading begins when it is known. */
  readonly restoreMs?: number | Promise<number>;
  /** Shared with other work of the thread. */
  readonly turns?: Turns;
}

export interface TrackFollowStats {
  /** Malformed records. */
  malformed: number;
  /** How often a partition continued behind missing or damaged records. */
  gaps: number;
}

export interface FollowedTracks {
  readonly memory: TrackMemory;
  readonly stats: TrackFollowStats;
  /** True once everything is read that the topic contained at the start. */
  isRestored(): boolean;
  readonly restored: Promise<void>;
  /** Settles when the follower stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
  close(): Promise<void>;
}

/** While older positions are read, the thread is free for this share of the time: live requests go first. */
const FREE_SHARE = 0.5;

/** Follows the positions of all partitions. */
export function followTracks(log: EventLog, codecs: TrackCodecs, options: TrackFollowOptions = {}): FollowedTracks {
  const { memory = new TrackMemory(), restoreMs = limits.trackRestoreMs, turns = new Turns(limits.viewTurnMsMax) } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const stats: TrackFollowStats = { malformed: 0, gaps: 0 };
  const waiting = new Set(Array.from({ length: log.partitions('positions') }, (_, partition) => partition));
  let becomeRestored: () => void = () => {};
  const whenRestored = new Promise<void>((resolve) => {
    becomeRestored = resolve;
  });

  const adders = Array.from({ length: log.partitions('positions') }, () => positionsInto(memory, codecs.PositionBatch, turns));
  const addAll = async ({ partition, records }: RecordBatch): Promise<void> => {
    for (const { value } of records) if (value !== null && !(await adders[partition]!(value))) stats.malformed += 1;
  };
  const restore = async (partition: number, from: number | 'earliest', to: number): Promise<number> => {
    let next = to;
    for await (const batch of log.read({ topic: 'positions', partition, from, to, signal })) {
      const startMs = performance.now();
      await addAll(batch);
      next = batch.nextOffset;
      const tookMs = performance.now() - startMs;
      await sleep((tookMs * FREE_SHARE) / (1 - FREE_SHARE), undefined, { signal }).catch(() => {});
    }
    return Math.max(next, to);
  };
  const restoreStart = async (partition: number): Promise<number | 'earliest'> => {
    const beforeMs = await restoreMs;
    const newest = await newestRecord(log, 'positions', partition);
    if (newest === null) return 'earliest';
    memory.beginAt(newest.timestampMs - beforeMs);
    return log.offsetAt('positions', partition, newest.timestampMs - beforeMs);
  };
  const follow = async (partition: number): Promise<void> => {
    let from = await restoreStart(partition).catch(offsetAfter);
    while (!signal.aborted) {
      try {
        if (waiting.has(partition)) {
          const { next } = await log.bounds('positions', partition);
          from = await restore(partition, from, next);
          waiting.delete(partition);
          if (waiting.size === 0) becomeRestored();
        }
        for await (const batch of log.read({ topic: 'positions', partition, from, to: 'follow', signal })) {
          await addAll(batch);
          from = batch.nextOffset;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        // Retention removed the records, or they are damaged. Positions that are read again are not newer, and the memory leaves them out.
        from = offsetAfter(error);
        stats.gaps += 1;
      }
    }
  };
  const done = Promise.all([...waiting].map(follow)).then(() => {});
  done.catch(() => {});
  return {
    memory,
    stats,
    isRestored: () => waiting.size === 0,
    restored: Promise.race([whenRestored, done]),
    done,
    async close() {
      stop.abort();
      await done.catch(() => {});
    },
  };
}

const US_PER_MS = 1000;
/** Where a row has these fields. */
const [KEY, TIME, GROUND, FIELDS] = [0, 1, 2, 3];

/** Returns a function that takes the positions of a record, in turns, and returns false for a malformed one. Its calls must not overlap. */
function positionsInto(memory: TrackMemory, codec: PositionCodec, turns: Turns): (value: Uint8Array) => Promise<boolean> {
  const reader = new PositionReader(codec, ['hex', 'timeUs', 'onGround', ...pointFields]);
  const position = new Points(1);
  return async (value) => {
    let rows: number;
    try {
      rows = reader.read(value);
    } catch {
      return false;
    }
    const { numbers, stride } = reader;
    await turns.steps(rows, (from, to) => {
      for (let at = from * stride; at < to * stride; at += stride) {
        position.timeMs[0] = Math.floor(numbers[at + TIME]! / US_PER_MS);
        position.setFlags(0, numbers[at + GROUND] === 1 ? ON_GROUND : 0);
        position.setFields(0, numbers, at + FIELDS);
        memory.add(numbers[at + KEY]! | 0, position);
      }
    });
    return true;
  };
}
