// Retention by a keeper before a store that refuses, is frozen or has damaged parts, and by a clock that is set.
import { afterEach, describe, expect, it } from 'vitest';
import type { HistoryClient, QueryOptions } from '../../../pipeline/store/client.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { until } from '../../../test/support/until.ts';
import { HistoryKeeper, withinDisk } from './history-keeper.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2028-03-01T12:00:00Z');
const GIB = 1024 ** 3;

const part = (partition: string) => ({
  ...{ table: 'positions', partition, name: `${partition}_1`, bytes: GIB, rows: 10, lastTime: `${partition} 23:00:00` },
});

/** A store of these parts. */
class Store {
  parts: ReturnType<typeof part>[];
  damaged: { table: string; name: string; reason: string }[] = [];
  readonly statements: string[] = [];
  refuses: (sql: string) => boolean = () => false;
  isFrozen = false;
  looks = 0;

  constructor(...days: string[]) {
    this.parts = days.map(part);
  }

  readonly client = {
    rows: async (sql: string, _: unknown, options: QueryOptions) => {
      if (this.isFrozen)
        await new Promise((_resolve, reject) =>
          options.signal!.addEventListener('abort', () => reject(new SquitterError('history.cancelled', { detail: 'aborted' }))),
        );
      if (sql.includes('detached_parts')) {
        this.looks += 1;
        return this.damaged;
      }
      return this.parts;
    },
    command: async (sql: string) => {
      if (this.refuses(sql)) throw new SquitterError('history.query_failed', { code: '359', detail: 'too large' });
      this.statements.push(sql);
      this.parts = this.parts.filter(({ partition }) => !sql.includes(partition));
    },
  } as unknown as HistoryClient;
}

describe('the keeper of the history', () => {
  let keeper: HistoryKeeper;
  afterEach(() => keeper.stop());
  let lines: string[];
  const clock = { wall: NOON, steady: 0 };
  const start = (store: Store, bytesMax = Number.POSITIVE_INFINITY, isKeeper = (): boolean => true): void => {
    lines = [];
    Object.assign(clock, { wall: NOON, steady: 0 });
    const line =
      (level: string) =>
      (fields: unknown, message: string): number =>
        lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    keeper = new HistoryKeeper({
      ...{ client: store.client, daysMax: 30, bytesMax: () => bytesMax, isKeeper, logger: { info: line('info'), warn: line('warn') } },
      ...{ wallMs: () => clock.wall, steadyMs: () => clock.steady, intervalMs: 2 },
    });
  };
  const looked = async (store: Store): Promise<void> => {
    const { looks } = store;
    await until(() => store.looks >= looks + 2);
  };

  it('drops no day because the clock was set forward, until it has been so for a day', async () => {
    const store = new Store('2028-02-28', '2028-03-01');
    start(store);
    await looked(store);
    clock.wall += 60 * DAY_MS;
    await looked(store);
    expect(store.statements).toEqual([]);
    expect(lines.join('\n')).toContain('the clock was set forward');
    clock.wall -= 60 * DAY_MS;
    await looked(store);
    for (const name of ['wall', 'steady'] as const) clock[name] += 40 * DAY_MS;
    await until(() => store.statements.length === 2);
  });

  it('drops nothing while another process keeps the history; reports damaged parts, what it dropped before a statement failed, and the failure', async () => {
    let isKeeper = false;
    const store = new Store('2028-01-01', '2028-01-02', '2028-03-01');
    store.damaged = [{ table: 'positions', name: 'broken-on-start_1', reason: 'broken-on-start' }];
    store.refuses = (sql) => sql.includes('2028-01-02');
    start(store, Number.POSITIVE_INFINITY, () => isKeeper);
    expect([keeper.report, store.statements]).toEqual([null, []]);
    isKeeper = true;
    await until(() => keeper.problem() !== null);
    expect(keeper.problem()).toBe('old days of the history cannot be dropped: the history store refuses a statement (code 359): too large');
    expect(keeper.dropped).toEqual({ age: 10, size: 0 });
    store.refuses = () => false;
    await until(() => keeper.dropped.age === 20);
    await looked(store);
    expect(keeper.problem()).toBe('1 damaged parts of positions are set aside: their rows are missing');
    expect(lines.map((line) => line.slice(0, 4))).toEqual(['info', 'warn', 'info', 'warn']);
    // A frozen store does not hold a stop.
    store.isFrozen = true;
    await keeper.stop();
    expect(lines.join('\n')).not.toContain('aborted');
    expect(withinDisk(null, 10, 30, 0.5)).toBe(20);
  });
});
