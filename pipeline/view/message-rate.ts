// Messages per second: the mean over the last ticks, because partitions count at different times.

const WINDOW_MS = 10_000;

export class MessageRate {
  private readonly totals: { readonly timeMs: number; readonly messages: number }[] = [];

  /** Takes the total at a tick. Returns messages per second with one decimal; null before the second tick. */
  note(timeMs: number, messages: number): number | null {
    const { totals } = this;
    while (totals.length > 1 && timeMs - totals[0]!.timeMs > WINDOW_MS) totals.shift();
    const first = totals[0];
    totals.push({ timeMs, messages });
    if (first === undefined || timeMs <= first.timeMs) return null;
    return Math.max(0, Math.round((10_000 * (messages - first.messages)) / (timeMs - first.timeMs)) / 10);
  }
}
