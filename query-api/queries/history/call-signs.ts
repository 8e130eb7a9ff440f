// Call signs and squawks of one aircraft by time, from the positions of the store.
import { limits } from '../../../schemas/limits/index.ts';
import type { ReadModel } from '../read-model.ts';
import type { Span } from './span.ts';
import { IN_BUCKETS } from './stored-rows.ts';

export interface Named {
  readonly fromMs: number;
  readonly toMs: number;
  readonly callsign: string | null;
  /** Four octal digits, read as a decimal number. */
  readonly squawk: number | null;
}

const CHARACTERS = 8;
const SQUAWK_DIGITS = 4;

/** In stretches of ten minutes, the first part of the key. */
const SQL = `SELECT callsign, squawk, toFloat64(toUnixTimestamp64Milli(min(time))) AS fromMs, toFloat64(toUnixTimestamp64Milli(max(time))) AS toMs
FROM positions
WHERE ${IN_BUCKETS}
  AND icao24 = {key:UInt32}
GROUP BY toStartOfTenMinutes(time), callsign, squawk
ORDER BY fromMs
LIMIT {rows:UInt32}`;

/** Errors: those of the store, which has `msMax`. */
export async function storedNames(
  { history }: Pick<ReadModel, 'history'>,
  key: number,
  { fromMs, toMs }: Span,
  msMax?: number,
): Promise<readonly Named[]> {
  const parameters = { from: fromMs, to: toMs, key, rows: limits.traceNamesMax };
  return await history.query((client, signal) => client.rows<Named>(SQL, parameters, { signal, settings: { max_threads: 1 } }), msMax);
}

/** `at(timeMs)`: `"flight"` and `"squawk"` as members of an aircraft object, a comma before each; '' when unknown. Times must not go back. */
export class CallSigns {
  private readonly spans: readonly Named[];
  private next = 0;

  /** `current`: the call sign now, which counts after the last span and from `currentFromMs` on. */
  constructor(names: readonly Named[], current: string | null = null, currentFromMs = Number.NEGATIVE_INFINITY) {
    const fromMs = Math.max(currentFromMs, (names.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY) + 1);
    this.spans = current === null ? names : [...names, { fromMs, toMs: Number.POSITIVE_INFINITY, callsign: current, squawk: null }];
  }

  at(timeMs: number): string {
    while (this.next < this.spans.length && this.spans[this.next]!.toMs < timeMs) this.next += 1;
    const span = this.spans[this.next];
    if (span === undefined || span.fromMs > timeMs) return '';
    const { callsign, squawk } = span;
    const flight = callsign === null ? '' : `,"flight":${JSON.stringify(callsign.padEnd(CHARACTERS))}`;
    return squawk === null ? flight : `${flight},"squawk":"${String(squawk).padStart(SQUAWK_DIGITS, '0')}"`;
  }
}
