// Finds the day that is due: pure functions of the clock and of the states of earlier runs. All days are UTC, as YYYY-MM-DD.
import { limits } from '../../schemas/limits/index.ts';

const DAY_MS = 86_400_000;

/** A day without a state never ran. */
export type DayState = { readonly done: true } | { readonly attempts: number; readonly retryAtMs: number };
export type DayStates = Readonly<Record<string, DayState>>;

export interface DueOptions {
  readonly dueAfterMs: number;
  readonly daysMax: number;
}

/** The UTC day of a time. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Start of a UTC day; NaN if there is no such day. */
export function dayStartMs(day: string): number {
  const startMs = Date.parse(`${day}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(startMs) && dayOf(startMs) === day ? startMs : Number.NaN;
}

/** The day after. UTC days all have 86,400 s: Unix time has no leap seconds. */
export function nextDay(day: string): string {
  return dayOf(dayStartMs(day) + DAY_MS);
}

/** The oldest day that is closed, not done, and not waiting for its next attempt; null if there is none. */
export function dueDay(states: DayStates, nowMs: number, { dueAfterMs, daysMax }: DueOptions): string | null {
  return windowOf(nowMs, { dueAfterMs, daysMax }).find((day) => isDue(states[day], nowMs)) ?? null;
}

/** When to look again if nothing changes: the end of the next day or the next attempt. */
export function nextDueMs(states: DayStates, nowMs: number, options: DueOptions): number {
  const window = windowOf(nowMs, options);
  const retries = window.flatMap((day) => {
    const state = states[day];
    return state === undefined ? [nowMs] : 'done' in state ? [] : [state.retryAtMs];
  });
  const opens = dayStartMs(dayOf(nowMs - options.dueAfterMs)) + DAY_MS + options.dueAfterMs;
  return Math.max(nowMs, Math.min(opens, ...retries));
}

/** States after a success. Days before the window are forgotten. */
export function afterDone(states: DayStates, day: string, nowMs: number, options: DueOptions): DayStates {
  return withinWindow({ ...states, [day]: { done: true } }, nowMs, options);
}

/** States after a failure: the next attempt is after 1, 2, 4 … 60 minutes. */
export function afterFailure(states: DayStates, day: string, nowMs: number, options: DueOptions): DayStates {
  const attempts = attemptsOf(states[day]) + 1;
  const retryAtMs = nowMs + Math.min(limits.exportRetryMsMax, limits.exportRetryMsMin * 2 ** Math.min(attempts - 1, 10));
  return withinWindow({ ...states, [day]: { attempts, retryAtMs } }, nowMs, options);
}

export function attemptsOf(state: DayState | undefined): number {
  return state === undefined || 'done' in state ? 0 : state.attempts;
}

/** States from text; none from damaged text, so that days run again instead of never. */
export function parseStates(text: string): DayStates {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected an object of days');
  for (const [day, state] of Object.entries(value as Record<string, Record<string, unknown> | null>)) {
    const known = state?.['done'] === true || (Number.isFinite(state?.['attempts']) && Number.isFinite(state?.['retryAtMs']));
    if (Number.isNaN(dayStartMs(day)) || !known) throw new Error(`the state of ${day} cannot be read`);
  }
  return value as DayStates;
}

/** Closed days, the oldest first. */
function windowOf(nowMs: number, { dueAfterMs, daysMax }: DueOptions): string[] {
  const openStartMs = dayStartMs(dayOf(nowMs - dueAfterMs));
  return Array.from({ length: daysMax }, (_, i) => dayOf(openStartMs - (daysMax - i) * DAY_MS));
}

/** A wall clock that was set back must not hold a day for longer than a pause. */
function isDue(state: DayState | undefined, nowMs: number): boolean {
  if (state === undefined) return true;
  return !('done' in state) && (state.retryAtMs <= nowMs || state.retryAtMs > nowMs + limits.exportRetryMsMax);
}

function withinWindow(states: DayStates, nowMs: number, options: DueOptions): DayStates {
  const oldest = windowOf(nowMs, options)[0]!;
  return Object.fromEntries(Object.entries(states).filter(([day]) => day >= oldest));
}
