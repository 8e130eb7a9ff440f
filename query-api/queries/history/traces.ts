// Traces: tracks as web maps of readsb want them. The whole one of the last day, its newest part, and one of a day of the past.
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { LEG, Points } from '../../../pipeline/tracks/points.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import type { ReadModel } from '../read-model.ts';
import { CallSigns, type Named, storedNames } from './call-signs.ts';
import type { Span } from './span.ts';
import type { Trace } from './trace-file.ts';
import { pastTrack, recentTrack, type Track } from './track.ts';

type TraceModel = Pick<ReadModel, 'tracks' | 'view' | 'history'>;

const DAY_MS = 86_400_000;

export interface LiveTrace extends Trace {
  readonly isIncomplete: boolean;
}

/**
 * The trace until `toMs`. Maps take the one of yesterday for an hour after midnight, so that it is longer than a day.
 * Errors: `api.unknown_aircraft` without points; that of the store where only the store could have some.
 */
export async function fullTrace(model: TraceModel, key: number, toMs: number, callSign: string | null): Promise<LiveTrace> {
  const span = { fromMs: toMs - limits.traceFullMs, toMs };
  // One after the other: a request that ends with the first error must leave no query behind.
  const track = await recentTrack(model, key, span, limits.tracePointsMax);
  const names = track.points.count === 0 ? [] : await knownNames(model, key, span);
  return liveTrace(key, track, track.numbers, names, callSign);
}

/**
 * The newest points. A map waits for these before it shows the whole trace: they are there whenever that is.
 * Errors: `api.unknown_aircraft` without points; that of the store where only the store could have some.
 */
export async function newestTrace(model: TraceModel, key: number, toMs: number, callSign: string | null): Promise<LiveTrace> {
  const points = new Points();
  model.tracks.read(key, toMs - limits.traceRecentMs, toMs, points);
  if (points.count === 0) {
    const whole = await fullTrace(model, key, toMs, callSign);
    return { ...whole, numbers: whole.numbers.slice(-limits.traceRecentPoints) };
  }
  const numbers = Int32Array.from({ length: points.count }, (_, i) => i).slice(-limits.traceRecentPoints);
  return liveTrace(key, { points, isIncomplete: false, unanswered: null }, numbers, [], callSign);
}

/** The trace of a day that began at `fromMs`; its times count from there. Errors: `api.no_recording`, and those of the store. */
export async function dayTrace(model: Pick<ReadModel, 'history'>, key: number, fromMs: number): Promise<Trace> {
  const span = { fromMs, toMs: fromMs + DAY_MS - 1 };
  const { points, numbers } = await pastTrack(model, key, span, limits.tracePointsMax);
  if (numbers.length === 0) {
    const day = new Date(fromMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
    throw new QueryError('api.no_recording', { what: `${keyHex(key)} on ${day}`, detail: 'the history has no positions of it' });
  }
  return { points, numbers, callSigns: new CallSigns(await storedNames(model, key, span)), baseMs: fromMs };
}

function liveTrace(
  key: number,
  { points, isIncomplete, unanswered }: Pick<Track, 'points' | 'isIncomplete' | 'unanswered'>,
  numbers: Int32Array,
  names: readonly Named[],
  callSign: string | null,
): LiveTrace {
  const first = numbers[0];
  if (first === undefined) throw unanswered ?? new QueryError('api.unknown_aircraft', { hex: keyHex(key) });
  const callSigns = new CallSigns(names, callSign, lastLegMs(points));
  return { points, numbers, callSigns, isIncomplete, baseMs: points.timeMs[first]! };
}

/** The present call sign is that of the last leg. */
function lastLegMs(points: Points): number {
  for (let i = points.count - 1; i > 0; i -= 1) if (points.hasFlag(i, LEG)) return points.timeMs[i]!;
  return Number.NEGATIVE_INFINITY;
}

/** Without those of a store that does not answer: they only name points. */
async function knownNames(model: TraceModel, key: number, span: Span): Promise<readonly Named[]> {
  if (!model.history.isKept) return [];
  try {
    return await storedNames(model, key, span, limits.trackStoreMsMax);
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}

/** A day in addresses of files of the past. */
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
