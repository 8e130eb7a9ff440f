// Token buckets by name, in this process: each has a burst and a rate.
import { limits } from '../../schemas/limits/index.ts';

export class Bursts {
  /** When each bucket is full again, ms; the one used longest ago first. */
  private readonly fullMs = new Map<string, number>();
  private readonly burst: number;
  private readonly stepMs: number;

  constructor(burst: number, perS: number) {
    this.burst = burst;
    this.stepMs = 1000 / perS;
  }

  /** Takes one. Returns 0, or the ms until there is one. */
  spend(name: string, nowMs: number): number {
    const waitMs = this.wait(name, nowMs);
    if (waitMs > 0) return waitMs;
    const fullMs = Math.max(nowMs, this.fullMs.get(name) ?? 0) + this.stepMs;
    this.fullMs.delete(name);
    this.fullMs.set(name, fullMs);
    if (this.fullMs.size > limits.burstsMax) this.fullMs.delete(this.fullMs.keys().next().value!);
    return 0;
  }

  /** The caller did not need it after all. */
  giveBack(name: string): void {
    const fullMs = this.fullMs.get(name);
    if (fullMs !== undefined) this.fullMs.set(name, fullMs - this.stepMs);
  }

  /** How many there are now, and the ms until there are all. */
  left(name: string, nowMs: number): { readonly count: number; readonly fullInMs: number } {
    const fullInMs = Math.max(0, this.debtMs(name, nowMs));
    return { count: Math.floor(this.burst - fullInMs / this.stepMs), fullInMs };
  }

  /** The ms until there is one. */
  wait(name: string, nowMs: number): number {
    return Math.max(0, this.debtMs(name, nowMs) - (this.burst - 1) * this.stepMs);
  }

  /** A clock that was set back must not lock anybody out for long. */
  private debtMs(name: string, nowMs: number): number {
    return Math.min((this.fullMs.get(name) ?? 0) - nowMs, this.burst * this.stepMs);
  }
}
