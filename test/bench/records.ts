// Calls per CPU second of the server for one aircraft and for 50 nearby, by protocol: gRPC, Connect, tools, and REST, compared with a plain gRPC server.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Bench, costFigure, type Figure, rateFigure } from './harness.ts';
import { findLoadTool, type HttpCall, type LoadTool } from './http-load.ts';
import { type CallSet, getCalls, NEARBY_LIMIT, nearbyCalls, type Operation } from './records/calls.ts';
import type { LoadOrder, LoadReport } from './records/load.ts';
import type { ServerMessage, ServerPorts } from './records/server.ts';

const AIRCRAFT = 20_000;
/** With more, the 99th percentile is the rebuild of the view each second: 30 ms at 20,000. */
const LATENCY_AIRCRAFT = 5000;
const CONNECTIONS = 32;
const WARM_UP_S = 4;
const RUN_S = 6;
const STEADY_RATE = 1000;
const STEADY_S = 10;

const PROTO = { 'content-type': 'application/proto' };
const JSON_TYPE = { 'content-type': 'application/json' };
const TOOL = { ...JSON_TYPE, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

interface Server extends ServerPorts {
  readonly child: ChildProcess;
}

async function startServer(kind: 'ours' | 'plain', aircraft: number): Promise<Server> {
  const child = start('./records/server.js', kind, String(aircraft));
  return { child, ...(await messageOf<ServerPorts>(child)) };
}

function start(program: string, ...words: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(program, import.meta.url)), words, { stdio: 'inherit', serialization: 'advanced' });
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([status]) => {
    throw new Error(`a process of the bench ended with status ${status}`);
  });
  exit.catch(() => {});
  const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit]);
  ended.abort();
  return message as Message;
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu');
  return (await messageOf<Extract<ServerMessage, { cpuS: number }>>(child)).cpuS;
}

/** Calls per CPU second of a server, warm. */
async function perCpuS(server: Server, run: (seconds: number) => Promise<number>): Promise<number> {
  await run(WARM_UP_S);
  const before = await cpuOf(server);
  const calls = await run(RUN_S);
  if (calls === 0) throw new Error(`no response in ${RUN_S} s`);
  return calls / ((await cpuOf(server)) - before);
}

async function report(load: ChildProcess, order: LoadOrder): Promise<LoadReport> {
  load.send(order);
  return messageOf<LoadReport>(load);
}

/** A way to make an operation's calls over HTTP/1.1. */
interface Way {
  readonly name: string;
  readonly what: string;
  readonly calls: (operation: Operation) => readonly HttpCall[];
  readonly headers: Readonly<Record<string, string>>;
}

const ways: readonly Way[] = [
  { name: 'connect', what: 'Connect, binary, by POST', calls: ({ connect }) => connect, headers: PROTO },
  { name: 'connect-url', what: 'Connect, binary, by GET', calls: ({ connectGet }) => connectGet, headers: {} },
  { name: 'connect-json', what: 'Connect, JSON, by POST', calls: ({ connectJson }) => connectJson, headers: JSON_TYPE },
  { name: 'rest', what: 'REST with all members', calls: ({ rest }) => rest, headers: {} },
  { name: 'tool', what: 'tools/call', calls: ({ tool }) => tool, headers: TOOL },
];

interface Servers {
  readonly ours: Server;
  readonly plain: Server;
  readonly load: ChildProcess;
  readonly tool: LoadTool;
}

async function withServers(aircraft: number, measure: (servers: Servers) => Promise<Figure[]>): Promise<Figure[]> {
  const servers = {
    ours: await startServer('ours', aircraft),
    plain: await startServer('plain', aircraft),
    load: start('./records/load.js'),
    tool: await findLoadTool(),
  };
  const figures = await measure(servers);
  for (const child of [servers.load, servers.ours.child, servers.plain.child]) await stop(child);
  return figures;
}

async function rates({ ours, plain, load, tool }: Servers, name: string, operation: Operation, what: string): Promise<Figure[]> {
  const overGrpc = (server: Server) =>
    perCpuS(server, async (seconds) => (await report(load, { port: server.grpc, seconds, grpc: operation.grpc })).calls);
  const reference = await overGrpc(plain);
  const input = (how: string): string =>
    `${how}: ${what} of ${AIRCRAFT} aircraft, view rebuilt every second, per CPU second of the server process, ${RUN_S} s; reference: @grpc/grpc-js and its loader over ready objects, no search, no rebuilds`;
  const figures = [
    rateFigure(`records-grpc-${name}`, 'calls/CPU-s', await overGrpc(ours), reference, input('gRPC, 64 calls at once on 4 connections')),
  ];
  for (const way of ways) {
    const calls = way.calls(operation);
    const run = async (seconds: number): Promise<number> =>
      (await tool.run({ port: ours.http, calls, headers: way.headers, connections: CONNECTIONS, seconds })).responses;
    const how = `${way.what}, ${CONNECTIONS} connections, ${tool.name}`;
    figures.push(rateFigure(`records-${way.name}-${name}`, 'calls/CPU-s', await perCpuS(ours, run), reference, input(how)));
  }
  return figures;
}

/** The 99th percentile at a steady rate. */
async function latencies({ ours, plain, load }: Servers, name: string, operation: Operation, what: string): Promise<Figure[]> {
  const p99 = async (order: Omit<LoadOrder, 'seconds' | 'rate'>): Promise<number> => {
    await report(load, { ...order, rate: STEADY_RATE, seconds: WARM_UP_S });
    const { latenciesMs } = await report(load, { ...order, rate: STEADY_RATE, seconds: STEADY_S });
    return latenciesMs.toSorted((a, b) => a - b)[Math.floor(0.99 * latenciesMs.length)]!;
  };
  const reference = await p99({ port: plain.grpc, grpc: operation.grpc });
  const input = (how: string): string =>
    `${how}: ${what} of ${LATENCY_AIRCRAFT} aircraft, view rebuilt every second, ${STEADY_RATE} calls a second for ${STEADY_S} s, from the moment a call was due; reference: @grpc/grpc-js over ready objects, no rebuilds`;
  const figures = [
    costFigure(`records-grpc-${name}-p99`, 'ms', await p99({ port: ours.grpc, grpc: operation.grpc }), reference, input('gRPC')),
  ];
  for (const way of ways) {
    const value = await p99({ port: ours.http, http: { calls: way.calls(operation), headers: way.headers } });
    figures.push(costFigure(`records-${way.name}-${name}-p99`, 'ms', value, reference, input(way.what)));
  }
  return figures;
}

const ONE = 'one aircraft';
const NEARBY = `the ${NEARBY_LIMIT} nearest of some 300 aircraft`;

type Measure = (servers: Servers, calls: CallSet) => Promise<Figure[]>;

function bench(name: string, summary: string, measure: Measure, aircraft = AIRCRAFT): Bench {
  return { name, summary, run: () => withServers(aircraft, (servers) => measure(servers, servers.ours.calls)) };
}

export const recordsGetBench = bench('records-get', 'one aircraft over every protocol', (servers, calls) =>
  rates(servers, 'get', getCalls(calls), ONE),
);

export const recordsNearbyBench = bench('records-nearby', `the ${NEARBY_LIMIT} nearest aircraft over every protocol`, (servers, calls) =>
  rates(servers, 'nearby', nearbyCalls(calls), NEARBY),
);

export const recordsLatencyBench = bench(
  'records-latency',
  `${STEADY_RATE} calls a second over every protocol`,
  // The server takes fewer calls a second for the nearest aircraft.
  (servers, calls) => latencies(servers, 'get', getCalls(calls), ONE),
  LATENCY_AIRCRAFT,
);
