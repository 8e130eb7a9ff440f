// Table of receiver ids by number. Frames carry the number, batches the text. Numbers of receivers that are gone are reused.
import { limits } from '../../schemas/limits/index.ts';

/** Number of every receiver that does not fit in the table. */
export const RECEIVER_UNKNOWN = 0;

export class ReceiverTable {
  private readonly ids: string[] = ['unknown'];
  private readonly uses: number[] = [1];
  private readonly numbers = new Map<string, number>([['unknown', RECEIVER_UNKNOWN]]);
  private readonly free: number[] = [];

  /** Takes the number of an id until `release`; RECEIVER_UNKNOWN if the table is full. */
  acquire(id: string): number {
    const known = this.numbers.get(id);
    if (known !== undefined) {
      this.uses[known]! += 1;
      return known;
    }
    if (this.numbers.size >= limits.receiversMax) return RECEIVER_UNKNOWN;
    const number = this.free.pop() ?? this.ids.length;
    this.ids[number] = id;
    this.uses[number] = 1;
    this.numbers.set(id, number);
    return number;
  }

  /** Undoes one `take`. */
  release(number: number): void {
    if (number === RECEIVER_UNKNOWN) return;
    this.uses[number]! -= 1;
    if (this.uses[number] !== 0) return;
    this.numbers.delete(this.ids[number]!);
    this.free.push(number);
  }

  /** The id of a number. A number just released still has its last id. */
  id(number: number): string {
    return this.ids[number] ?? 'unknown';
  }

  get size(): number {
    return this.numbers.size;
  }
}

/** A receiver id as 16 hex digits. The arguments are its two 32-bit halves. */
export function receiverDigits(high: number, low: number): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** The same as readsb prints it: the beginning of a UUID. */
export function receiverIdText(high: number, low: number): string {
  const digits = receiverDigits(high, low);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12)}`;
}
