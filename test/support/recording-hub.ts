// A real push hub over a simulated world, with a transport that only records what each socket is sent.
import { pino } from 'pino';
import { Hub, type HubOptions } from '../../push/hub/hub.ts';
import type { Frame, Opening, Refusal, SocketId, Transport } from '../../push/transport/transport.ts';
import { type CallerAccess, unlimitedAccess } from '../../query-api/access/access.ts';
import { problem } from '../../query-api/http/errors/problems.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { testModel } from './live-view.ts';
import type { World } from './world.ts';

/** A hub over a view, of a process of its own. */
export const hubOf = ({ view }: Pick<World, 'view'>, parts: Partial<ReadModel>, options: Partial<HubOptions>): Hub =>
  new Hub({
    model: testModel(view, parts),
    ...{ access: unlimitedAccess, epoch: 'e', tickMs: 1000, pageTickMs: 1000, pageEgress: Number.POSITIVE_INFINITY },
    logger: pino({ level: 'silent' }),
    refusal: (error, path) => problem(error, path, 'test'),
    ...options,
  });

/** What became of a socket. */
interface RecordedSocket {
  /** The accepted one; undefined before, and for a refused request. */
  readonly protocol?: string | null;
  readonly refusal?: Refusal;
  readonly response?: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array };
  readonly end?: readonly [code: number, reason: string];
  readonly frames: Frame[];
  readonly channels: Set<number>;
}

export class RecordingHub {
  readonly world: World;
  readonly hub: Hub;
  /** Called when a socket has sent all. */
  onDrained = (socket: SocketId): void => this.hub.drained(socket);
  private readonly sockets = new Map<SocketId, RecordedSocket>();
  private count = 0;

  constructor(world: World, parts: Partial<ReadModel> = {}, access: CallerAccess = unlimitedAccess, options: Partial<HubOptions> = {}) {
    this.world = world;
    this.hub = hubOf(world, parts, { access, ...options });
    this.hub.attach(this.transport());
  }

  /** Delivers in the order of its calls, as a real transport does. */
  private transport(): Transport {
    const socketOf = (socket: SocketId) => this.socketOf(socket);
    return {
      ...{ name: 'recording', port: 0 },
      accept: (socket, protocol) => void Object.assign(socketOf(socket), { protocol }),
      refuse: (socket, refusal) => void Object.assign(socketOf(socket), { refusal }),
      respond: (socket, headers, body) => void Object.assign(socketOf(socket), { response: { headers, body } }),
      join: (socket, channel) => void socketOf(socket).channels.add(channel),
      leave: (socket, channel) => void socketOf(socket).channels.delete(channel),
      send: (socket, frame) => void socketOf(socket).frames.push(frame),
      drain: (socket) => queueMicrotask(() => this.onDrained(socket)),
      publish: async (sent) => {
        for (const frame of sent)
          for (const { channels, frames } of this.sockets.values()) if (channels.has(frame.channel)) frames.push(frame);
      },
      end: (socket, ...end) => void Object.assign(socketOf(socket), { end }),
      sentBytes: (socket) => socketOf(socket).frames.reduce((sum, { bytes }) => sum + bytes.length, 0),
      stats: () => ({ sockets: 0, queuedBytes: 0, openings: 0, framesSent: 0, bytesSent: 0, framesSkipped: 0, ended: {}, refused: {} }),
      close: async () => {},
    };
  }

  async open(url: string, more: Partial<Opening> = {}): Promise<SocketId> {
    this.count += 1;
    this.hub.opening({ socket: this.count, kind: 'websocket', address: '192.0.2.1', url, headers: {}, protocols: [], ...more });
    await this.settle();
    return this.count;
  }

  async receive(socket: SocketId, message: unknown): Promise<void> {
    this.hub.message(socket, typeof message === 'string' ? message : JSON.stringify(message));
    await this.settle();
  }

  /** The client reads too slowly, then has read all. */
  async stall(socket: SocketId): Promise<void> {
    // The transport takes a slow socket out of its channels.
    this.socketOf(socket).channels.clear();
    this.hub.behind(socket);
    this.hub.drained(socket);
    await this.settle();
  }

  async tick(ms = 1000): Promise<void> {
    this.world.view.clockMs = this.world.nowMs + ms;
    this.world.tick(ms);
    await this.settle();
  }

  socketOf(socket: SocketId): RecordedSocket {
    const known = this.sockets.get(socket) ?? { frames: [], channels: new Set() };
    this.sockets.set(socket, known);
    return known;
  }

  frames(socket: SocketId): readonly Frame[] {
    return this.socketOf(socket).frames;
  }

  /** Texts that a socket was sent. */
  texts(socket: SocketId): readonly string[] {
    return this.frames(socket)
      .filter(({ isBinary }) => !isBinary)
      .map(({ bytes }) => Buffer.from(bytes).toString());
  }

  /** How the hub closed a socket; null while it is open. */
  end(socket: SocketId): readonly [code: number, reason: string] | null {
    return this.socketOf(socket).end ?? null;
  }

  refusal(socket: SocketId): Refusal | null {
    return this.socketOf(socket).refusal ?? null;
  }

  close(): void {
    this.hub.close();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
