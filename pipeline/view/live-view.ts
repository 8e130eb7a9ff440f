// The view that query-api reads: the newest snapshot, its compressed bodies, and whether the view has caught up.
import type { EventLog } from '../log/event-log.ts';
import { type Compressor, type Encoding, openCompressors } from './compress.ts';
import { EncodedBodies } from './encodings.ts';
import { type FollowOptions, followView, type ViewCodecs, type ViewFollower } from './follower.ts';
import type { MeasuredReceivers } from './measured-receivers.ts';
import type { Snapshot } from './snapshot.ts';
import { type SnapshotListener, SnapshotListeners } from './snapshot-listeners.ts';

/** The part of the view that requests read. */
export interface LiveView {
  /** The newest snapshot; null before the first. */
  current(): Snapshot | null;
  /** Adds a listener for every new snapshot; returns the function that removes it. */
  onSnapshot(listener: SnapshotListener): () => void;
  /** True for an aircraft (`hexKey`) that is not forgotten, listed or not. */
  isKnown(key: number): boolean;
  /** True once the table has everything that the topics contained at the start. */
  isReady(): boolean;
  /** Positions of receivers, as measured. */
  readonly receivers: MeasuredReceivers;
  /** Compressed complete bodies. */
  readonly bodies: EncodedBodies;
  /** For bodies made per request, best first. */
  readonly compressors: ReadonlyMap<Encoding, Compressor>;
}

export interface FollowedView extends LiveView {
  readonly follower: ViewFollower;
  /** Arenas in memory: 2, or more while clients are slower than ticks and for a minute after. */
  arenas(): number;
}

interface LiveViewOptions extends Omit<FollowOptions, 'onSnapshot'> {
  /** A listener that starts with the first snapshot. */
  readonly onSnapshot?: SnapshotListener;
}

/** Follows the log's aircraft and progress topics and keeps the bodies ready. `follower.done` rejects with the error that stopped it. */
export async function openLiveView(log: EventLog, codecs: ViewCodecs, options: LiveViewOptions): Promise<FollowedView> {
  const compressors = openCompressors();
  const bodies = new EncodedBodies(compressors, options.steadyMs ?? (() => performance.now()));
  const listeners = new SnapshotListeners();
  listeners.add((snapshot) => bodies.prepare(snapshot));
  if (options.onSnapshot !== undefined) listeners.add(options.onSnapshot);
  const follower = followView(log, codecs, { ...options, onSnapshot: (snapshot, previous) => listeners.notify(snapshot, previous) });
  return {
    follower,
    receivers: follower.receivers,
    bodies,
    compressors,
    current: follower.current,
    onSnapshot: (listener) => listeners.add(listener),
    isKnown: (key) => follower.table.hasKey(key),
    isReady: follower.isReady,
    arenas: follower.arenas,
  };
}
