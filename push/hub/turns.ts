// Work for clients, one step after the other, in short turns of the event loop: a crowd that arrives at once must not stop `/v2`, nor fill the way to
// the transport's thread. A step runs between two ticks of its service class.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../schemas/limits.ts';
import type { ServiceClass } from './service-class.ts';

/** Pause while more is on the way to the transport than it takes. */
const PAUSE_MS = 2;

export interface TurnsOptions {
  /** Ms of a steady clock. */
  readonly steadyMs: () => number;
  /** Bytes that wait for the transport's thread. */
  readonly waitingBytes: () => number;
}

interface Step {
  readonly serviceClass: ServiceClass;
  readonly run: () => void;
}

export class Turns {
  private readonly options: TurnsOptions;
  private steps: Step[] = [];
  private isRunning = false;

  constructor(options: TurnsOptions) {
    this.options = options;
  }

  /** `run` must not throw. */
  add(serviceClass: ServiceClass, run: () => void): void {
    this.steps.push({ serviceClass, run });
    if (this.isRunning) return;
    this.isRunning = true;
    // Not in the middle of what the caller does.
    queueMicrotask(() => void this.work());
  }

  /** Ends the turn: others of this event loop come first. Longer while the transport has too much to do. */
  async rest(): Promise<void> {
    await nextTurn();
    while (this.isFull()) await pause(PAUSE_MS);
  }

  private isFull(): boolean {
    return this.options.waitingBytes() > limits.pushAheadBytesMax;
  }

  private async work(): Promise<void> {
    const { steadyMs } = this.options;
    let turnMs = steadyMs();
    while (this.steps.length > 0) {
      const steps = this.steps;
      this.steps = [];
      for (const { serviceClass, run } of steps) {
        if (steadyMs() - turnMs >= limits.pushTurnMsMax || this.isFull()) {
          await this.rest();
          turnMs = steadyMs();
        }
        while (serviceClass.isTicking) await serviceClass.settled();
        run();
      }
    }
    this.isRunning = false;
  }
}
