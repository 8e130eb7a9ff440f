// Record calls per CPU second of the server over every protocol, beside a bare Node server that sends as many ready bytes as a small list.
import { type CallSet, getCalls, NEARBY_LIMIT, nearbyCalls, type Operation } from './calls.ts';
import { type Bench, type Figure, rateFigure } from './harness.ts';
import { type HttpCall, runGrpc, runHttp } from './load.ts';
import { withServers } from './measured-server.ts';

const AIRCRAFT = 20_000;
const CONNECTIONS = 32;
/** About one aircraft. */
const BARE_PATH = '/700';

const PROTO = { 'content-type': 'application/proto' };
const JSON_TYPE = { 'content-type': 'application/json' };
const TOOL = { ...JSON_TYPE, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

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
  { name: 'rest', what: 'REST with all members', calls: ({ overRest }) => overRest, headers: {} },
  { name: 'tool', what: 'tools/call', calls: ({ tool }) => tool, headers: TOOL },
];

function recordsBench(name: string, what: string, callsOf: (calls: CallSet) => Operation): Bench {
  return {
    name: `records-${name}`,
    summary: `${what} over every protocol`,
    run: () =>
      withServers(AIRCRAFT, async (ours, bare) => {
        const operation = callsOf(ours.ports.calls!);
        const over = (port: number, calls: readonly HttpCall[], headers: Way['headers']) => (seconds: number) =>
          runHttp({ port, calls, headers, connections: CONNECTIONS, seconds });
        const plain = await bare.measure(over(bare.ports.http, [{ path: BARE_PATH }], {}));
        const reference = { value: plain, what: `${BARE_PATH.slice(1)} ready bytes from a bare Node server` };
        const figure = (protocol: string, how: string, perCpuS: number): Figure =>
          rateFigure(
            `records-${protocol}-${name}`,
            'calls/CPU-s',
            perCpuS,
            `${how}: ${what} of ${AIRCRAFT} aircraft, view rebuilt every second; CPU time of the server's process`,
            reference,
          );
        const overGrpc = await ours.measure((seconds) => runGrpc(ours.ports.grpc, operation.grpc, seconds));
        const figures = [figure('grpc', 'gRPC, 64 calls at once on 4 connections', overGrpc)];
        for (const way of ways) {
          const perCpuS = await ours.measure(over(ours.ports.http, way.calls(operation), way.headers));
          figures.push(figure(way.name, `${way.what}, ${CONNECTIONS} connections`, perCpuS));
        }
        return figures;
      }),
  };
}

export const recordsGetBench = recordsBench('get', 'one aircraft', getCalls);
export const recordsNearbyBench = recordsBench('nearby', `the ${NEARBY_LIMIT} nearest of some 300 aircraft`, nearbyCalls);
