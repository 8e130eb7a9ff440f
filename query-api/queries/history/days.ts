// Days in addresses of files of the past, and when a time is so old that late records of it are in the store.
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';

export interface DayText {
  /** Four, two and two digits. */
  readonly year: string;
  readonly month: string;
  readonly day: string;
}

/** Start of a day in UTC, ms since 1970. Error: `api.no_recording` for a 30 February. */
export function dayStart({ year, month, day }: DayText): number {
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (new Date(ms).getUTCDate() !== Number(day))
    throw new QueryError('api.no_recording', { what: `${year}-${month}-${day}`, detail: 'there is no such day' });
  return ms;
}

/** True for a time that ended `limits.pastSettleMs` before `nowMs`. */
export function isSettled(endMs: number, nowMs: number): boolean {
  return nowMs - endMs >= limits.pastSettleMs;
}
