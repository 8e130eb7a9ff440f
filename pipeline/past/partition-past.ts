// The states of one partition at a second of the past: the kept snapshot before it, and the frames from there, folded again. The fold stays in
// memory at that second, so that one soon after it needs only the frames between.
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { AvroWriter } from '../avro/writer.ts';
import type { FoldTick } from '../fold/fold-tick.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { keptBefore, keptFrom, type StoredSnapshot, versionStarts } from '../fold/snapshot-store.ts';
import { newestProgress } from '../fold/take-over.ts';
import { FOLD_VERSION } from '../fold/version.ts';
import { decodeFrames, TICK_MS } from '../fold/worker.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog } from '../log/event-log.ts';
import { firstRecord } from '../log/group-offset.ts';
import { timeOf } from './time-of.ts';

/** The states that readers of a partition's aircraft topic had at a moment. */
export interface PartitionSky {
  readonly partition: number;
  /** The newest tick up to the moment, ms; null when the partition had none. */
  readonly tickMs: number | null;
  /** Messages since the log began. */
  readonly messages: number;
  /** Values of the aircraft topic, one behind the other, and the end of each. */
  readonly values: Uint8Array<ArrayBuffer>;
  readonly ends: Int32Array<ArrayBuffer>;
  /** False while the log does not reach the moment: it may still change. */
  readonly isWhole: boolean;
  /** Frames folded for it. */
  readonly frames: number;
}

/** A fold that stands at a record of the log. */
interface Run {
  readonly fold: PartitionFold;
  nextOffset: number;
  /** The newest tick; null before the first. */
  tickMs: number | null;
}

/** Ends a fold. `signal` ends a wait for the log; `isEnding` is asked at each record, since one that folds reads no messages. */
export interface Ending {
  readonly signal: AbortSignal;
  isEnding(): boolean;
}

/** The result of a run. `sky` null: no tick closes at the moment; `tickMs` is the newest one before it. */
interface Found {
  readonly sky: PartitionSky | null;
  readonly tickMs: number | null;
  readonly isEnd: boolean;
}

export class PartitionPast {
  private readonly log: EventLog;
  private readonly codecs: Codecs;
  private readonly partition: number;
  private run: Run | null = null;
  private frames = 0;

  constructor(log: EventLog, codecs: Codecs, partition: number) {
    this.log = log;
    this.codecs = codecs;
    this.partition = partition;
  }

  /**
   * The states at a whole second, ms. Ticks may be missing while nothing was received: then those of the newest tick before it.
   * Errors: `api.moment_too_old`, `api.moment_of_other_version`, those of the log. One call at a time.
   */
  async at(atMs: number, ending?: Ending): Promise<PartitionSky> {
    this.frames = 0;
    let isWhole = true;
    for (let targetMs = atMs; ; ) {
      // Ticks behind a moment cannot be taken back.
      const run = this.run !== null && (this.run.tickMs ?? -1) < targetMs ? this.run : await this.start(targetMs);
      this.run = null;
      const found = await this.foldTo(run, targetMs, ending);
      this.run = run;
      isWhole &&= !found.isEnd;
      if (found.sky !== null) return { ...found.sky, isWhole, frames: this.frames };
      if (found.tickMs === null) return this.skyOf(null, null, isWhole);
      targetMs = found.tickMs;
    }
  }

  /** A fold before the first tick at or after `targetMs`. */
  private async start(targetMs: number): Promise<Run> {
    const { log, partition } = this;
    const snapshot = await keptBefore(log, partition, targetMs);
    const { earliest } = await log.bounds('frames', partition);
    if (snapshot === null || snapshot.frameOffset < earliest) {
      if (snapshot !== null || earliest > 0) throw await this.tooOld();
      return { fold: await this.firstFold(), nextOffset: 0, tickMs: null };
    }
    if (snapshot.version !== FOLD_VERSION)
      throw new SquitterError('api.moment_of_other_version', { found: snapshot.version, own: FOLD_VERSION });
    return restored(snapshot);
  }

  /** A fold of the log from its first frame, as it is before there are kept snapshots. */
  private async firstFold(): Promise<PartitionFold> {
    const first = await keptFrom(this.log, this.partition, 0);
    const found = await this.firstVersion(first);
    if (found !== FOLD_VERSION) throw new SquitterError('api.moment_of_other_version', { found, own: FOLD_VERSION });
    return new PartitionFold({ tickMs: TICK_MS, receiver: first?.receiver ?? null });
  }

  /** Version that folded the first frames. An older one may have kept no snapshots: then the state that was taken over from it says so. */
  private async firstVersion(first: StoredSnapshot | null): Promise<number> {
    const { log, codecs, partition } = this;
    const [start] = await versionStarts(log, partition);
    if (start !== undefined && start.frameOffset <= (first?.frameOffset ?? Number.POSITIVE_INFINITY)) return start.versionBefore;
    return first?.version ?? (await newestProgress(log, codecs, partition))?.foldVersion ?? FOLD_VERSION;
  }

  private async foldTo(run: Run, targetMs: number, ending: Ending | undefined): Promise<Found> {
    const { log, codecs, partition } = this;
    let sky: PartitionSky | null = null;
    let beforeMs = run.tickMs;
    const onTick = (tick: FoldTick): void => {
      if (tick.tickMs < targetMs) beforeMs = tick.tickMs;
      if (tick.tickMs === targetMs) sky = this.skyOf(run.fold, tick, true);
      run.tickMs = tick.tickMs;
    };
    const request = { topic: 'frames', partition, from: run.nextOffset, to: 'end', ...(ending && { signal: ending.signal }) } as const;
    for await (const batch of log.read(request))
      for (const record of batch.records) {
        if (ending?.isEnding() === true) throw new SquitterError('worker.failed', { worker: 'past', detail: 'the thread ends' });
        const frames = decodeFrames(codecs, record);
        if (frames !== null) {
          this.frames += frames.count;
          run.fold.apply(frames, record.offset, onTick);
        }
        run.nextOffset = record.offset + 1;
        if (run.tickMs !== null && run.tickMs >= targetMs) return { sky, tickMs: beforeMs, isEnd: false };
        if (this.frames > limits.pastFramesMax) throw await this.tooOld();
      }
    ending?.signal.throwIfAborted();
    return { sky, tickMs: beforeMs, isEnd: true };
  }

  /** All states at the close of a tick: those that it emits, and those emitted before it. */
  private skyOf(fold: PartitionFold | null, tick: FoldTick | null, isWhole: boolean): PartitionSky {
    const writer = new AvroWriter();
    const ends: number[] = [];
    fold?.eachEmitted((states) => {
      this.codecs.AircraftState.writeHead(writer);
      states.write(writer, 0);
      ends.push(writer.length);
    });
    return {
      partition: this.partition,
      tickMs: tick?.tickMs ?? null,
      messages: tick?.progress.messages ?? 0,
      values: new Uint8Array(writer.bytes.subarray(0, writer.length)),
      ends: Int32Array.from(ends),
      isWhole,
      frames: this.frames,
    };
  }

  /** Names the first moment that can be folded: that of the first snapshot whose frames are all there. */
  private async tooOld(): Promise<SquitterError> {
    const firstMs = await firstKeptMoment(this.log, this.partition);
    const first = firstMs === null ? 'not known yet: the next snapshot is written within half a minute' : timeOf(firstMs);
    return new SquitterError('api.moment_too_old', { first });
  }
}

async function firstKeptMoment(log: EventLog, partition: number): Promise<number | null> {
  const frames = await firstRecord(log, 'frames', partition);
  const snapshot = frames === null ? null : await keptFrom(log, partition, frames.timestampMs);
  return snapshot === null ? null : snapshot.tickMs + TICK_MS;
}

/** The first moment that all partitions can give, ms; null while none is known. Errors: those of the log. */
export async function firstMoment(log: EventLog): Promise<number | null> {
  const moments = Array.from({ length: log.partitions('frames') }, async (_, partition) => {
    const { earliest } = await log.bounds('frames', partition);
    if (earliest > 0) return firstKeptMoment(log, partition);
    const frames = await firstRecord(log, 'frames', partition);
    // The first tick that closes after the first frame.
    return frames === null ? null : TICK_MS * Math.ceil(frames.timestampMs / TICK_MS);
  });
  const known = (await Promise.all(moments)).filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function restored({ open, receiver, frameOffset, tickMs }: StoredSnapshot): Run {
  return { fold: PartitionFold.restore(open(), { tickMs: TICK_MS, receiver }), nextOffset: frameOffset, tickMs };
}
