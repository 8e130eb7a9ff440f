// Latency of requests beside live traffic: a thousand a second of many kinds, each sent at its time, however late the responses before it are.
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from '../support/service.ts';
import { withService } from './children.ts';
import { LIVE_S, liveInput, SETTLE_S, sendPaced } from './fed.ts';
import { type Bench, type Figure, latencyFigures } from './harness.ts';
import { startServer } from './measured-server.ts';

const AIRCRAFT = 15_000;
const PER_S = 1000;
/** To a bare server beside it: how late the machine itself is. */
const BARE_PER_S = 100;
const CONNECTIONS = 64;

interface Listed {
  readonly hex: string;
  readonly flight?: string;
  readonly lat?: number;
  readonly lon?: number;
}

/** By share, out of 100: one of each 100 is the list of all, compressed; its latency counts with the others. */
function pathsOf(located: readonly Listed[]): string[] {
  return Array.from({ length: PER_S }, (_, i) => {
    const { hex, flight, lat, lon } = located[(i * 37) % located.length]!;
    const kind = i % 100;
    if (kind === 0) return '/v2/all';
    if (kind < 40) return `/v2/hex/${hex}`;
    if (kind < 60) return `/v2/lat/${lat}/lon/${lon}/dist/50`;
    if (kind < 75) return `/v2/aircraft/nearest?lat=${lat}&lon=${lon}&limit=20`;
    if (kind < 85) return `/v2/callsign/${flight?.trim() || hex}`;
    if (kind < 90) return '/v2/stats';
    return kind < 95 ? `/v2/aircraft/${hex}/track` : '/v2/squawk/1200';
  });
}

/** Latencies from the time at which each request was due, ms. Error: a response that is not 200. */
async function latenciesMs(port: number, paths: readonly string[], perS: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const found: number[] = [];
  const startMs = performance.now();
  const request = async (path: string, dueMs: number): Promise<void> => {
    const headers = { 'accept-encoding': path === '/v2/all' ? 'gzip' : 'identity' };
    const [response] = (await once(get({ port, path, agent, headers }), 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} for ${path}`);
    await once(response.resume(), 'end');
    found.push(performance.now() - startMs - dueMs);
  };
  const pending: Promise<void>[] = [];
  while (pending.length < LIVE_S * perS) {
    const dueMs = (1000 * pending.length) / perS;
    const waitMs = dueMs - (performance.now() - startMs);
    if (waitMs > 0) await sleep(Math.ceil(waitMs));
    pending.push(request(paths[pending.length % paths.length]!, dueMs));
  }
  await Promise.all(pending);
  agent.destroy();
  return found;
}

async function measured(service: RunningService): Promise<Figure[]> {
  const { what, pieces } = liveInput(AIRCRAFT);
  const socket = connect(service.listenPort, '127.0.0.1');
  const feeding = sendPaced(socket, pieces);
  await sleep(1000 * SETTLE_S);
  const { ac } = await service.json<{ ac: Listed[] }>('/v2/all');
  const paths = pathsOf(ac.filter(({ lat }) => lat !== undefined));
  const bare = await startServer(0);
  const [own, reference] = await Promise.all([
    latenciesMs(service.httpPort, paths, PER_S),
    latenciesMs(bare.ports.http, ['/700'], BARE_PER_S),
  ]);
  await bare.stop();
  await feeding;
  socket.destroy();
  const input = `${PER_S} mixed requests a second beside ${what}, history included, from the first request on, load ${loadavg()[0]!.toFixed(1)}`;
  return latencyFigures('requests-', own, input, reference, `${BARE_PER_S} a second to a bare Node server meanwhile`);
}

export const requestsBench: Bench = {
  name: 'requests',
  summary: `latency of ${PER_S} mixed requests a second beside live traffic of ${AIRCRAFT} aircraft`,
  run: () => withService(['--no-simulation'], measured),
};
