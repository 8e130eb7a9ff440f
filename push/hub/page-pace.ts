// How often pages are sent frames. While their bytes fit into what all pages together may be sent, at the interval of the option; otherwise at the first
// slower one that fits. Pure: it counts ticks and reads no clock.
import { limits } from '../../schemas/limits/index.ts';

/** Intervals slower than that of the option. */
const SLOWER_MS = [2000, 5000, 10_000];
const MS_PER_S = 1000;
/**
 * Pages speed up by one step after `pushCalmMsMin`, in which each tick would have fitted into this share at the faster step. The delta of a shorter interval has no more
 * bytes than that of a longer one, so what fits here fits there, and the same pages do not slow down again.
 */
const CALM_SHARE = 0.8;

export class PagePace {
  private readonly stepsMs: readonly number[];
  private readonly bytesPerSMax: number;
  private step = 0;
  private largeTicks = 0;
  private calmMs = 0;

  /** `tickMs`: the fastest interval. `bytesPerSMax`: of deltas, all pages together. */
  constructor(tickMs: number, bytesPerSMax: number) {
    this.stepsMs = [tickMs, ...SLOWER_MS.filter((ms) => ms > tickMs)];
    this.bytesPerSMax = bytesPerSMax;
  }

  get intervalMs(): number {
    return this.stepsMs[this.step]!;
  }

  get isSlowed(): boolean {
    return this.step > 0;
  }

  /** Takes the bytes of a tick to all pages together, 0 without pages. True if the interval has changed. */
  ticked(bytes: number): boolean {
    const before = this.step;
    if (bytes === 0) this.moveTo(0);
    else if (!this.fits(bytes, before)) this.takeLarge(bytes);
    else this.takeFitting(bytes);
    return this.step !== before;
  }

  private takeLarge(bytes: number): void {
    this.calmMs = 0;
    this.largeTicks += 1;
    if (this.largeTicks < limits.pushLargeTicksMin) return;
    const fitting = this.stepsMs.findIndex((_, step) => step > this.step && this.fits(bytes, step));
    this.moveTo(fitting < 0 ? this.stepsMs.length - 1 : fitting);
  }

  private takeFitting(bytes: number): void {
    this.largeTicks = 0;
    if (this.step === 0 || !this.fits(bytes, this.step - 1, CALM_SHARE)) {
      this.calmMs = 0;
      return;
    }
    this.calmMs += this.intervalMs;
    if (this.calmMs >= limits.pushCalmMsMin) this.moveTo(this.step - 1);
  }

  private moveTo(step: number): void {
    [this.step, this.largeTicks, this.calmMs] = [step, 0, 0];
  }

  private fits(bytes: number, step: number, share = 1): boolean {
    return (bytes * MS_PER_S) / this.stepsMs[step]! <= share * this.bytesPerSMax;
  }
}
