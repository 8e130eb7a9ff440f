// Changes from one tick of a service class to the next, once for all its topics: which aircraft each listing shares with the other, and the JSON of
// each update, written on its first use.
import { type ChangeFinder, MASK_WORDS } from '../../pipeline/view/changes.ts';
import { OBJECT_BYTES } from '../../pipeline/view/render.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { type UpdatePlan, UpdateWriter } from '../../pipeline/view/update-writer.ts';
import { ByteWriter } from './byte-writer.ts';

/** The updates of one plan. */
interface Updates {
  /** By number in the newer listing: the first byte of the update and the byte after it. UNWRITTEN before the first use; equal without an update. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

const UNWRITTEN = -1;

/** Hold leases of both snapshots while using it. */
export class TickDelta {
  readonly current: Snapshot;
  readonly previous: Snapshot;
  /** By number in the newer listing: the number in the older one, −1 for an aircraft that is not in it as the same row. */
  readonly olds: Int32Array;
  /** Aircraft of both listings in different rows: numbers in the newer listing, by those in the older one. Mostly empty. */
  readonly moved = new Map<number, number>();
  /** By number in the newer listing: the position of its mask in `masks`, −1 without a change. */
  private readonly maskAt: Int32Array;
  private readonly masks: Int32Array;
  private readonly plans = new Map<UpdatePlan, Updates>();
  private readonly writer = new ByteWriter();
  private readonly updates: UpdateWriter;

  constructor(previous: Snapshot, current: Snapshot, finder: ChangeFinder) {
    this.previous = previous;
    this.current = current;
    const before = previous.listing;
    const { listing } = current;
    const { added, changed, masks } = finder.find(before, listing);
    this.olds = new Int32Array(listing.count);
    previous.numbersOf(listing.columns.key.subarray(0, listing.count), this.olds);
    // In another row of the table than before: an aircraft that comes and goes. It is sent as a whole.
    for (const i of added) {
      if (this.olds[i]! >= 0) this.moved.set(this.olds[i]!, i);
      this.olds[i] = -1;
    }
    this.masks = masks.slice();
    this.maskAt = new Int32Array(listing.count).fill(-1);
    for (let n = 0; n < changed.length; n += 1) this.maskAt[changed[n]!] = n * MASK_WORDS;
    this.updates = new UpdateWriter(listing, current.times.nowMs, before, this.writer);
  }

  /** Appends the update of an aircraft; false when it has none. */
  putUpdate(target: ByteWriter, plan: UpdatePlan, i: number): boolean {
    if (!this.hasUpdate(plan, i)) return false;
    const { starts, ends } = this.updatesOf(plan);
    target.putPart(this.writer, starts[i]!, ends[i]!);
    return true;
  }

  /** True when the aircraft has an update. */
  hasUpdate(plan: UpdatePlan, i: number): boolean {
    const maskAt = this.maskAt[i]!;
    if (maskAt < 0) return false;
    const { starts, ends } = this.updatesOf(plan);
    if (starts[i] === UNWRITTEN) {
      const { writer } = this;
      writer.reserve(OBJECT_BYTES);
      starts[i] = writer.end;
      ends[i] = this.updates.putUpdate(writer.end, plan, i, this.olds[i]!, this.masks, maskAt);
      writer.end = ends[i]!;
    }
    return starts[i] !== ends[i];
  }

  private updatesOf(plan: UpdatePlan): Updates {
    let updates = this.plans.get(plan);
    if (updates === undefined) {
      const { count } = this.current.listing;
      updates = { starts: new Int32Array(count).fill(UNWRITTEN), ends: new Int32Array(count) };
      this.plans.set(plan, updates);
    }
    return updates;
  }
}
