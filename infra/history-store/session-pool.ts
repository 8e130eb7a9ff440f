// Sessions of the engine, each for one statement at a time, and a bounded queue for them.
import { errors } from './engine-error.ts';

export class SessionPool<T> {
  private readonly free: T[];
  private readonly waiting: ((session: T) => void)[] = [];
  private readonly waitingMax: number;
  readonly size: number;

  constructor(sessions: readonly T[], waitingMax: number) {
    this.free = [...sessions];
    this.size = sessions.length;
    this.waitingMax = waitingMax;
  }

  get waitingNow(): number {
    return this.waiting.length;
  }

  get busyNow(): number {
    return this.size - this.free.length;
  }

  /** Runs `work` with a session of its own. Errors: 202 when too many wait; 394 when `signal` ends the wait. */
  async with<R>(signal: AbortSignal, work: (session: T) => Promise<R>): Promise<R> {
    const session = await this.lease(signal);
    try {
      return await work(session);
    } finally {
      this.release(session);
    }
  }

  async lease(signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw errors.cancelled();
    const free = this.free.pop();
    if (free !== undefined) return free;
    if (this.waiting.length >= this.waitingMax) throw errors.tooMany(this.size + this.waitingMax);
    return await new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(resume), 1);
        reject(errors.cancelled());
      };
      const resume = (session: T): void => {
        signal.removeEventListener('abort', leave);
        resolve(session);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(resume);
    });
  }

  release(session: T): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free.push(session);
    else next(session);
  }
}
