// States of a partition that are read but not applied: a snapshot built in between would have a part of a tick. They lie in one piece of memory, which is
// used again: an object for each would be ten thousand a second.
import type { RecordCursor } from '../log/event-log.ts';

const FIRST_BYTES = 64 * 1024;
const FIRST_STATES = 512;
const GROWTH = 2;

export class ReadStates {
  count = 0;
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private ends = new Int32Array(FIRST_STATES);
  /** Keys of tombstones, by number. */
  private readonly gone = new Map<number, string>();
  /** Added values that are not copied yet. */
  private source: Uint8Array | null = null;
  private sourceStart = 0;
  private sourceEnd = 0;

  /** Bytes in use. */
  get length(): number {
    return this.count === 0 ? 0 : this.end(this.count - 1);
  }

  /** Adds a state or a tombstone. `copyAdded` must be called before the bytes of the record are gone. */
  add(record: RecordCursor): void {
    const at = this.length;
    const isGone = record.end < 0;
    if (isGone) this.gone.set(this.count, record.key() ?? '');
    else if (record.bytes !== this.source || record.start !== this.sourceEnd) {
      this.copyAdded();
      this.source = record.bytes;
      this.sourceStart = record.start;
    }
    if (!isGone) this.sourceEnd = record.end;
    this.putEnd(isGone ? at : at + record.end - record.start);
  }

  /** Copies what was added, values that lie side by side in one piece. */
  copyAdded(): void {
    const { source, sourceStart, sourceEnd, length } = this;
    this.source = null;
    if (source === null) return;
    if (length > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(GROWTH * length);
      this.bytes.copy(grown);
      this.bytes = grown;
    }
    this.bytes.set(source.subarray(sourceStart, sourceEnd), length - (sourceEnd - sourceStart));
  }

  start(number: number): number {
    return number === 0 ? 0 : this.end(number - 1);
  }

  end(number: number): number {
    return this.ends[number]!;
  }

  /** Key of a tombstone; undefined for a state. */
  goneKey(number: number): string | undefined {
    return this.gone.size === 0 ? undefined : this.gone.get(number);
  }

  clear(): void {
    this.count = 0;
    this.source = null;
    this.gone.clear();
  }

  private putEnd(end: number): void {
    if (this.count === this.ends.length) {
      const ends = new Int32Array(GROWTH * this.ends.length);
      ends.set(this.ends);
      this.ends = ends;
    }
    this.ends[this.count] = end;
    this.count += 1;
  }
}
