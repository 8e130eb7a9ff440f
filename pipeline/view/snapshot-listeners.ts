// Listeners of new snapshots, and of their changes.
import { ChangeFinder, type SnapshotChanges } from './changes.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Called with every new snapshot, in order. `changes` returns the changes since the previous snapshot. Call it at once or not at all: the first
 * call computes them for all listeners, and they are valid until the next snapshot.
 */
export type SnapshotListener = (snapshot: Snapshot, changes: () => SnapshotChanges) => void;

export class SnapshotListeners {
  private readonly entries = new Set<{ readonly listener: SnapshotListener }>();
  private readonly finder = new ChangeFinder();

  /** Returns the function that removes the listener. */
  add(listener: SnapshotListener): () => void {
    const entry = { listener };
    this.entries.add(entry);
    return () => {
      this.entries.delete(entry);
    };
  }

  /** `previous` is the previous snapshot; its bytes must still be valid. */
  notify(snapshot: Snapshot, previous: Snapshot | null): void {
    if (this.entries.size === 0) return;
    let found: SnapshotChanges | null = null;
    const changes = (): SnapshotChanges => {
      found ??= this.finder.find(previous?.listing ?? null, snapshot.listing);
      return found;
    };
    for (const { listener } of this.entries) listener(snapshot, changes);
  }
}
