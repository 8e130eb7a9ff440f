// The dashboard's requests: who is let in, cookies, origins, what is shown to whom, and that no proof of ownership comes out again.
import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import { feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { ownersScene } from '../../test/support/access-scene.ts';
import { createTestApi, type TestApi } from '../../test/support/live-view.ts';
import { testIds, testSecret } from '../../test/support/secret.ts';
import { keyOf } from '../access/key.ts';
import { HistoryStore } from '../queries/history/history-store.ts';

const UUID = '7c0ffee7-1dea-4bad-8ace-5eed0fadedab';
const FEEDER = testIds.ofUuid(UUID);
const HOST = 'planes.example';
const NOW_MS = Date.UTC(2026, 0, 5, 12);
const ADDRESS = '198.51.100.7';

let api: TestApi;
let feeders: FeederTable;

async function start(baseUrl: string, trustedProxies: readonly string[] = [], history?: HistoryStore): Promise<void> {
  const scene = ownersScene({ baseUrl, nowMs: () => NOW_MS, rules: { trustedProxies } });
  onTestFinished(scene.close);
  const { access, owners } = scene;
  ({ feeders } = scene);
  const info = () => ({ simulated: false, feederAddress: '0.0.0.0:30004' });
  api = await createTestApi(1, { access, feeders: owners, info, ...(history === undefined ? {} : { history }) });
  scene.feed(FEEDER, ADDRESS);
  const counts = { partition: 0, messages: 1, duplicates: 0, positions: 1, disagreements: 0, cleanDf17: 100, aircraft: 7 };
  const heard = { rangeNm: new Array<number>(16).fill(80), signalDecidb: -105, lateMs: 0, heardMs: NOW_MS };
  for (const minute of [0, 1]) {
    const own = { timeMs: NOW_MS + minute * 60_000, frames: 600 * (1 + minute), contributorUntilMs: NOW_MS + 1e6 };
    feeders.apply(receiverKey(FEEDER, 0), feederRecord({ receiver: { ...counts, ...heard, ...own } }));
  }
}

interface Sent {
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
}
const OURS = { host: HOST, origin: `https://${HOST}` };
const post = (act: string, payload: object = {}, { cookie = '', headers = OURS, from = '192.0.2.1' }: Sent = {}) =>
  api.app.inject({ method: 'POST', url: `/feeders/${act}`, payload, headers: { ...headers, cookie }, remoteAddress: from });
const me = ({ cookie = '', headers = { host: HOST }, from = '192.0.2.1' }: Sent = {}, query = '') =>
  api.app.inject({ url: `/v2/feeders/me${query}`, headers: { ...headers, cookie }, remoteAddress: from });
const cookieOf = (response: LightMyRequestResponse) => String(response.headers['set-cookie']);
const sessionOf = (response: LightMyRequestResponse) => cookieOf(response).split(';')[0]!;
const key = (generation: number) => keyOf({ feeder: FEEDER, generation }, testSecret);
const bearer = (generation: number) => ({ host: HOST, authorization: `Bearer ${key(generation)}` });
const codeOf = (response: LightMyRequestResponse) => [response.statusCode, (response.json() as { code: string }).code];

describe('an owner', () => {
  beforeEach(() => start(`https://${HOST}`));

  test('opens the feeder by its UUID, sees it by the cookie, and leaves', async () => {
    const opened = await post('open', { proof: UUID });
    expect(opened.statusCode).toBe(200);
    expect(opened.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(opened.json()).toMatchObject({
      ...{ id: FEEDER, name: '', show_range: false, key: key(1), connected: true, format: 'beast', messages_per_second: 10, aircraft: 7 },
      health: { state: 'fine', text: 'Fine: 10 messages a second, 7 aircraft, farthest 80 nm.', troubles: [] },
      ...{ tier: 'contributor', tier_reason: expect.stringMatching(/^It feeds/), today: { requests: 0, bytes: 0 } },
      limits: { request_seconds: 20, requests_a_day: 4320, push_seconds: 10, sockets: 3, bytes_a_day: 4_000_000_000 },
      ...{ signal_dbfs: -10.5, history_problem: expect.stringContaining('keeps no history') },
    });
    const cookie = sessionOf(opened);
    expect((await me({ cookie })).json()).toEqual(opened.json());
    const left = await post('leave', {}, { cookie });
    expect([left.statusCode, cookieOf(left)]).toEqual([204, expect.stringMatching(/^squitter_session=; Path=\/; Max-Age=0;/)]);
    expect(codeOf(await me())).toEqual([401, 'no-session']);
  });

  test('names it, shows its range, and gets another key', async () => {
    const cookie = sessionOf(await post('open', { proof: UUID }));
    expect((await post('change', { name: 'Hill' }, { cookie })).json()).toMatchObject({ name: 'Hill', show_range: false });
    expect((await post('change', { show_range: true }, { cookie })).json()).toMatchObject({ name: 'Hill', show_range: true });
    expect(codeOf(await post('change', { name: 'x'.repeat(limits.feederNameCharactersMax + 1) }, { cookie }))).toEqual([400, 'bad-value']);
    expect((await post('rotate', {}, { cookie })).json()).toMatchObject({ key: key(2), previous_key_ends: expect.any(Number) });
    const revoked = await post('revoke', {}, { cookie });
    expect(revoked.json()).toMatchObject({ key: key(3) });
    expect(revoked.json()).not.toHaveProperty('previous_key_ends');
    expect(codeOf(await me({ cookie }))).toEqual([401, 'no-session']);
    expect((await me({ cookie: sessionOf(revoked) })).json()).toMatchObject({ key: key(3) });
    expect(codeOf(await me({ headers: bearer(2) }))).toEqual([403, 'revoked-key']);
    // With the key it is seen without a session, but not the key; only the newest one decides.
    const seen = (await me({ headers: bearer(3) })).json() as object;
    expect(seen).toMatchObject({ id: FEEDER });
    expect(seen).not.toHaveProperty('key');
    const newest = { headers: { ...OURS, ...bearer(3) } };
    expect((await post('rotate', {}, newest)).json()).toMatchObject({ key: key(4) });
    expect(codeOf(await post('open', {}, newest))).toEqual([401, 'old-key']);
  });

  test('has the cookie for 30 days, out of the reach of scripts and other sites', async () => {
    const cookie = cookieOf(await post('open', { proof: UUID }));
    expect(cookie).toMatch(/^squitter_session=[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/);
    const found = sessionOf(await post('open', { proof: UUID }));
    expect((await me({ cookie: `a=b; ${found}; c=d` })).statusCode).toBe(200);
    for (const other of [found.replace('=', '=x'), `x${found}`, 'squitter_session=', found.slice(0, -1)])
      expect(codeOf(await me({ cookie: other }))).toEqual([401, 'no-session']);
  });
});

describe('a stranger', () => {
  beforeEach(() => start(`https://${HOST}`));

  test('from a page of another origin, or without one, changes nothing', async () => {
    const cookie = sessionOf(await post('open', { proof: UUID }));
    const evil = ['https://evil.example', `https://${HOST}.evil.example`, 'null', 'file://', `https://evil.example/${HOST}`, ''];
    for (const [i, origin] of evil.entries()) {
      const headers = { host: HOST, ...(origin === '' ? {} : { origin }) };
      for (const act of ['open', 'rotate', 'revoke', 'change', 'leave'])
        expect(codeOf(await post(act, { proof: UUID }, { cookie, headers, from: `203.0.113.${i}` }))).toEqual([403, 'wrong-origin']);
      expect(codeOf(await post('open', {}, { headers, from: ADDRESS }))).toEqual([403, 'wrong-origin']);
    }
    expect(feeders.byId(FEEDER)!.keys!.generation).toBe(1);
    const direct = { host: '203.0.113.5:8080', origin: 'http://203.0.113.5:8080' };
    expect((await post('rotate', {}, { cookie, headers: direct })).statusCode).toBe(200);
  });

  test('guesses no UUID, and sends nothing else', async () => {
    expect(codeOf(await post('open', { proof: '0badcafe-0000-4000-8000-00000000beef' }))).toEqual([403, 'wrong-proof']);
    expect(codeOf(await post('open', { proof: 'x'.repeat(2 * limits.feederActBytesMax) }))).toEqual([400, 'bad-request']);
    for (const payload of [{ proof: 1 }, { proof: null }, { other: true }])
      expect((await post('open', payload, { from: '192.0.2.10' })).statusCode).toBe(400);
  });
});

test('the cookie asks for TLS where it is known to be there', async () => {
  const isSecure = async (headers: Record<string, string>, from = '10.0.0.1') =>
    cookieOf(await post('open', { proof: UUID }, { headers: { host: HOST, origin: `http://${HOST}`, ...headers }, from })).endsWith(
      'Secure',
    );
  await start('', ['10.0.0.1']);
  expect(await isSecure({})).toBe(false);
  expect(await isSecure({ 'x-forwarded-proto': 'https' })).toBe(true);
  expect(await isSecure({ forwarded: 'for=192.0.2.1;proto=https, for=10.0.0.2;proto=http' })).toBe(true);
  expect(await isSecure({ forwarded: 'for=192.0.2.1;proto=http, for=10.0.0.2;proto=https' })).toBe(false);
  expect(await isSecure({ 'x-forwarded-proto': 'http' })).toBe(false);
  expect(await isSecure({ 'x-forwarded-proto': 'https' }, '192.0.2.1')).toBe(false);
  await start(`https://${HOST}`);
  expect(await isSecure({ origin: `https://${HOST}` })).toBe(true);
  expect(await isSecure({ host: '192.168.1.5:8080', origin: 'http://192.168.1.5:8080' })).toBe(false);
});

test('the history has plots of a day and a week, without points where nothing was heard; one that is away leaves the rest', async () => {
  const rangeNm = new Array<number>(16).fill(20).with(3, 120);
  const startS = NOW_MS / 1000 - 3600;
  const row = (minute: number, frames: number, more: object = {}) => ({
    ...{ startS: startS + minute * 60, frames, positions: 9, disagreements: 0, aircraft: 5, signalDecidb: -100 },
    ...{ rangeNm: new Array<number>(16).fill(0), ...more },
  });
  const rows = [row(0, 3000), row(25, 9000, { signalDecidb: -60, aircraft: 8, rangeNm }), row(30, 600, { signalDecidb: null })];
  const queries: unknown[] = [];
  let isAway = false;
  const client = {
    async rows(_query: string, parameters: object) {
      if (isAway) throw new SquitterError('history.unreachable', { detail: 'gone' });
      queries.push(parameters);
      return rows;
    },
  };
  await start('', [], new HistoryStore(client as never));
  const opened = await post('open', { proof: UUID }, { headers: { host: HOST, origin: `http://${HOST}` } });
  const cookie = sessionOf(opened);
  const point = (minute: number, rate: number, aircraft: number, range: number, signal?: number) => ({
    ...{ time: startS + minute * 60, messages_per_second: rate, aircraft, range_nm: range },
    ...(signal === undefined ? {} : { signal_dbfs: signal }),
  });
  const day = [point(0, 10, 5, 0, -10), point(25, 30, 8, 120, -6), point(30, 2, 5, 0)];
  expect(opened.json()).toMatchObject({ history: { step_seconds: 300, ranges_nm: rangeNm } });
  expect((opened.json() as { history: { points: unknown } }).history.points).toEqual(day);
  const week = [point(0, 20, 8, 120, -7), point(30, 2, 5, 0)];
  expect((await me({ cookie }, '?span=week')).json()).toMatchObject({ history: { step_seconds: 1800, points: week } });
  expect(queries).toEqual([
    expect.objectContaining({ feeder: FEEDER, from: NOW_MS / 1000 - 30 * 3600 }),
    expect.objectContaining({ feeder: FEEDER, from: NOW_MS / 1000 - 7 * 86_400 }),
  ]);
  expect(codeOf(await me({ cookie }, '?span=month'))).toEqual([400, 'bad-value']);
  isAway = true;
  expect((await me({ cookie })).json()).toMatchObject({ aircraft: 7, history_problem: expect.any(String) });
});
