// A server of the benches of HTTP and records, forked: the query API with all protocols over a view that is rebuilt every second, or a bare HTTP server that
// responds with so many ready bytes as the path says. It reports its ports, then its CPU time on each request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { FlightRoutes } from '../../pipeline/flights/flight-routes.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { airports } from '../../pipeline/simulate/flights/airports.ts';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { toolProtocol } from '../../query-api/mcp/streamable-http.ts';
import { flightsOf } from '../../query-api/queries/flights.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { recordStand } from '../support/grpc.ts';
import { createTestView, type TestView } from '../support/live-view.ts';
import { type CallSet, callSet } from './calls.ts';
import { cpuSeconds } from './push/clock.ts';
import { locatedAircraft } from './states.ts';

export type ServerReport =
  | { readonly type: 'ready'; readonly http: number; readonly grpc: number; readonly calls: CallSet | null }
  | { readonly type: 'usage'; readonly cpuS: number };

// The executable does the same.
tuneForFold();

const TICK_MS = 1000;
const PUSH_TICK_MS = 10_000;
const HOST = '127.0.0.1';
const START_MS = Date.now();
/** Time passes at a tenth of its pace: aircraft that send nothing do not expire while all cases are measured. */
const clock = (): number => Math.floor(START_MS + (Date.now() - START_MS) / 10);

/** Located aircraft that fly between airports of the simulation. The rebuild and the compression of requested bodies are part of the cost of serving. */
async function openModel(count: number): Promise<Partial<ReadModel> & { readonly view: TestView }> {
  const { reference } = await openReference({ folder: null, clock });
  const flights = flightsOf(new FlightAirports(reference));
  const routes = new FlightRoutes();
  const view = await createTestView(0, reference);
  const { table } = view;
  const ends = airports.map(({ icao }) => flights.airports.byCode(icao)!);
  const states = locatedAircraft(count);
  const shiftMs = clock() - Math.max(...states.map(({ seenMs }) => seenMs));
  states.forEach((state, i) => {
    table.applyState({ ...state, seenMs: state.seenMs + shiftMs, positionMs: state.positionMs! + shiftMs });
    const origin = ends[i % ends.length]!;
    const destination = ends[(i * 7 + Math.floor(i / ends.length)) % ends.length]!;
    table.putRoute(table.rowOf(state.hex), routes.routeOf({ origin, destination }, 'plan'));
  });
  const tick = (): void => {
    view.clockMs = clock();
    view.tick();
  };
  tick();
  setInterval(tick, TICK_MS);
  return { view, reference, flights, clock, steadyMs: () => performance.now() };
}

async function serveOurs(count: number): Promise<ServerReport> {
  const { view, ...model } = await openModel(count);
  const onFault = (error: unknown): void => {
    throw error;
  };
  const protocolsBeside = (model: ReadModel) => [
    toolProtocol(model, { access: unlimitedAccess, baseUrl: '', version: '0', isTrialOpen: false, onFault }),
  ];
  const { url, grpcUrl } = await recordStand(view, { ...model, tickMs: PUSH_TICK_MS, protocolsBeside });
  const [http, grpc] = [url, grpcUrl].map((address) => Number(new URL(address).port)) as [number, number];
  return { type: 'ready', http, grpc, calls: callSet(view.current()!) };
}

async function serveBare(): Promise<ServerReport> {
  const bodies = new Map<string, Buffer>();
  const server = createServer(({ url = '/0' }, response) => {
    if (!bodies.has(url)) bodies.set(url, Buffer.alloc(Number(url.slice(1)), 'x'));
    const body = bodies.get(url)!;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return { type: 'ready', http: (server.address() as AddressInfo).port, grpc: 0, calls: null };
}

const count = Number(process.argv[2]);
const ready = count > 0 ? await serveOurs(count) : await serveBare();
process.on('message', () => {
  process.send!({ type: 'usage', cpuS: cpuSeconds() } satisfies ServerReport);
});
process.on('disconnect', () => process.exit());
process.send!(ready);
