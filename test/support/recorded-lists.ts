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

interface Recorded<Body> {
  readonly path: string;
  readonly body: Body;
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
  /** The last response of each list at each second: the first may have come before the last partition had its tick. */
  readonly lists = new Map<string, Recorded<RecordedList>>();
  readonly boards = new Map<string, Recorded<RecordedBoard>>();
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

  /**
   * Records the lists, round by round, until the last list has this many different seconds; on a busy machine a round takes seconds. The newest second is
   * left out, because it may still become whole.
   */
  async record(seconds: number, paths: readonly string[], boards: readonly string[] = []): Promise<void> {
    const seen = new Set<number>();
    while (seen.size <= seconds) {
      for (const path of paths) {
        const body = await this.list(path);
        this.lists.set(`${body.now} ${path}`, { path, body });
        if (path === paths.at(-1)) seen.add(body.now);
      }
      for (const path of boards) {
        const body = await this.json<RecordedBoard>(path);
        this.boards.set(`${body.now} ${path}`, { path, body });
      }
    }
    const newest = Math.max(...[...this.lists.values()].map(({ body }) => body.now));
    for (const recorded of [this.lists, this.boards]) for (const [key, { body }] of recorded) if (body.now === newest) recorded.delete(key);
  }

  /** Compares the recorded responses of these lists; returns how many of each were equal. */
  async compare(paths = /./): Promise<ReadonlyMap<string, number>> {
    const equal = new Map<string, number>();
    for (const { path, body: then } of this.lists.values()) {
      if (!paths.test(path)) continue;
      const again = await this.list(at(path, then.now));
      // No response of that second came after its last partition's tick, as on a busy machine: that partition's messages are missing.
      if (then.messages < again.messages) continue;
      const [before, after] = [valuesOf(path, then), valuesOf(path, again)];
      const names = [...new Set([...before.keys(), ...after.keys()])].filter(
        (name) => !isDeepStrictEqual(before.get(name), after.get(name)),
      );
      // A failed test does not print the lists, which are too long.
      expect([path, then.now, names.map((name) => [name, before.get(name), after.get(name)])]).toEqual([path, then.now, []]);
      equal.set(path, (equal.get(path) ?? 0) + 1);
    }
    return equal;
  }

  /** Compares flights in the air on the recorded boards. Further ones may be known by now. Returns the number that were on both. */
  async compareBoards(): Promise<number> {
    let flights = 0;
    for (const { path, body: then } of this.boards.values()) {
      // Only a board of the same snapshot as a list that is whole.
      const whole = this.lists.get(`${then.now} /v2/all`)?.body;
      if (whole?.ctime !== then.ctime || whole.messages < (await this.list(at('/v2/all', then.now))).messages) continue;
      const again = await this.json<RecordedBoard>(at(path, then.now));
      for (const side of ['arrivals', 'departures'] as const) {
        const flown = flyingOf(then[side].flights);
        const known = flyingOf(again[side].flights);
        expect(known).toEqual(expect.arrayContaining(flown));
        flights += flown.length;
      }
    }
    return flights;
  }
}

/** Head, order and members of a list, by name. */
function valuesOf(path: string, { now, messages, total, ac }: RecordedList): ReadonlyMap<string, unknown> {
  const hexes = ac.map(({ hex }) => String(hex));
  const members = ac.flatMap((one) =>
    Object.entries(without(one, NOT_FOLDED)).map(([name, value]): [string, unknown] => [`${one['hex']} ${name}`, value]),
  );
  const head = { now, messages, total, hexes: ORDERED.test(path) ? hexes : hexes.sort() };
  return new Map<string, unknown>([...Object.entries(head), ...members]);
}

function flyingOf(flights: readonly Flight[]): Flight[] {
  return flights.filter(({ status }) => status !== 'ground').map((flight) => without(flight, LEARNT));
}
