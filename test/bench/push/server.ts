// The server side of the push benchmarks, forked. It ticks when it is told to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { openCompressors } from '../../../pipeline/view/compress.ts';
import { EncodedBodies } from '../../../pipeline/view/encodings.ts';
import { keyHex } from '../../../pipeline/view/hex-key.ts';
import { MeasuredReceivers } from '../../../pipeline/view/measured-receivers.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { SnapshotListeners } from '../../../pipeline/view/snapshot-listeners.ts';
import { Hub } from '../../../push/hub/hub.ts';
import { openTransport, type TransportPreference } from '../../../push/transport/open-transport.ts';
import type { FrameForChannel, Transport, TransportEvents } from '../../../push/transport/transport.ts';
import { unlimitedAccess } from '../../../query-api/access/access.ts';
import { readModel } from '../../../query-api/queries/read-model.ts';
import { PlainBroadcast, type PlainMode, type WorldDelta } from '../reference/plain-broadcast.ts';
import { cpuSeconds, monotonicMs } from './clock.ts';
import { SimulatedSky } from './sky.ts';

export type ServerKind =
  /** The hub and its transport. */
  | { readonly kind: 'hub'; readonly prefer: TransportPreference; readonly aircraft: number }
  /** The transport alone, with text frames of this size. */
  | { readonly kind: 'transport'; readonly prefer: TransportPreference; readonly frameBytes: number }
  /** The hub's deltas of the world, sent by something else. `centrifuge`: by this program. */
  | { readonly kind: 'plain'; readonly mode: PlainMode; readonly aircraft: number }
  | { readonly kind: 'centrifuge'; readonly program: string; readonly aircraft: number };

export type ServerOrder = { readonly type: 'tick' } | { readonly type: 'usage' };

export interface LocatedPoint {
  readonly hex: string;
  readonly flight: string | null;
  readonly latDeg: number;
  readonly lonDeg: number;
}

export type ServerReport =
  | { readonly type: 'ready'; readonly port: number; readonly pid: number; readonly name: string; readonly points: readonly LocatedPoint[] }
  /** `hubMs` until all deltas were written. Before the start the CPU time was `cpuS`. */
  | {
      readonly type: 'ticked';
      readonly seq: number;
      readonly startMs: number;
      readonly hubMs: number;
      readonly cpuS: number;
      readonly bytes: number;
    }
  | { readonly type: 'usage'; readonly cpuS: number };

interface Server {
  readonly port: number;
  readonly pid: number;
  readonly name: string;
  readonly points: readonly LocatedPoint[];
  tick(): Promise<{ seq: number; startMs: number; hubMs: number; cpuS: number; bytes: number }>;
  cpuS(): number | Promise<number>;
  close(): unknown;
}

const TICK_MS = 1000;
const SOCKETS_MAX = 16_000;

/** The hub over simulated traffic. */
class SkyHub {
  readonly sky: SimulatedSky;
  readonly hub: Hub;
  private readonly listeners = new SnapshotListeners();

  constructor(aircraft: number) {
    this.sky = new SimulatedSky(aircraft);
    this.sky.next();
    const compressors = openCompressors();
    const view = {
      current: () => this.sky.builder.current,
      onSnapshot: (listener: Parameters<SnapshotListeners['add']>[0]) => this.listeners.add(listener),
      isKnown: () => false,
      isReady: () => true,
      receivers: new MeasuredReceivers(),
      bodies: new EncodedBodies(compressors, () => this.sky.nowMs),
      compressors,
    };
    this.hub = new Hub({
      model: readModel({ view, clock: () => this.sky.nowMs }),
      access: unlimitedAccess,
      ...{ tickMs: TICK_MS, pageTickMs: TICK_MS, pageEgress: Number.POSITIVE_INFINITY },
      epoch: 'bench',
      logger: pino({ level: 'silent' }),
      refusal: (error) => ({ status: 400, headers: {}, body: error.message }),
    });
  }

  points(): LocatedPoint[] {
    const { listing } = this.sky.builder.current!;
    const located = Array.from({ length: listing.count }, (_, i) => i).filter((i) => listing.hasPosition(i));
    return located.map((i) => ({
      hex: keyHex(listing.columns.key[i]!),
      flight: listing.flights[i] ?? null,
      latDeg: listing.latitudesMicrodeg[i]! / 1e6,
      lonDeg: listing.longitudesMicrodeg[i]! / 1e6,
    }));
  }

  /** Publishes the deltas of the next second. The snapshot is ready before the time starts. */
  async tick(): Promise<{ seq: number; startMs: number; hubMs: number; cpuS: number }> {
    const previous = this.sky.builder.current;
    previous?.retain();
    const snapshot: Snapshot = this.sky.next();
    const [cpuS, startMs] = [cpuSeconds(), monotonicMs()];
    this.listeners.notify(snapshot, previous);
    const { normal } = this.hub.classes;
    await normal.settled();
    previous?.release();
    return { seq: normal.seq, startMs, hubMs: normal.stats.lastTickMs, cpuS };
  }
}

async function hubServer(prefer: TransportPreference, aircraft: number): Promise<Server> {
  const { hub, ...sky } = withPoints(new SkyHub(aircraft));
  const events: TransportEvents = {
    opening: (opening) => hub.opening(opening),
    message: (socket, text) => hub.message(socket, text),
    behind: (socket) => hub.behind(socket),
    drained: (socket) => hub.drained(socket),
    closed: (socket) => hub.closed(socket),
  };
  const transport = await open(prefer, events);
  let sent = 0;
  hub.attach({
    ...transport,
    publish(frames) {
      sent = frames.reduce((sum, { bytes }) => sum + bytes.length, sent);
      return transport.publish(frames);
    },
  });
  return {
    ...{ port: transport.port, pid: process.pid, name: transport.name, points: sky.points },
    async tick() {
      sent = 0;
      const ticked = await sky.tick();
      return { ...ticked, bytes: sent };
    },
    cpuS: cpuSeconds,
    close: () => transport.close(),
  };
}

function withPoints(sky: SkyHub) {
  return { hub: sky.hub, points: sky.points(), tick: () => sky.tick() };
}

async function open(prefer: TransportPreference, events: TransportEvents): Promise<Transport> {
  const options = { host: '127.0.0.1', port: 0, flag: '--push', socketsMax: SOCKETS_MAX, hop: null, prefer };
  return (await openTransport(options, events)).transport;
}

async function transportServer(prefer: TransportPreference, frameBytes: number): Promise<Server> {
  const transport = await open(prefer, {
    opening({ socket }) {
      transport.accept(socket, null);
      transport.join(socket, 1);
    },
    ...{ message: () => {}, behind: () => {}, drained: () => {}, closed: () => {} },
  });
  const padding = 'x'.repeat(frameBytes);
  let seq = 0;
  return {
    ...{ port: transport.port, pid: process.pid, name: transport.name, points: [] },
    async tick() {
      seq += 1;
      const text = `{"type":"delta","seq":${seq},"x":"${padding}`;
      const bytes = Buffer.from(`${text.slice(0, frameBytes - 2)}"}`);
      const [cpuS, startMs] = [cpuSeconds(), monotonicMs()];
      await transport.publish([{ channel: 1, bytes, isBinary: false }]);
      return { seq, startMs, hubMs: monotonicMs() - startMs, cpuS, bytes: bytes.length };
    },
    cpuS: cpuSeconds,
    close: () => transport.close(),
  };
}

/** The hub's frames for one subscriber of the world, with a transport that only records. */
class RecordedWorld {
  private readonly sky: SkyHub;
  private text = '';

  constructor(aircraft: number) {
    this.sky = new SkyHub(aircraft);
    const nothing = (): void => {};
    const transport: Transport = {
      ...{
        name: '',
        port: 0,
        accept: nothing,
        refuse: nothing,
        join: nothing,
        drain: nothing,
        leave: nothing,
        send: nothing,
        end: nothing,
        respond: nothing,
        sentBytes: () => 0,
      },
      publish: async (frames: readonly FrameForChannel[]) => {
        this.text = Buffer.from(frames[0]!.bytes).toString();
      },
      stats: () => {
        throw new Error('not counted');
      },
      close: async () => {},
    };
    this.sky.hub.attach(transport);
    this.sky.hub.opening({ socket: 1, kind: 'websocket', address: '127.0.0.1', url: '/ws/', headers: {}, protocols: [] });
  }

  async next(): Promise<{ readonly seq: number; readonly text: string }> {
    const { seq } = await this.sky.tick();
    return { seq, text: this.text };
  }

  points(): LocatedPoint[] {
    return this.sky.points();
  }
}

async function plainServer(mode: PlainMode, aircraft: number): Promise<Server> {
  const world = new RecordedWorld(aircraft);
  const server = await PlainBroadcast.open(mode);
  return {
    ...{ port: server.port, pid: process.pid, name: server.name, points: world.points() },
    async tick() {
      const { seq, text } = await world.next();
      const delta = JSON.parse(text) as WorldDelta;
      const [cpuS, startMs] = [cpuSeconds(), monotonicMs()];
      server.broadcast(delta);
      return { seq, startMs, hubMs: monotonicMs() - startMs, cpuS, bytes: text.length };
    },
    cpuS: cpuSeconds,
    close: () => {},
  };
}

async function centrifugeServer(program: string, aircraft: number): Promise<Server> {
  const world = new RecordedWorld(aircraft);
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = `http://127.0.0.1:${line}`;
  const cpuS = async (): Promise<number> => ((await (await fetch(`${url}/stats`)).json()) as { cpuS: number }).cpuS;
  return {
    ...{ port: Number(line), pid: child.pid!, name: 'centrifuge', points: [] },
    async tick() {
      const { seq, text } = await world.next();
      const before = await cpuS();
      const startMs = monotonicMs();
      await (await fetch(`${url}/publish`, { method: 'POST', body: text })).text();
      return { seq, startMs, hubMs: monotonicMs() - startMs, cpuS: before, bytes: text.length };
    },
    cpuS,
    close: () => child.kill(),
  };
}

function openServer(kind: ServerKind): Promise<Server> {
  switch (kind.kind) {
    case 'hub':
      return hubServer(kind.prefer, kind.aircraft);
    case 'transport':
      return transportServer(kind.prefer, kind.frameBytes);
    case 'plain':
      return plainServer(kind.mode, kind.aircraft);
    case 'centrifuge':
      return centrifugeServer(kind.program, kind.aircraft);
  }
}

const server = await openServer(JSON.parse(process.argv[2]!) as ServerKind);
const say = (report: ServerReport): boolean => process.send!(report);
process.on('message', (order: ServerOrder) => {
  void (async () => {
    if (order.type === 'tick') say({ type: 'ticked', ...(await server.tick()) });
    else say({ type: 'usage', cpuS: await server.cpuS() });
  })();
});
process.on('disconnect', () => void Promise.resolve(server.close()).then(() => process.exit()));
const { port, pid, name, points } = server;
say({ type: 'ready', port, pid, name, points });
