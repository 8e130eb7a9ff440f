// One target of a service class: its aircraft at the last tick, and what a tick changed, encoded once for all its streams.
import { keyHex } from '../../../pipeline/view/hex-key.ts';
import { sourceTimeS } from '../operations.ts';
import { MessagePieces } from './messages.ts';
import { findTarget, type WatchTarget } from './target.ts';
import type { TickRecords } from './tick-records.ts';
import type { Watcher } from './watcher.ts';

/** Two ticks of a class, and which aircraft they share. */
export interface TickPair {
  readonly before: TickRecords;
  readonly current: TickRecords;
  /** By number in the newer listing: the number in the older one, −1 for an aircraft that is not in it. */
  readonly olds: Int32Array;
  /** As many entries as the older listing, all 0; left so. */
  readonly marks: Uint8Array;
}

export class WatchTopic {
  readonly key: string;
  readonly target: WatchTarget;
  readonly watchers = new Set<Watcher>();
  /** Its aircraft at the last tick, as numbers in the listing of that tick. */
  private members: Int32Array;
  private state: readonly Buffer[] | null = null;

  constructor(key: string, target: WatchTarget, { snapshot }: TickRecords) {
    this.key = key;
    this.target = target;
    this.members = findTarget(target, snapshot);
  }

  get aircraft(): number {
    return this.members.length;
  }

  /** Messages with the whole state at the last tick, whose records these are. */
  stateAt(records: TickRecords): readonly Buffer[] {
    if (this.state === null) {
      const pieces = new MessagePieces(sourceTimeS(records.snapshot), true);
      for (const index of this.members) pieces.add(records.of(index));
      this.state = pieces.finish();
    }
    return this.state;
  }

  /** Takes a tick. Messages with what it changed are made with `isWanted` only. */
  take(ticks: TickPair, isWanted: boolean): readonly Buffer[] {
    const found = findTarget(this.target, ticks.current.snapshot);
    const pieces = isWanted ? this.changes(ticks, found) : [];
    this.members = found;
    this.state = null;
    return pieces;
  }

  private changes({ before, current, olds, marks }: TickPair, found: Int32Array): readonly Buffer[] {
    const pieces = new MessagePieces(sourceTimeS(current.snapshot), false);
    for (const old of this.members) marks[old] = 1;
    for (const index of found) {
      const old = olds[index]!;
      if (old < 0 || marks[old] === 0 || !current.isSame(index, before, old)) pieces.add(current.of(index));
      if (old >= 0) marks[old] = 0;
    }
    const { key } = before.snapshot.listing.columns;
    for (const old of this.members) {
      if (marks[old] === 0) continue;
      marks[old] = 0;
      pieces.remove(keyHex(key[old]!));
    }
    return pieces.finish();
  }
}
