// Moments of the past: the parameter `at`, and the port to what folds them. Queries do not fold; the process that serves them brings the port.
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { limits } from '../../schemas/limits/index.ts';
import { QueryError } from './errors.ts';
import { INSTANT, instantForm, instantMs } from './instants.ts';
import type { FlightAt } from './moment-flights.ts';

/** An aircraft list or an airport board of the past. */
export interface PastList {
  /** The newest second of data up to the moment, ms since the Unix epoch. */
  readonly nowMs: number;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface PastLists {
  /**
   * The response to the list `url` (path and query without `at`) at a whole second, ms: aircraft, or the board of an airport with these flights. Errors: those of the list;
   * `api.moment_too_old`, `api.moment_in_gap`, `api.moment_of_other_version`, `api.past_busy`, `api.past_unavailable`.
   */
  list(atMs: number, url: string, flights?: readonly FlightAt[]): Promise<PastList>;
  /** The same of stored positions, the rows of `storedSky`: the list says so. */
  stored(atMs: number, url: string, rows: Uint8Array<ArrayBuffer>, flights?: readonly FlightAt[]): Promise<PastList>;
}

export interface PastQuery {
  readonly at?: string;
}

/** The parameter as a property of a route's query schema. */
export const pastQueryProperties = {
  at: {
    ...instantForm,
    examples: ['2026-11-22T10:00:00Z'],
    description:
      `moment of the past: ${INSTANT}; the list is that of its second. The aircraft are folded again ` +
      'from the received frames, as long as the log has them (7 days at most). `now` and the aircraft are as they were then, without routes and ' +
      'with the reference data of today. Before that, a service that keeps a history gives the newest position of each aircraft in the minute before: ' +
      '`from_history` is true then, and what stored positions do not have is absent. ' +
      '404 `moment-in-future` after the newest second, `moment-too-old` before the first moment that the log and the history can give, ' +
      '`moment-in-gap` when nothing had been received for a minute, `moment-of-other-version` when an earlier release gave the aircraft of then; ' +
      `503 \`past-busy\` beyond ${limits.pastRequestsMax} requests at a time, \`past-unavailable\` where the service does not fold the past, ` +
      '`history-unavailable` when the history does not answer',
  },
};

/** A moment in ms, its second begun. Errors: `api.moment_in_future`, `api.no_snapshot` before the service has any data. */
export function momentOf(at: string, { view }: { readonly view: Pick<LiveView, 'current'> }): number {
  const atMs = 1000 * Math.floor(instantMs(at) / 1000);
  const newest = view.current();
  if (newest === null) throw new QueryError('api.no_snapshot', { seconds: limits.snapshotAgeMsMax / 1000 });
  const { nowMs } = newest.times;
  if (atMs <= nowMs) return atMs;
  const times = { at: new Date(atMs).toISOString(), newest: new Date(nowMs).toISOString() };
  throw new QueryError('api.moment_in_future', times, { parameters: [{ param: 'at', detail: `expected ${times.newest} or earlier` }] });
}

/** Path and query of a request without `at`. */
export function withoutMoment(url: string): string {
  const [path, query = ''] = url.split(/\?(.*)/s);
  const others = query.split('&').filter((item) => item !== '' && !new URLSearchParams(`&${item}`).has('at'));
  return others.length === 0 ? path! : `${path}?${others.join('&')}`;
}
