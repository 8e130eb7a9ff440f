// Work for clients, one step after the other, in short turns of the event loop: a crowd that arrives at once must not stop `/v2`. A step runs between two
// ticks of its service class.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../schemas/limits.ts';
import type { ServiceClass } from './service-class.ts';

interface Step {
  readonly serviceClass: ServiceClass;
  readonly run: () => void;
}

export class Turns {
  /** Ms of a steady clock. */
  private readonly steadyMs: () => number;
  private steps: Step[] = [];
  private isRunning = false;

  constructor(steadyMs: () => number) {
    this.steadyMs = steadyMs;
  }

  /** `run` must not throw. */
  add(serviceClass: ServiceClass, run: () => void): void {
    this.steps.push({ serviceClass, run });
    if (this.isRunning) return;
    this.isRunning = true;
    // Not in the middle of what the caller does.
    queueMicrotask(() => void this.work());
  }

  private async work(): Promise<void> {
    let turnMs = this.steadyMs();
    while (this.steps.length > 0) {
      const steps = this.steps;
      this.steps = [];
      for (const { serviceClass, run } of steps) {
        if (this.steadyMs() - turnMs >= limits.pushTurnMsMax) {
          await nextTurn();
          turnMs = this.steadyMs();
        }
        while (serviceClass.isTicking) await serviceClass.settled();
        run();
      }
    }
    this.isRunning = false;
  }
}
