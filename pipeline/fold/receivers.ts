// Receivers by number, and where they roughly are: what surface positions are decoded against while an aircraft's own place is unknown.
// A receiver's place is told (one for all), or learnt from the airborne positions that it gave.
import { limits } from '../../schemas/limits.ts';

/** Microdegrees. */
export interface Place {
  readonly latitudeMicrodeg: number;
  readonly longitudeMicrodeg: number;
}

/** Numbers kept per receiver: positions counted, least and greatest latitude, least and greatest longitude. */
export const RECEIVER_NUMBERS = 5;
/** Fewer positions may come from one corner of what the receiver hears. */
const POSITIONS_MIN = 100;
/** A receiver hears 300 nm; positions that lie farther apart come from several receivers under one id, and tell no place. */
const LATITUDE_SPAN_MAX = 12_000_000;
const LONGITUDE_SPAN_MAX = 30_000_000;
const FIRST_RECEIVERS = 16;

export class ReceiverTable {
  /** Where all receivers are, when that was told. */
  readonly told: Place | null;
  /** Id of number n stands at n − 1; number 0 is nobody. */
  readonly ids: string[] = [];
  numbers = new Float64Array(FIRST_RECEIVERS * RECEIVER_NUMBERS);
  private readonly byId = new Map<string, number>();
  private readonly learnt = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };

  constructor(told: Place | null) {
    this.told = told;
  }

  /** Number of an id, given on its first use; 0 when there are too many. */
  numberOf(id: string): number {
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    if (this.ids.length >= limits.receiversPerPartitionMax) return 0;
    this.ids.push(id);
    this.byId.set(id, this.ids.length);
    if (this.ids.length * RECEIVER_NUMBERS > this.numbers.length) this.grow();
    return this.ids.length;
  }

  /** An airborne aircraft is surely there, and this receiver heard it. */
  learn(number: number, latitude: number, longitude: number): void {
    if (number === 0) return;
    const { numbers } = this;
    const at = (number - 1) * RECEIVER_NUMBERS;
    const first = numbers[at] === 0;
    numbers[at]! += 1;
    if (first || latitude < numbers[at + 1]!) numbers[at + 1] = latitude;
    if (first || latitude > numbers[at + 2]!) numbers[at + 2] = latitude;
    if (first || longitude < numbers[at + 3]!) numbers[at + 3] = longitude;
    if (first || longitude > numbers[at + 4]!) numbers[at + 4] = longitude;
  }

  /** The receiver's place as far as it is known, good to some hundred km; null when it is not. The object is used again. */
  roughPlace(number: number): Place | null {
    if (this.told !== null) return this.told;
    if (number === 0) return null;
    const { numbers, learnt } = this;
    const at = (number - 1) * RECEIVER_NUMBERS;
    if (numbers[at]! < POSITIONS_MIN) return null;
    if (numbers[at + 2]! - numbers[at + 1]! > LATITUDE_SPAN_MAX || numbers[at + 4]! - numbers[at + 3]! > LONGITUDE_SPAN_MAX) return null;
    learnt.latitudeMicrodeg = Math.round((numbers[at + 1]! + numbers[at + 2]!) / 2) | 0;
    learnt.longitudeMicrodeg = Math.round((numbers[at + 3]! + numbers[at + 4]!) / 2) | 0;
    return learnt;
  }

  private grow(): void {
    const numbers = new Float64Array(2 * this.numbers.length);
    numbers.set(this.numbers);
    this.numbers = numbers;
  }
}
