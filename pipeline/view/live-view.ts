// What query-api serves from: the newest snapshot, its compressed bodies, and whether the view has caught up.
import type { EventLog } from '../log/event-log.ts';
import { type Compressor, type Encoding, openCompressors } from './compress.ts';
import { EncodedBodies } from './encodings.ts';
import { type FollowOptions, followView, type ViewCodecs, type ViewFollower } from './follower.ts';
import type { ReceiverReaches } from './receiver-reaches.ts';
import type { Snapshot } from './snapshot.ts';

/** The side of the view that answers requests. */
export interface LiveView {
  /** The newest snapshot; null before the first. */
  current(): Snapshot | null;
  /** True once everything that the topics held at the start is in the table. */
  isReady(): boolean;
  /** Where receivers are, as measured. */
  readonly receivers: ReceiverReaches;
  /** Compressed whole bodies. */
  readonly bodies: EncodedBodies;
  /** For bodies that are made per request, best first. */
  readonly compressors: ReadonlyMap<Encoding, Compressor>;
}

export interface FollowedView extends LiveView {
  readonly follower: ViewFollower;
  /** Arenas made so far: 2, and more only while clients are slower than ticks. */
  arenas(): number;
}

/** Follows the log's aircraft and progress topics and keeps the bodies ready. `follower.done` rejects with what breaks it. */
export async function openLiveView(log: EventLog, codecs: ViewCodecs, options: FollowOptions): Promise<FollowedView> {
  const compressors = openCompressors();
  const bodies = new EncodedBodies(compressors, options.steadyMs ?? (() => performance.now()));
  const onSnapshot = (snapshot: Snapshot): void => {
    bodies.prepare(snapshot);
    options.onSnapshot?.(snapshot);
  };
  const follower = followView(log, codecs, { ...options, onSnapshot });
  return {
    follower,
    receivers: follower.receivers,
    bodies,
    compressors,
    current: follower.current,
    isReady: follower.isReady,
    arenas: follower.arenas,
  };
}
