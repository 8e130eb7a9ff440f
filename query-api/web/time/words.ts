// Times in words, and typed times.
import { shownSpan } from '../page/units.ts';
import type { PastState } from '../sky/picture.ts';
import type { Window } from './traffic.ts';

const zone = (isLocal: boolean) => (isLocal ? {} : { timeZone: 'UTC' });
const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;

/** `26 Nov 2026, 12:34:56 UTC`, or the time of this device. */
export function momentText(ms: number, isLocal: boolean): string {
  const text = new Date(ms).toLocaleString('en-GB', { ...DAY, year: 'numeric', ...TIME, second: '2-digit', ...zone(isLocal) });
  return `${text} ${isLocal ? 'local' : 'UTC'}`;
}
export const timeText = (ms: number, isLocal: boolean): string => new Date(ms).toLocaleTimeString('en-GB', { ...TIME, ...zone(isLocal) });
export const dayText = (ms: number, isLocal: boolean): string => new Date(ms).toLocaleDateString('en-GB', { ...DAY, ...zone(isLocal) });

/** The form of an `input` of the kind `datetime-local`. */
export function inputText(ms: number, isLocal: boolean): string {
  const shifted = isLocal ? ms - new Date(ms).getTimezoneOffset() * 60_000 : ms;
  return new Date(shifted).toISOString().slice(0, 19);
}
/** A typed time, ms since the Unix epoch; null for a text that is not one. */
export function readInput(text: string, isLocal: boolean): number | null {
  const ms = Date.parse(isLocal ? text : `${text}Z`);
  return text === '' || Number.isNaN(ms) ? null : ms;
}

const sources: Readonly<Record<NonNullable<PastState['from']>, string>> = {
  log: 'from the log (exact)',
  history: 'from the history (the newest position of each aircraft in the minute before)',
  positions: 'from the history (all positions of the box in view)',
  slices: 'from the history (positions of every 30 s)',
};

export interface Shown {
  readonly atMs: number;
  readonly nowMs: number;
  readonly isLocal: boolean;
  readonly state: PastState;
  readonly problem: string;
  /** The gap of the moment, and the first moment that is kept. */
  readonly gap: Window | null;
  readonly firstMs: number | null;
}

/** The source that is shown, after the time: `3 h ago, from the log (exact)`. */
export function sourceText({ atMs, nowMs, isLocal, state, problem, gap, firstMs }: Shown): string {
  const ago = `${shownSpan(Math.max(0, Math.round((nowMs - atMs) / 1000)))} ago`;
  if (state.code === 'moment-in-gap' && gap !== null)
    return `${ago}: nothing was received between ${momentText(gap.fromMs, isLocal)} and ${momentText(gap.toMs, isLocal)}`;
  if (state.code === 'moment-too-old' || (firstMs !== null && atMs < firstMs))
    return `${ago}: older than what is kept${firstMs === null ? '' : `, which begins ${momentText(firstMs, isLocal)}`}`;
  if (problem !== '') return `${ago}: ${problem}`;
  if (state.isLoading || state.from === null) return `${ago}, loading…`;
  return `${ago}, ${sources[state.from]}`;
}
