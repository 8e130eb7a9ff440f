// Shows moments of the past, one after the other. A fold near the moment continues to it; otherwise a new one begins at a snapshot. This file knows no threads.
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Snapshot } from '../view/snapshot.ts';
import type { PartitionSky } from './partition-past.ts';
import type { Sky } from './sky.ts';
import { timeOf } from './time-of.ts';

/** Folds partitions, each moment's in its own folds. */
export interface PastFolder {
  /** The states of each partition. Folds that stand at an earlier moment continue from there. Errors: those of `PartitionPast.at`. */
  at(folds: number, atMs: number): readonly Promise<PartitionSky>[];
  /** Forgets folds. */
  drop(folds: number): void;
}

/** Folds in memory, and what they gave last. */
interface Moment {
  readonly folds: number;
  readonly atMs: number;
  /** Null while the log does not reach it: then it may still change. */
  readonly skies: readonly PartitionSky[] | null;
}

/** A list of a moment. */
interface Showing<Result> {
  /** Makes the list; the bytes of the snapshot are gone when it has settled. */
  use(snapshot: Snapshot): Promise<Result>;
  /** Called when its turn has come. */
  isWanted(): boolean;
}

export interface MomentCounts {
  /** Moments folded from a snapshot, those continued from an earlier one, those that were in memory, and those of stored positions. */
  readonly made: Record<'folded' | 'continued' | 'remembered' | 'stored', number>;
  frames: number;
}

export class Moments {
  readonly counts: MomentCounts = { made: { folded: 0, continued: 0, remembered: 0, stored: 0 }, frames: 0 };
  private readonly folder: PastFolder;
  private readonly sky: () => Promise<Sky>;
  /** The newest last. */
  private remembered: Moment[] = [];
  /** The moment that the sky shows. */
  private shownMs: number | null = null;
  private nextFolds = 0;
  private turn: Promise<unknown> = Promise.resolve();

  /** `sky` is called once the first moment is being folded: its code and data load meanwhile. */
  constructor(folder: PastFolder, sky: () => Promise<Sky>) {
    this.folder = folder;
    this.sky = sky;
  }

  /**
   * Uses the sky at a whole second. Calls wait for each other, because one uses all cores.
   * Errors: `api.moment_too_old`, `api.moment_in_gap`, `api.moment_of_other_version`, `api.past_unavailable` when it is not wanted any more, those of the
   * log and of `use`.
   */
  show<Result>(atMs: number, showing: Showing<Result>): Promise<Result> {
    return this.inTurn(() => this.snapshotAt(atMs), showing);
  }

  /** Uses states that were not folded, as those of a moment. Errors: `api.past_unavailable` when it is not wanted any more, those of `use`. */
  showStates<Result>(atMs: number, states: Iterable<AircraftState>, showing: Showing<Result>): Promise<Result> {
    return this.inTurn(async () => {
      this.shownMs = null;
      this.counts.made.stored += 1;
      return (await this.sky()).showStates(states, atMs);
    }, showing);
  }

  private inTurn<Result>(snapshot: () => Promise<Snapshot>, { use, isWanted }: Showing<Result>): Promise<Result> {
    const result = this.turn.then(async () => {
      if (!isWanted()) throw new SquitterError('api.past_unavailable', { detail: 'the request was given up' });
      return use(await snapshot());
    });
    this.turn = result.catch(() => {});
    return result;
  }

  private async snapshotAt(atMs: number): Promise<Snapshot> {
    if (this.shownMs === atMs) {
      this.counts.made.remembered += 1;
      return (await this.sky()).current!;
    }
    this.shownMs = null;
    const skies = await this.skiesAt(atMs);
    const nowMs = Math.max(...skies.map(({ tickMs }) => tickMs ?? Number.NEGATIVE_INFINITY));
    // The live service showed no older aircraft either.
    if (atMs - nowMs > limits.snapshotAgeMsMax)
      throw Number.isFinite(nowMs)
        ? new SquitterError('api.moment_in_gap', { at: timeOf(atMs), before: timeOf(nowMs) })
        : new SquitterError('api.moment_too_old', { first: 'later: the log begins after it' });
    if (skies.every(({ isWhole }) => isWhole)) this.shownMs = atMs;
    return (await this.sky()).show(skies);
  }

  private async skiesAt(atMs: number): Promise<readonly PartitionSky[]> {
    const before = this.nearest(atMs);
    this.remembered = this.remembered.filter((moment) => moment !== before);
    if (before?.atMs === atMs && before.skies !== null) {
      this.counts.made.remembered += 1;
      this.remembered.push(before);
      const sky = await this.sky();
      for (const states of before.skies) sky.read(states);
      return before.skies;
    }
    const folds = before?.folds ?? this.newFolds();
    try {
      // The sky loads, and reads one partition, while others are folded. All of them end before the next moment begins.
      const calls = this.folder.at(folds, atMs).map(async (call) => {
        const states = await call;
        (await this.sky()).read(states);
        return states;
      });
      await Promise.allSettled([this.sky(), ...calls]);
      const skies = await Promise.all(calls);
      this.counts.made[before === undefined ? 'folded' : 'continued'] += 1;
      for (const { frames } of skies) this.counts.frames += frames;
      this.remembered.push({ folds, atMs, skies: skies.every(({ isWhole }) => isWhole) ? skies : null });
      return skies;
    } catch (error) {
      this.folder.drop(folds);
      throw error;
    }
  }

  /** The newest moment in memory from which a fold can continue to this one. */
  private nearest(atMs: number): Moment | undefined {
    const usable = this.remembered.filter((moment) => moment.atMs <= atMs && atMs - moment.atMs <= limits.pastContinuedMsMax);
    return usable.sort((a, b) => b.atMs - a.atMs)[0];
  }

  private newFolds(): number {
    while (this.remembered.length >= limits.pastMomentsMax) this.folder.drop(this.remembered.shift()!.folds);
    this.nextFolds += 1;
    return this.nextFolds;
  }
}
