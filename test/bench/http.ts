// Requests per second, and per CPU second of the server, for one aircraft and for all 20,000, compared with a server that builds every response anew.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openCompressors } from '../../pipeline/view/compress.ts';
import { type Bench, type Figure, rateFigure } from './harness.ts';
import { findLoadTool, type LoadOptions, type LoadTool } from './http-load.ts';
import type { ServerMessage, Traffic } from './http-server.ts';

const AIRCRAFT = 20_000;
const PATHS = 2000;
/** Aircraft in each circle and box; circles and boxes that are requested in turn; one aircraft in this many is tried as a centre. */
const FOUND = 300;
const CIRCLES = 20;
const CIRCLES_STEP = 100;
/** New requests: circles and boxes that differ by metres. */
const VARIATIONS = 1000;
const WARM_UP_S = 3;
const RUN_S = 5;

/** Paths measured again with objects as small as those of a C server, for which the goals were set. */
const LEAN_CASES = /^http-(radius|box|all)/;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

interface Case {
  readonly name: string;
  readonly what: string;
  readonly load: Omit<LoadOptions, 'port' | 'seconds'>;
}

interface Served {
  readonly perS: number;
  readonly perCpuS: number;
}

export async function startServer(kind: 'ours' | 'reference', traffic: Traffic): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./http-server.js', import.meta.url)), [kind, String(AIRCRAFT), traffic], { stdio: 'inherit' });
  const { port } = (await messageOf(child)) as { port: number };
  return { child, port };
}

export async function stopServer({ child }: Server): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

async function messageOf(child: ChildProcess): Promise<ServerMessage> {
  const stop = new AbortController();
  const exit = once(child, 'exit', { signal: stop.signal }).then(([status]) => {
    throw new Error(`the server ended with status ${status}`);
  });
  exit.catch(() => {});
  const [message] = await Promise.race([once(child, 'message', { signal: stop.signal }), exit]);
  stop.abort();
  return message as ServerMessage;
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu');
  return ((await messageOf(child)) as { cpuS: number }).cpuS;
}

async function serve(tool: LoadTool, server: Server, load: Case['load']): Promise<Served> {
  await tool.run({ ...load, port: server.port, seconds: WARM_UP_S });
  const before = await cpuOf(server);
  const { responses, seconds } = await tool.run({ ...load, port: server.port, seconds: RUN_S });
  const cpuS = (await cpuOf(server)) - before;
  if (responses === 0) throw new Error(`no response in ${seconds} s`);
  return { perS: responses / seconds, perCpuS: responses / cpuS };
}

interface Located {
  readonly hex: string;
  readonly lat: number;
  readonly lon: number;
}

/** Addresses in scattered order. */
function hexPaths(aircraft: readonly Located[]): string[] {
  return Array.from({ length: PATHS }, (_, i) => `/v2/hex/${aircraft[(i * 7919) % aircraft.length]!.hex}`);
}

/** Points with the most traffic: the smallest circles with about FOUND aircraft. */
function busyPoints(aircraft: readonly Located[]): SizedPoint[] {
  const tried = aircraft.filter((_, i) => i % CIRCLES_STEP === 0).map((point) => ({ point, sizes: sizesAround(aircraft, point) }));
  return tried.toSorted((one, other) => one.sizes.radiusNm - other.sizes.radiusNm).slice(0, CIRCLES);
}

interface SizedPoint {
  readonly point: Located;
  readonly sizes: Sizes;
}

interface Sizes {
  readonly radiusNm: number;
  /** Half of the height, and of the width at the equator. */
  readonly halfDeg: number;
}

function sizesAround(aircraft: readonly Located[], { lat, lon }: Located): Sizes {
  const narrow = narrowing(lat);
  const ranked = (size: (other: Located) => number): number => aircraft.map(size).sort((a, b) => a - b)[FOUND]!;
  return {
    radiusNm: 60 * ranked((other) => Math.hypot(other.lat - lat, (other.lon - lon) * narrow)),
    halfDeg: ranked((other) => Math.max(Math.abs(other.lat - lat), Math.abs(other.lon - lon) * narrow)),
  };
}

function narrowing(latDeg: number): number {
  return Math.cos((latDeg * Math.PI) / 180);
}

function varied(sized: readonly SizedPoint[]): SizedPoint[] {
  return Array.from({ length: VARIATIONS * sized.length }, (_, i) => {
    const { point, sizes } = sized[i % sized.length]!;
    const factor = 1 + i / 1e6;
    return { point, sizes: { radiusNm: sizes.radiusNm * factor, halfDeg: sizes.halfDeg * factor } };
  });
}

function radiusPath({ point: { lat, lon }, sizes }: SizedPoint): string {
  return `/v2/lat/${lat}/lon/${lon}/dist/${sizes.radiusNm.toFixed(5)}`;
}

function boxPath({ point: { lat, lon }, sizes: { halfDeg } }: SizedPoint): string {
  const halfWidthDeg = halfDeg / narrowing(lat);
  const box = { min_lat: lat - halfDeg, max_lat: lat + halfDeg, min_lon: lon - halfWidthDeg, max_lon: lon + halfWidthDeg };
  const query = Object.entries(box).map(([name, degrees]) => `${name}=${degrees.toFixed(6)}`);
  return `/v2/bbox?${query.join('&')}`;
}

async function cases(port: number): Promise<Case[]> {
  // Without an encoding: otherwise the server would keep compressing for this client.
  const response = await fetch(`http://127.0.0.1:${port}/v2/all`, { headers: { 'accept-encoding': 'identity' } });
  const { ac } = (await response.json()) as { ac: Located[] };
  const points = busyPoints(ac);
  const many = (name: string, what: string, paths: string[]): Case => ({
    ...{ name, what, load: { calls: paths.map((path) => ({ path })), headers: {}, connections: 32 } },
  });
  const again = 'requested repeatedly, as by many clients of a region';
  const apart = 'no two requests of a second equal';
  return [
    many('http-hex', '/v2/hex of one aircraft', hexPaths(ac)),
    many('http-radius', `${CIRCLES} radii with some ${FOUND} aircraft, ${again}`, points.map(radiusPath)),
    many('http-radius-apart', `radii with some ${FOUND} aircraft, ${apart}`, varied(points).map(radiusPath)),
    many('http-box', `${CIRCLES} boxes with some ${FOUND} aircraft, ${again}`, points.map(boxPath)),
    many('http-box-apart', `boxes with some ${FOUND} aircraft, ${apart}`, varied(points).map(boxPath)),
    many('http-airport', 'arrivals and departures of an airport', ['/v2/airport/EHAM']),
    many('http-flights', 'a search for flights by origin and status', ['/v2/flights?origin=EHAM&status=level']),
    many('http-operators', 'the directory of operators', ['/v2/operators']),
    ...wholeLists(),
  ];
}

function wholeLists(): Case[] {
  const name = 'http-all';
  const load = { calls: [{ path: '/v2/all' }], connections: 4 };
  return [
    { name, what: '/v2/all plain', load: { ...load, headers: {} } },
    ...[...openCompressors().keys()].map((encoding) => ({
      name: `${name}-${encoding}`,
      what: `/v2/all in ${encoding}`,
      load: { ...load, headers: { 'accept-encoding': encoding } },
    })),
  ];
}

export const httpBench: Bench = {
  name: 'http',
  summary: `requests to a server of ${AIRCRAFT} aircraft in a separate process`,
  async run() {
    const tool = await findLoadTool();
    const all = await served(tool, 'rich', cases);
    const lean = await served(tool, 'lean', async (port) => (await cases(port)).filter(({ name }) => LEAN_CASES.test(name)));
    return [...all, ...lean.map((figure) => ({ ...figure, name: figure.name.replace('http-', 'http-lean-') }))];
  },
};

async function served(tool: LoadTool, traffic: Traffic, casesOf: (port: number) => Promise<Case[]>): Promise<Figure[]> {
  const ours = await startServer('ours', traffic);
  const reference = await startServer('reference', traffic);
  const figures: Figure[] = [];
  for (const { name, what, load } of await casesOf(ours.port)) {
    const own = await serve(tool, ours, load);
    const plain = await serve(tool, reference, load);
    const input = `${what}, ${AIRCRAFT} aircraft${traffic === 'lean' ? ' with ADS-B values only' : ''}, view rebuilt every second, ${load.connections} connections, ${RUN_S} s, ${tool.name}; reference: fastify and a Map, the same headers and metrics, each response stringified (and compressed at the same level) when asked for, no rebuilds`;
    figures.push(rateFigure(name, 'requests/s', own.perS, plain.perS, input));
    figures.push(rateFigure(`${name}-cpu`, 'requests/CPU-s', own.perCpuS, plain.perCpuS, `${input}; CPU time of the server process`));
  }
  await stopServer(ours);
  await stopServer(reference);
  return figures;
}
