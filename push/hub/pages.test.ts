// Streams of pages for people, over the real access layer: one at the pace of pages per address, a second one at that of its tier.
import { expect, test } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import { BASE_URL, DAY_MS, Scene } from '../../test/support/access-scene.ts';
import { RecordingHub } from '../../test/support/recording-hub.ts';
import { World } from '../../test/support/world.ts';
import type { Opening } from '../transport/transport.ts';

const NAMED: Partial<Opening> = { protocols: ['aircraft.v2.json'], headers: { host: 'planes.example', origin: BASE_URL } };
const URL_OF_PAGE = '/v2/ws?bbox=-90,-180,90,180&page=1';

interface Message {
  readonly type: string;
  readonly code?: string;
  readonly interval_ms?: number;
  readonly stream?: string;
}

async function hubWith(scene: Scene) {
  const world = await World.create();
  for (let n = 0; n < 5; n += 1) world.do({ kind: 'state', n, empty: false });
  world.tick();
  const hub = new RecordingHub(world, {}, scene.access);
  const messages = (socket: number) => hub.texts(socket).map((text) => JSON.parse(text) as Message);
  return { hub, messages };
}

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
});

test('a page that was sent the bytes of its day goes on at the normal pace, and is not ended', async () => {
  const scene = new Scene();
  const { hub, messages } = await hubWith(scene);
  const socket = await hub.open(URL_OF_PAGE, NAMED);
  scene.access.spend(scene.who('192.0.2.1', { 'x-squitter-page': '1' }, '/v2/all'), limits.pageDayBytesMax);
  for (let n = 0; n < 3; n += 1) hub.hub.checkCallers();
  await hub.settle();
  const { page, normal } = hub.hub.classes;
  expect(messages(socket).slice(-2)).toMatchObject([
    { type: 'status', code: 'tier', tier: 'trial', interval_ms: normal.intervalMs },
    { type: 'full' },
  ]);
  expect(messages(socket).filter(({ code }) => code === 'tier').length).toBe(1);
  expect([hub.end(socket), normal.topics.size]).toEqual([null, 1]);
  scene.nowMs += DAY_MS;
  hub.hub.checkCallers();
  await hub.settle();
  expect(messages(socket).slice(-2)).toMatchObject([{ type: 'status', interval_ms: page.intervalMs }, { type: 'full' }]);
  hub.close();
});

test('the snapshot of a page is of the stream that its socket gets', async () => {
  const scene = new Scene();
  const { hub } = await hubWith(scene);
  const headers = { host: 'planes.example', 'x-squitter-page': '1' };
  await hub.open('/v2/stream/snapshot?hex=4840d6', { kind: 'events', headers });
  expect([hub.hub.classes.page.topics.size, hub.hub.classes.normal.topics.size]).toEqual([1, 0]);
  await hub.open('/v2/stream/snapshot?hex=4840d6', { kind: 'events', headers: { host: 'planes.example' } });
  expect([hub.hub.classes.page.topics.size, hub.hub.classes.normal.topics.size]).toEqual([1, 1]);
  hub.close();
});

test('pages are not slower than other streams', async () => {
  const { hub } = await hubWith(new Scene());
  const { page, normal } = hub.hub.classes;
  expect(page.intervalMs).toBe(Math.min(normal.intervalMs, limits.pageTickMs));
  hub.close();
});
