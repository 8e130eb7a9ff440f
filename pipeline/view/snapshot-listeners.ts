// Who wants to know of each new snapshot, and what changed in it.
import { ChangeFinder, type SnapshotChanges } from './changes.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Called with every new snapshot, in order. `changes` gives what changed since the snapshot before; call it at once if at all: the first listener who does
 * pays for all, and it is good until the next snapshot.
 */
export type SnapshotListener = (snapshot: Snapshot, changes: () => SnapshotChanges) => void;

export class SnapshotListeners {
  private readonly entries = new Set<{ readonly listener: SnapshotListener }>();
  private readonly finder = new ChangeFinder();

  /** Gives the function that takes the listener away. */
  add(listener: SnapshotListener): () => void {
    const entry = { listener };
    this.entries.add(entry);
    return () => {
      this.entries.delete(entry);
    };
  }

  /** `previous` is the snapshot before; its bytes must still be there. */
  tell(snapshot: Snapshot, previous: Snapshot | null): void {
    if (this.entries.size === 0) return;
    let found: SnapshotChanges | null = null;
    const changes = (): SnapshotChanges => {
      found ??= this.finder.find(previous?.listing ?? null, snapshot.listing);
      return found;
    };
    for (const { listener } of this.entries) listener(snapshot, changes);
  }
}
