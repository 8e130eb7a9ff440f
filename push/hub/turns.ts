// Work for clients, one step after the other, in short turns of the event loop: a crowd that arrives at once must not stop `/v2`. A step runs between two
// ticks of its service class.
import type { ServiceClass } from './service-class.ts';
import { Turn } from './turn.ts';

interface Step {
  readonly serviceClass: ServiceClass;
  readonly run: () => void | Promise<void>;
}

export class Turns {
  /** Ms of a steady clock. */
  private readonly steadyMs: () => number;
  private steps: Step[] = [];
  private isRunning = false;

  constructor(steadyMs: () => number) {
    this.steadyMs = steadyMs;
  }

  /** `run` must not throw. Steps after it wait for its promise. */
  add(serviceClass: ServiceClass, run: Step['run']): void {
    this.steps.push({ serviceClass, run });
    if (this.isRunning) return;
    this.isRunning = true;
    // This runs outside of the caller's own work.
    queueMicrotask(() => void this.work());
  }

  private async work(): Promise<void> {
    const turn = new Turn(this.steadyMs);
    while (this.steps.length > 0) {
      const steps = this.steps;
      this.steps = [];
      for (const { serviceClass, run } of steps) {
        if (turn.isOver) await turn.next();
        while (serviceClass.isTicking) await serviceClass.settled();
        const running = run();
        if (running !== undefined) await running;
      }
    }
    this.isRunning = false;
  }
}
