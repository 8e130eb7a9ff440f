// A turn of the event loop: work that takes longer gives way to others and continues in the next one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../schemas/limits/index.ts';

export class Turn {
  /** Ms of a steady clock. */
  private readonly steadyMs: () => number;
  private startMs: number;

  constructor(steadyMs: () => number) {
    this.steadyMs = steadyMs;
    this.startMs = steadyMs();
  }

  get isOver(): boolean {
    return this.took(limits.pushTurnMsMax);
  }

  async next(): Promise<void> {
    await nextTurn();
    this.begin();
  }

  /** Its time starts now. */
  begin(): void {
    this.startMs = this.steadyMs();
  }

  /** Takes the steps of a frame, in as many turns as they need. */
  async finish<Result>(steps: Iterator<void, Result, void>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (this.took(limits.pushFrameTurnMsMax)) await this.next();
    }
  }

  private took(ms: number): boolean {
    return this.steadyMs() - this.startMs >= ms;
  }
}
