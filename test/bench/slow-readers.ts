// Small requests while many clients ask for long lists and read them slowly, in turns with the same server left alone.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Bench, costFigure } from './harness.ts';
import { startServer, stopServer } from './http.ts';

const CLIENTS = 300;
/** Lists that are copied, and lists that are made of objects. */
const LISTS = [
  { name: 'http-slow-readers-p99', list: '/v2/all' },
  { name: 'http-slow-geojson-readers-p99', list: '/v2/geojson/all' },
];
const TURNS = 3;
const WARM_UP_MS = 3000;
const TURN_MS = 10_000;
const PAUSE_MS = 20;
/** The server forgets the clients of the turn before. */
const REST_MS = 3000;

/** Times of requests one after another, ms; of refusals, too. */
async function askFor(url: string, paths: readonly string[], ms: number): Promise<number[]> {
  const times: number[] = [];
  const endMs = performance.now() + ms;
  for (let i = 0; performance.now() < endMs; i += 1) {
    const startMs = performance.now();
    const response = await fetch(`${url}${paths[i % paths.length]!}`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`status ${response.status} of a small request`);
    times.push(performance.now() - startMs);
    await sleep(PAUSE_MS);
  }
  return times;
}

async function pathsOf(url: string): Promise<string[]> {
  const { ac } = (await (await fetch(`${url}/v2/all?limit=200`)).json()) as { ac: { hex: string; lat: number; lon: number }[] };
  return ac.flatMap(({ hex, lat, lon }) => ['/v2/stats', `/v2/hex/${hex}`, `/v2/lat/${lat}/lon/${lon}/dist/5`]);
}

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(0.99 * times.length)]!;

export const slowReadersBench: Bench = {
  name: 'http-slow-readers',
  summary: `small requests while ${CLIENTS} clients read long lists slowly`,
  async run() {
    const server = await startServer('ours', 'rich');
    const url = `http://127.0.0.1:${server.port}`;
    const paths = await pathsOf(url);
    const alone: number[] = [];
    const attacked = LISTS.map(({ name, list }) => ({ name, list, times: [] as number[] }));
    for (let turn = 0; turn < TURNS; turn += 1) {
      alone.push(...(await askFor(url, paths, TURN_MS)));
      for (const { list, times } of attacked) {
        const clients = fork(fileURLToPath(new URL('./slow-clients.js', import.meta.url)), [String(server.port), String(CLIENTS), list]);
        await sleep(WARM_UP_MS);
        times.push(...(await askFor(url, paths, TURN_MS)));
        const ended = once(clients, 'exit');
        clients.disconnect();
        await ended;
        await sleep(REST_MS);
      }
    }
    await stopServer(server);
    return attacked.map(({ name, list, times }) => {
      const input = `/v2/stats, /v2/hex and small circles one after another while ${CLIENTS} connections ask for 8 different ${list} each and read 320 KB/s; ${TURNS} turns of ${TURN_MS / 1000} s; reference: the same without them, in turns`;
      return costFigure(name, 'ms', p99(times), p99(alone), input);
    });
  },
};
