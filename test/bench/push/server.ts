// The server side of the push benchmarks, forked: the hub and its transport over simulated traffic, or a bare server that writes one ready frame to all
// sockets. It ticks when it is ordered to.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { openTransport, type TransportPreference } from '../../../push/transport/open-transport.ts';
import { hubOf } from '../../support/recording-hub.ts';
import { cpuSeconds, monotonicMs } from './clock.ts';
import { simulatedSky } from './sky.ts';

export type ServerKind =
  | { readonly kind: 'hub'; readonly prefer: TransportPreference; readonly aircraft: number }
  /** Binary frames of this size. */
  | { readonly kind: 'bare'; readonly frameBytes: number };

export type ServerOrder = { readonly type: 'tick' } | { readonly type: 'usage' };

export interface LocatedPoint {
  readonly hex: string;
  readonly flight: string | null;
  readonly latDeg: number;
  readonly lonDeg: number;
}

/** A tick: `hubMs` until all deltas were written; before the start the CPU time was `cpuS`. */
interface Ticked {
  readonly seq: number;
  readonly startMs: number;
  readonly hubMs: number;
  readonly cpuS: number;
}

export type ServerReport =
  | { readonly type: 'ready'; readonly port: number; readonly pid: number; readonly points: readonly LocatedPoint[] }
  | ({ readonly type: 'ticked' } & Ticked)
  | { readonly type: 'usage'; readonly cpuS: number };

interface Server {
  readonly port: number;
  readonly points: readonly LocatedPoint[];
  tick(): Promise<Ticked>;
}

const SOCKETS_MAX = 16_000;
const HOST = '127.0.0.1';

async function hubServer(prefer: TransportPreference, aircraft: number): Promise<Server> {
  const sky = await simulatedSky(aircraft);
  const { listing } = sky.next();
  // The first listener: the snapshot is ready when the time starts.
  let [cpuS, startMs] = [0, 0];
  sky.view.onSnapshot(() => {
    [cpuS, startMs] = [cpuSeconds(), monotonicMs()];
  });
  const hub = hubOf(sky, { steadyMs: () => performance.now() }, { epoch: 'bench' });
  const { transport } = await openTransport({ host: HOST, port: 0, flag: '--push', socketsMax: SOCKETS_MAX, hop: null, prefer }, hub);
  hub.attach(transport);
  const located = Array.from({ length: listing.count }, (_, i) => i).filter((i) => listing.hasPosition(i));
  const points = located.map((i) => ({
    hex: keyHex(listing.columns.key[i]!),
    flight: listing.flights[i] ?? null,
    latDeg: listing.latitudesMicrodeg[i]! / 1e6,
    lonDeg: listing.longitudesMicrodeg[i]! / 1e6,
  }));
  return {
    ...{ port: transport.port, points },
    /** Publishes the deltas of the next second. */
    async tick() {
      sky.next();
      const { normal } = hub.classes;
      await normal.settled();
      return { seq: normal.seq, startMs, hubMs: normal.stats.lastTickMs, cpuS };
    },
  };
}

/** The head of a binary WebSocket frame of up to 64 KB, and a payload that the readers take for delta `seq`. */
function readyFrame(bytes: number, seq: number): Buffer {
  const frame = Buffer.alloc(4 + bytes, 'x');
  frame.set([0x82, 126, bytes >> 8, bytes & 0xff]);
  frame[6] = 1;
  frame.writeUInt32LE(seq, 8);
  return frame;
}

async function bareServer(frameBytes: number): Promise<Server> {
  const sockets: Socket[] = [];
  const server = createServer();
  server.on('upgrade', (_, socket: Socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.on('error', () => {}).resume();
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  let seq = 0;
  return {
    ...{ port: (server.address() as AddressInfo).port, points: [] },
    async tick() {
      seq += 1;
      const frame = readyFrame(frameBytes, seq);
      const [cpuS, startMs] = [cpuSeconds(), monotonicMs()];
      for (const socket of sockets) socket.write(frame);
      return { seq, startMs, hubMs: monotonicMs() - startMs, cpuS };
    },
  };
}

const kind = JSON.parse(process.argv[2]!) as ServerKind;
const server = kind.kind === 'hub' ? await hubServer(kind.prefer, kind.aircraft) : await bareServer(kind.frameBytes);
const report = (what: ServerReport): boolean => process.send!(what);
process.on('message', (order: ServerOrder) => {
  if (order.type === 'tick') void server.tick().then((ticked) => report({ type: 'ticked', ...ticked }));
  else report({ type: 'usage', cpuS: cpuSeconds() });
});
process.on('disconnect', () => process.exit());
report({ type: 'ready', port: server.port, pid: process.pid, points: server.points });
