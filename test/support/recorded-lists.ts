// Responses of live lists, recorded by their second, and compared with what the same service gives for these seconds later.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { until } from './until.ts';

export interface RecordedList {
  readonly now: number;
  readonly ctime: number;
  readonly messages: number;
  readonly total: number;
  readonly ac: readonly Readonly<Record<string, unknown>>[];
}

interface Recorded {
  readonly path: string;
  readonly body: RecordedList;
}

type Flight = Readonly<Record<string, unknown>>;

/** Both boards of an airport. */
interface RecordedBoard {
  readonly now: number;
  readonly ctime: number;
  readonly arrivals: { readonly flights: readonly Flight[] };
  readonly departures: { readonly flights: readonly Flight[] };
}

/** Members of an aircraft that come from reference data and routes. */
const NOT_FOLDED = new Set(['r', 't', 'desc', 'ownOp', 'year', 'dbFlags', 'route_origin', 'route_dest']);
/** Lists whose order is promised. */
const ORDERED = /dist|nearest|hex/;
/** Members of a flight that a later observation may have changed. */
const LEARNT = new Set(['route_source', 'departed_at', 'landed_at']);

const without = (members: Flight, names: ReadonlySet<string>): Flight =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));

export const at = (path: string, second: number): string => `${path}${path.includes('?') ? '&' : '?'}at=${second}`;

export class RecordedLists {
  /** Lists that were the same later. */
  readonly lists: Recorded[] = [];
  private readonly get: (path: string) => Promise<Response>;

  constructor(get: (path: string) => Promise<Response>) {
    this.get = get;
  }

  async json<Body>(path: string): Promise<Body> {
    // The threads of the past have a low priority: on a machine that is busy with other tests a moment may take longer than a request.
    const response = await until(
      async () => {
        const given = await this.get(path);
        return given.status === 503 && path.includes('at=') ? undefined : given;
      },
      path,
      100_000,
    );
    const text = await response.text();
    expect([path, response.status, response.ok ? '' : text]).toEqual([path, 200, '']);
    return JSON.parse(text) as Body;
  }

  list(path: string): Promise<RecordedList> {
    return this.json(path);
  }

  /** Records each list, and compares it with what is given for its second, until a response of each was whole and the same. */
  async record(paths: readonly string[]): Promise<void> {
    const missing = new Set(paths);
    while (missing.size > 0) {
      const round = await Promise.all([...missing].map(async (path) => ({ path, body: await this.last<RecordedList>(path) })));
      for (const recorded of round) {
        if (!(await this.isSame(recorded))) continue;
        this.lists.push(recorded);
        missing.delete(recorded.path);
      }
    }
  }

  /** Compares the recorded responses of a list once more. */
  async compareAgain(path: string): Promise<void> {
    const recorded = this.lists.filter((each) => each.path === path);
    expect(recorded).not.toEqual([]);
    for (const each of recorded) expect(await this.isSame(each)).toBe(true);
  }

  /** Compares flights in the air on the boards of an airport, until `flightsMin` were on both. Further ones may be known later. */
  async compareBoards(path: string, flightsMin: number): Promise<void> {
    for (let flights = 0; flights < flightsMin; ) {
      const [all, then] = await Promise.all([this.last<RecordedList>('/v2/all'), this.last<RecordedBoard>(path)]);
      // Only a board of the same snapshot as a list that is whole.
      if (all.ctime !== then.ctime || !(await this.isSame({ path: '/v2/all', body: all }))) continue;
      const again = await this.json<RecordedBoard>(at(path, then.now));
      for (const side of ['arrivals', 'departures'] as const) {
        const flown = flyingOf(then[side].flights);
        expect(flyingOf(again[side].flights)).toEqual(expect.arrayContaining(flown));
        flights += flown.length;
      }
    }
  }

  /** The last response of a second: an earlier one may have come before the last partition had its tick. */
  private async last<Body extends { readonly now: number }>(path: string): Promise<Body> {
    for (let then = await this.json<Body>(path); ; ) {
      const next = await this.json<Body>(path);
      if (next.now > then.now) return then;
      then = next;
    }
  }

  /** False: on a busy machine even the last response came before the last partition's tick, whose messages are missing. */
  private async isSame({ path, body: then }: Recorded): Promise<boolean> {
    const again = await this.list(at(path, then.now));
    if (then.messages < again.messages) return false;
    expect([path, then.total > 0]).toEqual([path, true]);
    expect([path, then.now, changed(folded(path, then), folded(path, again))]).toEqual([path, then.now, []]);
    expect(folded(path, again)).toEqual(folded(path, then));
    return true;
  }
}

/** Each value that differs. A failed test does not print the lists, which are too long. */
function changed(then: Folded, again: Folded): object[] {
  const known = new Map(again.aircraft.map((one) => [one['hex'], one]));
  return then.aircraft.flatMap((one) => {
    const other = known.get(one['hex']) ?? {};
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => !isDeepStrictEqual(one[name], other[name]));
    return names.map((name) => ({ hex: one['hex'], name, live: one[name], again: other[name], seen: one['seen'] }));
  });
}

function folded(path: string, { now, messages, total, ac }: RecordedList) {
  const aircraft = ac.map((one) => without(one, NOT_FOLDED));
  if (!ORDERED.test(path)) aircraft.sort((a, b) => String(a['hex']).localeCompare(String(b['hex'])));
  return { now, messages, total, aircraft };
}
type Folded = ReturnType<typeof folded>;

function flyingOf(flights: readonly Flight[]): Flight[] {
  return flights.filter(({ status }) => status !== 'ground').map((flight) => without(flight, LEARNT));
}
