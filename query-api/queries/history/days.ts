// Days in addresses of files of the past, and when a time is so old that late records of it are in the store.
import { trackLimits } from '../../../schemas/track-limits.ts';
import { badValue } from '../errors.ts';

const YEAR_MIN = 1970;
/** ClickHouse's times end in 2299. */
const YEAR_MAX = 2299;

export interface DayText {
  /** Four, two and two digits. */
  readonly year: string;
  readonly month: string;
  readonly day: string;
}

/** Start of a day in UTC, ms since 1970. Error: `api.bad_value`. */
export function dayStart({ year, month, day }: DayText): number {
  if (Number(year) < YEAR_MIN || Number(year) > YEAR_MAX) throw badValue('year', year, `expected ${YEAR_MIN} to ${YEAR_MAX}`);
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // 30 February would be 1 March.
  if (!Number.isFinite(ms) || new Date(ms).getUTCDate() !== Number(day)) throw badValue('day', day, 'there is no such day');
  return ms;
}

/** True for a time that ended `trackLimits.pastSettleMs` before `nowMs`. */
export function isSettled(endMs: number, nowMs: number): boolean {
  return nowMs - endMs >= trackLimits.pastSettleMs;
}
