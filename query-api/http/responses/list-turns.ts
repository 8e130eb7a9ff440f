// Lists of all clients share a few ms of each round of the event loop. Short lists wait for each other, never for long ones, and each round has
// a turn for a long one; the rest waits, first come, first served. So a burst of requests for long lists delays other responses by a few ms, not by
// the whole burst. A search says how long a list is; a connection whose newest list was long waits with the long ones already for the search.
import { limits } from '../../../schemas/limits/index.ts';

/** Approximate time to hand bytes to the system. */
const WRITE_MS_PER_BYTE = 1e-6;

export class ListTurns {
  private spentMs = 0;
  /** Lists whose length is not known yet: they are searched, and sent if they are short. */
  private readonly searches: (() => void)[] = [];
  private readonly long: (() => void)[] = [];
  private isWorking = false;
  private isScheduled = false;
  private readonly nowMs: () => number;

  /** `nowMs`: ms of a steady clock. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** True when a list that is not cached must wait. */
  get isBusy(): boolean {
    return !this.isWorking && (this.spentMs >= limits.listTurnMsMax || this.searches.length > 0);
  }

  /** True when a list that was found to be long must wait. */
  get isBusyForLong(): boolean {
    return this.spentMs >= limits.listTurnMsMax || this.long.length > 0;
  }

  /** Adds the time of a search or of one list, and of sending its bytes. */
  spend(ms: number, bytes: number): void {
    this.schedule();
    this.spentMs += ms + bytes * WRITE_MS_PER_BYTE;
  }

  /** Does the work in a later round. */
  later<T>(work: () => T | Promise<T>, isLong = false): Promise<T> {
    return new Promise((resolve, reject) => {
      (isLong ? this.long : this.searches).push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      this.schedule();
    });
  }

  /** Calls `step` until it returns a value: a long list in steps, over as many rounds as that takes. No other long list begins meanwhile. */
  inSteps<T>(step: () => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const work = (): void => {
        try {
          const value = step();
          if (value === null) this.long.unshift(work);
          else resolve(value);
        } catch (error) {
          reject(error);
        }
      };
      this.long.unshift(work);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.isWorking) return;
    this.isScheduled = true;
    setImmediate(this.nextRound);
  }

  private readonly nextRound = (): void => {
    this.spentMs = 0;
    this.isScheduled = false;
    this.isWorking = true;
    while (this.searches.length > 0 && this.spentMs < limits.listTurnMsMax) this.runNext(this.searches);
    let lastMs = this.long.length > 0 ? this.runNext(this.long) : 0;
    // A further one is expected to take as long as the last.
    while (this.long.length > 0 && this.spentMs + lastMs < limits.listTurnMsMax) lastMs = this.runNext(this.long);
    this.isWorking = false;
    if (this.spentMs > 0 || this.searches.length > 0 || this.long.length > 0) this.schedule();
  };

  /** Returns the time of the work, ms. Work that is refused, or fails, takes its time, too. */
  private runNext(queue: (() => void)[]): number {
    const beforeMs = this.spentMs;
    const startMs = this.nowMs();
    queue.shift()!();
    this.spentMs = Math.max(this.spentMs, beforeMs + this.nowMs() - startMs);
    return this.spentMs - beforeMs;
  }
}
