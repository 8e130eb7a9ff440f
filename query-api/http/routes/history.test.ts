// Requests to the history without a store, and spans that cannot be.
import { describe, expect, it } from 'vitest';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { createTestApi } from '../../../test/support/live-view.ts';
import { HistoryStore } from '../../queries/history/history-store.ts';

const BOX = 'min_lat=50&min_lon=3&max_lat=54&max_lon=8';
const paths = ['/v2/aircraft/4840d6/history', '/v2/aircraft/4840d6/flights', `/v2/area/density?${BOX}`];
const api = await createTestApi(3);

const refusal = async (url: string): Promise<readonly [number, string]> => {
  const response = await api.app.inject(url);
  return [response.statusCode, response.json()['code']];
};

it('without a history is 503 with a code; spans and boxes are checked first', async () => {
  const [history, flights, density] = paths as [string, string, string];
  for (const path of paths) expect(await refusal(path)).toEqual([503, 'no-history']);
  const wrong = [
    ...['from=2026-11-22T10:00:00', 'to=99999999999', 'from=1700000000&to=1600000000', 'from=1600000000&to=1700000000', 'minutes=5'],
    'limit=0',
  ].map((query) => `${history}?${query}`);
  const others = [`${flights}?from=1600000000&to=1700000000`, `${flights}?limit=1001`, '/v2/area/density', '/v2/aircraft/xyz/history'];
  const boxes = [`${density}&from=1600000000&to=1700000000`, `${density}&cell=0.3`, density.replace('min_lat=50', 'min_lat=60')];
  for (const url of [...wrong, ...others, ...boxes]) expect([url, (await refusal(url))[0]]).toEqual([url, 400]);
  expect(await refusal('/v2/airport/QQQQ/flights')).toEqual([404, 'unknown-airport']);
});

describe('the store as requests see it', () => {
  const failing = (code: 'history.unreachable' | 'history.query_too_large' | 'history.busy') => async () => {
    throw new SquitterError(code, { detail: 'a test' });
  };

  it('is left alone for a moment after it did not answer', async () => {
    let nowMs = 0;
    const store = new HistoryStore({} as never, { steadyMs: () => nowMs });
    const codeOf = (run: () => Promise<unknown>): Promise<unknown> => store.query(run).catch(({ code }: SquitterError) => code);
    expect(await codeOf(failing('history.query_too_large'))).toBe('api.history_too_large');
    expect(await codeOf(failing('history.busy'))).toBe('api.history_unavailable');
    expect(await codeOf(async () => 'an answer')).toBe('an answer');
    expect(await codeOf(failing('history.unreachable'))).toBe('api.history_unavailable');
    expect(await codeOf(async () => 'an answer')).toBe('api.history_unavailable');
    expect(store.stats).toEqual({ done: 1, failed: 3, refused: 1 });
    nowMs += limits.historyRestMs;
    expect(await codeOf(async () => 'an answer')).toBe('an answer');
  });

  it('refuses while it is being started, and then responds, or says that there is no history', async () => {
    let open: (client: never) => void = () => {};
    const store = new HistoryStore(new Promise<never>((resolve) => (open = resolve)));
    const none = new HistoryStore(Promise.resolve(null));
    const codeOf = (from: HistoryStore): Promise<unknown> => from.query(async () => 'rows').catch(({ code }: SquitterError) => code);
    expect([await codeOf(store), store.isKept, store.stats.refused]).toEqual(['api.history_unavailable', true, 1]);
    open({} as never);
    await Promise.all([store.opened, none.opened]);
    expect([await codeOf(store), await codeOf(none), none.isKept]).toEqual(['rows', 'api.no_history', false]);
  });

  it('has a bounded number of requests at a time', async () => {
    const store = new HistoryStore({} as never);
    const waiting: (() => void)[] = [];
    const queries = Array.from({ length: limits.historyRequestsMax + 3 }, () =>
      store
        .query(() => new Promise<void>((resolve) => waiting.push(resolve)))
        .then(
          () => 'done',
          ({ code }: SquitterError) => code,
        ),
    );
    for (const resolve of waiting) resolve();
    expect((await Promise.all(queries)).filter((outcome) => outcome !== 'done')).toEqual(Array(3).fill('api.history_unavailable'));
  });
});
