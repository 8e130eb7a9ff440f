// Callers of streams, over the real access layer: their bytes, their tier, and pages for people: one per address at the pace of pages, a second one at that
// of its tier.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { tierLimits } from '../../schemas/tiers.ts';
import { BASE_URL, DAY_MS, HOME, Scene } from '../../test/support/access-scene.ts';
import { PushContract, type PushDocument } from '../../test/support/push-contract.ts';
import { RecordingHub } from '../../test/support/recording-hub.ts';
import { projectDir } from '../../test/support/requirements.ts';
import { World } from '../../test/support/world.ts';
import { readHeader } from '../codec/decoder.ts';
import type { Opening } from '../transport/transport.ts';

const contract = new PushContract(JSON.parse(readFileSync(join(projectDir, 'schemas/api/push-asyncapi.json'), 'utf8')) as PushDocument);
const NAMED: Partial<Opening> = { protocols: ['aircraft.v2.json'], headers: { host: 'planes.example', origin: BASE_URL } };
const BINARY = { ...NAMED, protocols: ['aircraft.v2.bin'] };
const URL_OF_PAGE = '/v2/ws?bbox=-90,-180,90,180&page=1';

interface Message {
  readonly type: string;
  readonly code?: string;
  readonly interval_ms?: number;
  readonly now?: number;
}

async function hubWith(scene: Scene, pageEgress = Number.POSITIVE_INFINITY) {
  const world = await World.create();
  for (let n = 0; n < 5; n += 1) world.do({ kind: 'state', n, empty: false });
  world.tick();
  const hub = new RecordingHub(world, {}, scene.access, { tickMs: 10_000, pageTickMs: 1000, pageEgress });
  const messages = (socket: number) => hub.texts(socket).map((text) => JSON.parse(text) as Message);
  return { hub, messages };
}

test('bytes of a socket count once, to its end: a warning when a fifth of the day is left, and the end with the day', async () => {
  const scene = new Scene();
  const spend = vi.spyOn(scene.access, 'spend');
  const { hub, messages } = await hubWith(scene);
  const socket = await hub.open('/v2/ws?bbox=-90,-180,90,180', NAMED);
  const spent = (): number => spend.mock.calls.reduce((sum, [, bytes]) => sum + bytes, 0);
  const sent = (): number => hub.frames(socket).reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (let n = 0; n < 3; n += 1) {
    await hub.tick(10_000);
    hub.hub.checkCallers();
    expect(spent()).toBe(sent());
  }
  const { dayBytesMax } = tierLimits.trial;
  const warnings = () => messages(socket).filter(({ type, code }) => type === 'status' && code === 'budget').length;
  scene.access.spend(scene.who('192.0.2.1'), 0.8 * dayBytesMax - spent() - 1);
  hub.hub.checkCallers();
  expect(warnings()).toBe(0);
  scene.access.spend(scene.who('192.0.2.1'), 1);
  for (let n = 0; n < 3; n += 1) hub.hub.checkCallers();
  expect([warnings(), hub.end(socket)]).toEqual([1, null]);
  scene.access.spend(scene.who('192.0.2.1'), 0.2 * dayBytesMax);
  for (let n = 0; n < 3; n += 1) hub.hub.checkCallers();
  expect(hub.end(socket)).toMatchObject([4429, expect.stringContaining('bytes')]);
  expect(hub.hub.refused.get('access.budget')).toBe(1);
  for (const message of messages(socket)) expect(contract.faults('named', message, 'whole')).toEqual([]);
  hub.close();
});

test('a stream moves to the interval of another tier, and a page to that of its tier when its day is over, from a full, after a status', async () => {
  const scene = new Scene();
  const { hub, messages } = await hubWith(scene);
  const socket = await hub.open('/v2/ws?bbox=-90,-180,90,180', { ...NAMED, address: HOME });
  const { normal, slow } = hub.hub.classes;
  scene.nowMs += limits.trialMs;
  hub.hub.checkCallers();
  await hub.settle();
  const interval_ms = limits.pushSlowTickMs;
  expect(messages(socket).slice(-2)).toMatchObject([{ type: 'status', code: 'tier', tier: 'free', interval_ms }, { type: 'full' }]);
  const before = messages(socket).length;
  await hub.tick(10_000);
  expect([messages(socket).length, normal.topics.size, slow.topics.size]).toEqual([before, 1, 1]);
  await hub.tick(limits.pushSlowTickMs);
  expect(messages(socket).at(-1)).toMatchObject({ type: 'delta' });
  scene.feed();
  hub.hub.checkCallers();
  await hub.settle();
  expect(messages(socket).slice(-2)).toMatchObject([{ type: 'status', tier: 'contributor', interval_ms: 10_000 }, { type: 'full' }]);
  for (const message of messages(socket)) expect(contract.faults('named', message, 'whole')).toEqual([]);

  // A page that was sent the bytes of its day continues at the normal pace, and is not ended.
  const page = await hub.open(URL_OF_PAGE, NAMED);
  scene.access.spend(scene.who('192.0.2.1', { 'x-squitter-page': '1' }, '/v2/all'), limits.pageDayBytesMax);
  for (let n = 0; n < 3; n += 1) hub.hub.checkCallers();
  await hub.settle();
  const moved = (intervalMs: number) => [{ type: 'status', code: 'tier', tier: 'trial', interval_ms: intervalMs }, { type: 'full' }];
  expect(messages(page).slice(-2)).toMatchObject(moved(normal.intervalMs));
  expect([messages(page).filter(({ code }) => code === 'tier').length, hub.end(page)]).toEqual([1, null]);
  scene.nowMs += DAY_MS;
  hub.hub.checkCallers();
  await hub.settle();
  expect(messages(page).slice(-2)).toMatchObject([{ type: 'status', interval_ms: hub.hub.classes.page.intervalMs }, { type: 'full' }]);
  hub.close();
});

test('a page has a stream of the class of pages; a second one counts as its tier’s, and a third is refused', async () => {
  const scene = new Scene();
  scene.who('192.0.2.1');
  scene.nowMs += limits.trialMs;
  const { hub, messages } = await hubWith(scene);
  const [first, second, third] = [
    await hub.open(URL_OF_PAGE, NAMED),
    await hub.open(URL_OF_PAGE, NAMED),
    await hub.open(URL_OF_PAGE, NAMED),
  ];
  const { page, slow } = hub.hub.classes;
  expect([messages(first)[0], messages(second)[0]]).toMatchObject([
    { type: 'hello', tier: 'free', interval_ms: page.intervalMs },
    { type: 'hello', tier: 'free', interval_ms: slow.intervalMs },
  ]);
  expect([hub.refusal(third)!.status, page.topics.size, slow.topics.size]).toEqual([429, 1, 1]);
  await hub.tick();
  expect([messages(first).at(-1)!.type, messages(second).at(-1)!.type]).toEqual(['delta', 'full']);
  hub.hub.closed(first);
  const again = await hub.open(URL_OF_PAGE, NAMED);
  expect(messages(again)[0]).toMatchObject({ interval_ms: page.intervalMs });
  hub.close();
  // Where pages count as all else, the hello of a page has the interval of its tier.
  const plain = await hubWith(new Scene({ pages: 'tiers' }));
  expect(plain.messages(await plain.hub.open(URL_OF_PAGE, NAMED))[0]).toMatchObject({ tier: 'trial', interval_ms: 10_000 });
  plain.hub.close();
});

test('a page has a delta each second, a client of the API at its own interval; a view may move; without pages their class does nothing', async () => {
  const { hub, messages } = await hubWith(new Scene());
  const { page } = hub.hub.classes;
  const client = await hub.open('/v2/ws?bbox=-90,-180,90,180', { ...NAMED, address: '192.0.2.2' });
  for (let n = 0; n < 3; n += 1) await hub.tick();
  expect([page.stats.ticks, page.seq]).toEqual([0, 0]);
  const socket = await hub.open(URL_OF_PAGE, NAMED);
  for (let n = 0; n < 20; n += 1) await hub.tick();
  const deltas = (socket: number): number => messages(socket).filter(({ type }) => type === 'delta').length;
  expect([deltas(socket), deltas(client)]).toEqual([20, 2]);
  hub.hub.closed(socket);
  // Its view moves while it is subscribed: new cells have a full at once, the others go on.
  const map = await hub.open('/v2/ws?page=1&zones=50,0;40,0', BINARY);
  await hub.tick();
  const fulls = async (act: () => Promise<void>) => {
    const before = hub.frames(map).length;
    await act();
    return hub
      .frames(map)
      .slice(before)
      .map(({ bytes }) => readHeader(bytes).isFull);
  };
  expect(await fulls(() => hub.receive(map, { type: 'subscribe', zones: ['40,0', '40,10', '30,10'] }))).toEqual([true, true]);
  expect(await fulls(() => hub.tick())).toEqual([false, false, false]);
  hub.hub.closed(map);
  for (let n = 0; n < 70; n += 1) await hub.tick();
  const { ticks } = page.stats;
  await hub.tick();
  expect([page.topics.size, page.stats.ticks]).toEqual([0, ticks]);
  hub.close();
});

test('pages that are sent too much slow down together: each is told once, in every profile, and a new one by its hello', async () => {
  const { hub, messages } = await hubWith(new Scene(), 1);
  const { page, normal } = hub.hub.classes;
  const [named, binary] = [await hub.open(URL_OF_PAGE, NAMED), await hub.open(URL_OF_PAGE, { ...BINARY, address: '192.0.2.2' })];
  const client = await hub.open('/v2/ws', { ...NAMED, address: '192.0.2.3' });
  for (let n = 0; n < 5; n += 1) await hub.tick();
  const late = await hub.open(URL_OF_PAGE, { ...BINARY, address: '192.0.2.4' });
  for (let n = 0; n < 20; n += 1) await hub.tick();
  const detail = 'frames come every 10 s now: all pages together are sent at most 1 bytes a second';
  for (const socket of [named, binary])
    expect(hub.texts(socket).filter((text) => text.includes('status'))).toEqual([
      JSON.stringify({ type: 'status', code: 'pace', detail, interval_ms: 10_000 }),
    ]);
  expect(messages(named).filter(({ type }) => type === 'delta').length).toBe(4);
  expect(messages(late)).toMatchObject([{ type: 'hello', interval_ms: 10_000 }]);
  expect([messages(client).length, page.intervalMs, normal.intervalMs]).toEqual([1, 10_000, 10_000]);
  // The interval begins again at its shortest when no page is left.
  for (const socket of [named, binary, late]) hub.hub.closed(socket);
  for (let n = 0; n < 11; n += 1) await hub.tick();
  expect(messages(await hub.open(URL_OF_PAGE, NAMED))[0]).toMatchObject({ interval_ms: 1000 });
  expect(page.stats.deltaBytes).toBeGreaterThan(0);
  hub.close();
});
