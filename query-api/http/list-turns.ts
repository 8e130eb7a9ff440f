// Long lists of all clients share a few ms of each round of the event loop; the rest waits, first come, first served. So a burst of
// requests for large lists delays small responses by a few ms, not by the whole burst.
import { limits } from '../../schemas/limits.ts';

/** Approximate time to hand bytes to the system. */
const WRITE_MS_PER_BYTE = 1e-6;

export class ListTurns {
  private spentMs = 0;
  private readonly waiting: (() => void)[] = [];
  private isWorking = false;

  /** True when a list that is not cached must wait. */
  get isBusy(): boolean {
    return !this.isWorking && (this.spentMs >= limits.listTurnMsMax || this.waiting.length > 0);
  }

  /** Adds the time of one list, and of sending its bytes. */
  spend(ms: number, bytes: number): void {
    if (this.spentMs === 0 && !this.isWorking) setImmediate(this.nextRound);
    this.spentMs += ms + bytes * WRITE_MS_PER_BYTE;
  }

  /** Does the work in a later round. */
  later<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  private readonly nextRound = (): void => {
    this.spentMs = 0;
    this.isWorking = true;
    while (this.waiting.length > 0 && this.spentMs < limits.listTurnMsMax) this.waiting.shift()!();
    this.isWorking = false;
    if (this.spentMs > 0 || this.waiting.length > 0) setImmediate(this.nextRound);
  };
}
