// Call signs of one aircraft by time: positions have none, the records of ended flights do.
import type { PastFlight } from './past-flights.ts';

interface Named {
  readonly fromMs: number;
  readonly toMs: number;
  readonly callsign: string;
}

const MS_PER_S = 1000;
const CHARACTERS = 8;
/** Times of flights are rounded to tenths of seconds. */
const ROUNDED_MS = 50;

/** `at(timeMs)`: the call sign as aircraft objects have it, padded with blanks; null when unknown. Times must not go back. */
export class CallSigns {
  private readonly spans: readonly Named[];
  private next = 0;

  /** `current`: the call sign now, which counts after the last ended flight and from `currentFromMs` on. */
  constructor(flights: readonly PastFlight[], current: string | null = null, currentFromMs = Number.NEGATIVE_INFINITY) {
    const spans = flights.flatMap(({ flight, first_seen, last_seen }) =>
      flight === undefined
        ? []
        : [
            {
              fromMs: Number(first_seen) * MS_PER_S - ROUNDED_MS,
              toMs: Number(last_seen) * MS_PER_S + ROUNDED_MS,
              callsign: String(flight).padEnd(CHARACTERS),
            },
          ],
    );
    spans.sort((a, b) => a.fromMs - b.fromMs);
    const endMs = spans.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY;
    if (current !== null)
      spans.push({ fromMs: Math.max(currentFromMs, endMs + 1), toMs: Number.POSITIVE_INFINITY, callsign: current.padEnd(CHARACTERS) });
    this.spans = spans;
  }

  at(timeMs: number): string | null {
    while (this.next < this.spans.length && this.spans[this.next]!.toMs < timeMs) this.next += 1;
    const span = this.spans[this.next];
    return span !== undefined && span.fromMs <= timeMs ? span.callsign : null;
  }
}
