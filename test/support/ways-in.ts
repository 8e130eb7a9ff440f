// The ways in of services of the cluster, alike: each asks once for a turn or for a socket, with the headers of a caller, and says whether it was given.
import { status as grpcStatus, Metadata } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import { EVENTS_PATH, SNAPSHOT_PATH } from '../../schemas/push.ts';
import type { ServiceProcess } from './cluster.ts';
import { RecordClient } from './grpc.ts';
import { until } from './until.ts';

export type CallerHeaders = Readonly<Record<string, string>>;

/** An open stream. */
export interface HeldStream {
  /** Why the service ended it: a close code, or a status of gRPC. Null for another end. */
  readonly ended: Promise<number | null>;
  end(): void;
}

/** False: it was refused because of a limit. Every other outcome is an error. */
export type AskTurn = (caller: CallerHeaders) => Promise<boolean>;
/** Null: it was refused because of a limit. */
export type AskSocket = (caller: CallerHeaders) => Promise<HeldStream | null>;

const WORLD = { case: 'box' as const, value: { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 } };
const TOOL_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'network_stats', arguments: {} } });
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Ways in of a query API, and what ends its clients. */
export function waysInto(api: ServiceProcess): { turns: AskTurn[]; watch: AskSocket; close: () => void } {
  const records = new RecordClient(/"grpc":"([^"]+)"/.exec(api.output())![1]!);
  const tool: AskTurn = async (caller) => {
    const response = await fetch(`${api.url}/mcp`, { method: 'POST', headers: { ...caller, ...JSON_HEADERS }, body: TOOL_CALL });
    const { result } = (await response.json()) as { result?: { _meta: { code?: string; retry_after?: number } } };
    const { code = null, retry_after: retryAfterS = 0 } = result?._meta ?? {};
    return isGiven('/mcp', retryAfterS > 0 ? code : response.status, 200, 'rate');
  };
  const grpc: AskTurn = (caller) =>
    records.stats({}, metadataOf(caller)).then(
      () => true,
      ({ code }: { code: number }) => isGiven('gRPC', code, null, grpcStatus.RESOURCE_EXHAUSTED),
    );
  const watch: AskSocket = async (caller) => {
    const stream = records.watch(WORLD, {}, metadataOf(caller));
    const ended = new Promise<number>((resolve) => stream.call.once('status', ({ code }) => resolve(code)));
    await until(() => stream.messages.length > 0 || stream.failure !== null, 'a state or a refusal');
    if (!isGiven('WatchAircraft', stream.failure?.code ?? null, null, grpcStatus.RESOURCE_EXHAUSTED)) return null;
    return { ended, end: () => stream.call.cancel() };
  };
  return {
    turns: [
      over(`${api.url}/v2/all`),
      over(`${api.url}/compat/v2/mil`),
      over(`${api.url}/data/aircraft.json`),
      over(`${api.url}/v1.AircraftService/NetworkStats`, '{}'),
      grpc,
      tool,
    ],
    watch,
    close: () => records.close(),
  };
}

/** The last state, from a push service. */
export const snapshotFrom = (address: string): AskTurn => over(`http://${address}${SNAPSHOT_PATH}`);

/** Events, from a push service or through a query API that hands connections over. */
export const eventsFrom =
  (address: string): AskSocket =>
  async (caller) => {
    const ending = new AbortController();
    const response = await fetch(`http://${address}${EVENTS_PATH}`, { headers: caller, signal: ending.signal });
    if (!isGiven(EVENTS_PATH, response.status, 200, 429)) return null;
    return { ended: response.text().then(noReason, noReason), end: () => ending.abort() };
  };

/** A WebSocket of a push service. */
export const webSocketTo =
  (address: string): AskSocket =>
  async (caller) => {
    const socket = new WebSocket(`ws://${address}/ws/`, { headers: caller });
    const ended = new Promise<number>((resolve) => socket.once('close', resolve));
    const status = await new Promise<number | undefined>((resolve, reject) => {
      socket.once('open', () => resolve(101));
      socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      socket.on('error', reject);
    });
    return isGiven('/ws/', status, 101, 429) ? { ended, end: () => socket.terminate() } : null;
  };

function over(url: string, body: string | null = null): AskTurn {
  const more = body === null ? {} : { method: 'POST', body };
  return async (caller) => {
    const response = await fetch(url, { headers: body === null ? caller : { ...caller, ...JSON_HEADERS }, ...more });
    await response.arrayBuffer();
    return isGiven(url, response.status, 200, 429);
  };
}

function isGiven(what: string, outcome: unknown, given: unknown, refused: unknown): boolean {
  if (outcome !== given && outcome !== refused) throw new Error(`${what}: ${String(outcome)}`);
  return outcome === given;
}

function metadataOf(headers: CallerHeaders): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

const noReason = (): null => null;
