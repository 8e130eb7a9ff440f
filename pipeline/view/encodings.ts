// Compressed bodies of a snapshot, made once per tick and encoding, and only for encodings in use.
// While a body is not ready, requests get the previous tick's body under its own ETag instead of waiting.
import { limits } from '../../schemas/limits/index.ts';
import { type View, views } from '../aircraft/plain.ts';
import type { Compressor, Encoding } from './compress.ts';
import type { Snapshot } from './snapshot.ts';

/** How long an encoding is made in advance after its last request. */
const WANTED_MS = 30_000;

/** A compressed body; its bytes never change. */
export interface EncodedBody {
  readonly snapshot: Snapshot;
  readonly bytes: Buffer;
}

interface EncodingStats {
  /** Bodies compressed. */
  made: number;
  /** Ticks skipped because the compressor was still busy with an earlier one. */
  skipped: number;
  /** Compressions that failed. */
  failed: number;
  /** Duration of the newest compression, ms. */
  lastMs: number;
}

interface Slot {
  readonly view: View;
  readonly encoding: Encoding;
  readonly compress: Compressor;
  readonly stats: EncodingStats;
  latest: EncodedBody | null;
  running: Promise<EncodedBody> | null;
  requestedAtMs: number;
}

export class EncodedBodies {
  /** Encodings that this process supports, best first. */
  readonly encodings: readonly Encoding[];
  private readonly bodies = new Map<string, Slot>();
  private readonly clock: () => number;

  constructor(compressors: ReadonlyMap<Encoding, Compressor>, clock: () => number) {
    this.encodings = [...compressors.keys()];
    this.clock = clock;
    for (const view of views)
      for (const [encoding, compress] of compressors) {
        const stats: EncodingStats = { made: 0, skipped: 0, failed: 0, lastMs: 0 };
        this.bodies.set(`${view} ${encoding}`, { view, encoding, compress, stats, latest: null, running: null, requestedAtMs: -Infinity });
      }
  }

  /** Starts the encodings that clients use. Call it for every new snapshot. */
  prepare(snapshot: Snapshot): void {
    for (const slot of this.bodies.values()) {
      if (this.clock() - slot.requestedAtMs > WANTED_MS) slot.latest = null;
      else if (slot.running === null) this.start(slot, snapshot).catch(() => {});
      else slot.stats.skipped += 1;
    }
  }

  /** The body of this snapshot, or a whole one of at most two ticks before, or a promise of one. `encoding` must be one of `encodings`. */
  get(snapshot: Snapshot, view: View, encoding: Encoding): EncodedBody | Promise<EncodedBody> {
    const slot = this.bodies.get(`${view} ${encoding}`)!;
    slot.requestedAtMs = this.clock();
    const { latest } = slot;
    if (latest?.snapshot === snapshot) return latest;
    const running = slot.running ?? this.start(slot, snapshot);
    if (latest === null || snapshot.sequence - latest.snapshot.sequence > limits.encodedBodySnapshotsBehindMax) return running;
    running.catch(() => {});
    return latest;
  }

  /** Statistics by `view encoding`. */
  stats(): ReadonlyMap<string, EncodingStats> {
    return new Map([...this.bodies].map(([name, slot]) => [name, slot.stats]));
  }

  private start(slot: Slot, snapshot: Snapshot): Promise<EncodedBody> {
    const startMs = performance.now();
    snapshot.retain();
    slot.running = slot
      .compress(snapshot.body(slot.view))
      .then((bytes) => {
        slot.stats.made += 1;
        slot.stats.lastMs = performance.now() - startMs;
        slot.latest = { snapshot, bytes };
        return slot.latest;
      })
      .catch((error: unknown) => {
        slot.stats.failed += 1;
        throw error;
      })
      .finally(() => {
        slot.running = null;
        snapshot.release();
      });
    return slot.running;
  }
}
