// The journal of a service that is killed at a named point: which point was hit, and what the log had acknowledged. See `kill-points.ts`.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '../../pipeline/ingest/detect.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { framesOf } from '../../pipeline/tools/replay/log-frames.ts';
import type { Slice } from './feeder.ts';
import { projectDir } from './requirements.ts';

/** Points of an append of frames, and of a commit of outputs: before it, when all is written but does not count yet, and when the log has acknowledged it. */
export const appendPoints = ['append: not begun', 'append: written', 'append: acknowledged'] as const;
export const commitPoints = ['commit: not begun', 'commit: written', 'commit: acknowledged'] as const;
export type KillPoint = (typeof appendPoints)[number] | (typeof commitPoints)[number];

const HASH_DIGITS = 16;

interface Acknowledged {
  readonly partition: number;
  readonly offset: number;
  readonly hash: string;
}

export class KillJournal {
  private readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, 'kills.txt');
  }

  /** Environment of a service that ends at a point, when it passes it for the nth time; without a point it only writes the journal. */
  env(point: KillPoint | null = null, nth = 1): Record<string, string> {
    return {
      BUILT: 'dist/modules',
      NODE_OPTIONS: `--require=${join(projectDir, 'test/support/kill-points.cjs')}`,
      ...{ KILL_JOURNAL: this.path, KILL_POINT: point ?? '', KILL_COUNT: String(nth) },
    };
  }

  /** The points where a service ended, in order. */
  hits(): string[] {
    return this.lines('hit').map((words) => words.join(' '));
  }

  /** Each record of frames whose append was acknowledged. */
  acknowledged(): Acknowledged[] {
    return this.lines('acknowledged').flatMap(([partition = '', last = '', hashes = '']) =>
      hashes.split(',').map((hash, i, all) => ({ partition: Number(partition), offset: Number(last) - (all.length - 1 - i), hash })),
    );
  }

  /** A kill may cut off the last line. */
  private lines(kind: string): string[][] {
    const text = existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return whole.map((line) => line.split(' ')).flatMap(([first, ...words]) => (first === kind ? [words] : []));
  }
}

/** Compares the frames topic with what was acknowledged and what was sent. */
export async function keptFrames({ log, codecs }: { log: EventLog; codecs: Codecs }, journal: KillJournal, sent: readonly Slice[]) {
  const found = new Map<string, { readonly hash: string; readonly frames: number }>();
  const surplus = new Map<string, number>();
  const count = ({ bytes, at, byteLength }: { bytes: Uint8Array; at: number; byteLength: number }, by: number): void => {
    const hex = Buffer.from(bytes.buffer, bytes.byteOffset + at, byteLength).toString('hex');
    surplus.set(hex, (surplus.get(hex) ?? 0) + by);
  };
  for (let partition = 0; partition < log.partitions('frames'); partition += 1)
    for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
      for (const { offset, value } of records) {
        const batch = codecs.FrameBatch.decode(value!);
        const hash = createHash('sha256').update(value!).digest('hex').slice(0, HASH_DIGITS);
        found.set(`${partition}/${offset}`, { hash, frames: batch.count });
        for (const [frame] of framesOf(batch, { sinceMs: null, untilMs: null })) count(frame, 1);
      }
  const parser = createParser('beast', { counters: new Counters() });
  for (const { bytes } of sent) parser.push(bytes, 0, { frame: (frame) => count(frame, -1) });
  const acknowledged = journal.acknowledged();
  const there = acknowledged.map(({ partition, offset }) => found.get(`${partition}/${offset}`));
  return {
    /** Frames in records that were acknowledged, and all. */
    acknowledged: there.reduce((sum, record) => sum + (record?.frames ?? 0), 0),
    frames: [...found.values()].reduce((sum, record) => sum + record.frames, 0),
    /** Acknowledged records that are not there, or are others. */
    lost: acknowledged.filter(({ hash }, i) => there[i]?.hash !== hash),
    /** Frames that are there more often than they were sent. */
    twice: [...surplus].filter(([, times]) => times > 0).map(([hex]) => hex),
  };
}
