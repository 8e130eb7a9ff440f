// The pauses of a reader at the end of the log.

const noop = (): void => {};

/**
 * The pauses of one reader; each ends early when a signal is aborted. They share one listener and one timer. A signal keeps its listeners in a linked
 * list: with one listener per pause, a removed listener in the old space would keep all later ones alive until the next full collection.
 */
export class Pause {
  private readonly signals: readonly AbortSignal[];
  private readonly wake = (): void => {
    const { resolve } = this;
    this.resolve = noop;
    resolve();
  };
  private resolve: () => void = noop;
  private timer: NodeJS.Timeout | null = null;

  constructor(signals: readonly AbortSignal[]) {
    this.signals = signals;
    for (const signal of signals) signal.addEventListener('abort', this.wake);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      if (this.timer === null) this.timer = setTimeout(this.wake, milliseconds);
      else this.timer.refresh();
    });
  }

  end(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const signal of this.signals) signal.removeEventListener('abort', this.wake);
  }
}
