// Seeded random numbers: xoshiro128** (Blackman and Vigna, public domain), seeded through a 32-bit mix. Math.random is not used.

/** A well mixed 32-bit number from three, so that neighbours in any of them are unrelated. */
export function mix(a: number, b: number, c: number): number {
  let h = Math.imul(a ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(b + 0x7f4a_7c15, 0xc2b2_ae35) ^ Math.imul(c + 0x165667b1, 0x27d4_eb2f);
  h = Math.imul(h ^ (h >>> 16), 0x21f0_aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a_2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

export class Random {
  private a = 0;
  private b = 0;
  private c = 0;
  private d = 0;

  constructor(seed: number, stream = 0, index = 0) {
    this.reseed(seed, stream, index);
  }

  /** Starts the sequence of (seed, stream, index). */
  reseed(seed: number, stream: number, index: number): void {
    const start = mix(seed, stream, index);
    this.a = mix(start, 1, index);
    this.b = mix(start, 2, stream);
    this.c = mix(start, 3, seed);
    this.d = mix(start, 4, 0) | 1;
  }

  /** 32 random bits as a signed integer. */
  bits(): number {
    const b5 = Math.imul(this.b, 5);
    const result = Math.imul((b5 << 7) | (b5 >>> 25), 9);
    const t = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= t;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result;
  }

  /** From 0 to below 1. */
  share(): number {
    return (this.bits() >>> 0) / 0x1_0000_0000;
  }

  /** From `min` to below `max`. */
  between(min: number, max: number): number {
    return min + (max - min) * this.share();
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.share() * count);
  }

  /** True with probability `share`. */
  chance(share: number): boolean {
    return this.share() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}
