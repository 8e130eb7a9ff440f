// Spans of time in requests: `from` and `to`, as seconds since 1970 or as a time with its zone.
import { badValue } from '../errors.ts';
import { INSTANT, instantForm, instantMs } from '../instants.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface SpanQuery {
  readonly from?: string;
  readonly to?: string;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SpanLimits {
  /** Length when `from` is absent. */
  readonly defaultMs: number;
  readonly msMax: number;
}

const instant = (description: string, example: string) => ({
  ...instantForm,
  description: `${description}: ${INSTANT}`,
  examples: [example],
});

/** Both parameters as properties of a route's query schema. */
export function spanProperties({ defaultMs, msMax }: SpanLimits) {
  return {
    from: instant(
      `start of the span, at most ${inWords(msMax)} before \`to\`; by default ${inWords(defaultMs)} before it`,
      '2026-11-22T10:00:00Z',
    ),
    to: instant('end of the span; by default now', '2026-11-22T11:00:00Z'),
  };
}

/** Errors: `api.bad_value`. */
export function spanOf({ from, to }: SpanQuery, nowMs: number, { defaultMs, msMax }: SpanLimits): Span {
  const toMs = to === undefined ? nowMs : instantMs(to);
  const fromMs = from === undefined ? Math.max(0, toMs - defaultMs) : instantMs(from);
  if (fromMs > toMs) throw badValue('from', from ?? '', 'expected a time before `to`');
  if (toMs - fromMs > msMax) throw badValue('from', from ?? '', `expected at most ${inWords(msMax)} before \`to\``);
  return { fromMs, toMs };
}

function inWords(ms: number): string {
  if (ms < HOUR_MS) return ms === MINUTE_MS ? 'a minute' : `${ms / MINUTE_MS} minutes`;
  return ms > DAY_MS ? `${ms / DAY_MS} days` : `${ms / HOUR_MS} hours`;
}
