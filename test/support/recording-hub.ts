// A real push hub over a simulated world, with a transport that only records what each socket is sent.
import { pino } from 'pino';
import { Hub, type HubOptions } from '../../push/hub/hub.ts';
import type { Frame, FrameForChannel, Opening, Refusal, SocketId, Transport, TransportStats } from '../../push/transport/transport.ts';
import { type CallerAccess, unlimitedAccess } from '../../query-api/access/access.ts';
import { problem } from '../../query-api/http/errors/problems.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { testModel } from './live-view.ts';
import type { World } from './world.ts';

/** Delivers in the order of its calls, as a real transport does. */
class RecordingTransport implements Transport {
  readonly name = 'recording';
  /** Its hub. */
  onDrained: (socket: SocketId) => void = () => {};
  readonly port = 0;
  readonly protocols = new Map<SocketId, string | null>();
  readonly refusals = new Map<SocketId, Refusal>();
  readonly responses = new Map<SocketId, { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }>();
  readonly texts = new Map<SocketId, string[]>();
  readonly binaries: Uint8Array[] = [];
  /** All frames, in order. */
  readonly frames = new Map<SocketId, Frame[]>();
  readonly ends = new Map<SocketId, [code: number, reason: string]>();
  private readonly channels = new Map<SocketId, Set<number>>();

  accept(socket: SocketId, protocol: string | null): void {
    this.protocols.set(socket, protocol);
    this.texts.set(socket, []);
    this.frames.set(socket, []);
    this.channels.set(socket, new Set());
  }
  refuse(socket: SocketId, refusal: Refusal): void {
    this.refusals.set(socket, refusal);
  }
  respond(socket: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    this.responses.set(socket, { headers, body });
  }
  join(socket: SocketId, channel: number): void {
    this.channels.get(socket)!.add(channel);
  }
  leave(socket: SocketId, channel: number): void {
    this.channels.get(socket)!.delete(channel);
  }
  send(socket: SocketId, frame: Frame): void {
    const { bytes, isBinary } = frame;
    this.frames.get(socket)!.push(frame);
    if (isBinary) this.binaries.push(bytes);
    else this.texts.get(socket)!.push(Buffer.from(bytes).toString());
  }
  drain(socket: SocketId): void {
    queueMicrotask(() => this.onDrained(socket));
  }
  async publish(frames: readonly FrameForChannel[]): Promise<void> {
    for (const frame of frames) for (const [socket, channels] of this.channels) if (channels.has(frame.channel)) this.send(socket, frame);
  }
  end(socket: SocketId, code: number, reason: string): void {
    this.ends.set(socket, [code, reason]);
  }
  sentBytes(socket: SocketId): number {
    return this.frames.get(socket)?.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
  }
  stats(): TransportStats {
    return { sockets: 0, queuedBytes: 0, openings: 0, framesSent: 0, bytesSent: 0, framesSkipped: 0, ended: {}, refused: {} };
  }
  async close(): Promise<void> {}

  /** The transport takes a slow socket out of its channels. */
  fallBehind(socket: SocketId): void {
    this.channels.get(socket)!.clear();
  }
}

export class RecordingHub {
  readonly world: World;
  readonly hub: Hub;
  readonly transport = new RecordingTransport();
  private count = 0;

  constructor(world: World, parts: Partial<ReadModel> = {}, access: CallerAccess = unlimitedAccess, options: Partial<HubOptions> = {}) {
    this.world = world;
    this.hub = new Hub({
      model: testModel(world.view, parts),
      access,
      ...{ tickMs: 1000, pageTickMs: 1000, pageEgress: Number.POSITIVE_INFINITY },
      epoch: 'e',
      logger: pino({ level: 'silent' }),
      refusal: (error, path) => problem(error, path, 'test'),
      ...options,
    });
    this.hub.attach(this.transport);
    this.transport.onDrained = (socket) => this.hub.drained(socket);
  }

  async open(url: string, more: Partial<Opening> = {}): Promise<SocketId> {
    this.count += 1;
    this.hub.opening({ socket: this.count, kind: 'websocket', address: '192.0.2.1', url, headers: {}, protocols: [], ...more });
    await this.settle();
    return this.count;
  }

  async say(socket: SocketId, message: unknown): Promise<void> {
    this.hub.message(socket, typeof message === 'string' ? message : JSON.stringify(message));
    await this.settle();
  }

  /** The client reads too slowly, then has read all. */
  async stall(socket: SocketId): Promise<void> {
    this.transport.fallBehind(socket);
    this.hub.behind(socket);
    this.hub.drained(socket);
    await this.settle();
  }

  async tick(ms = 1000): Promise<void> {
    this.world.view.clockMs = this.world.nowMs + ms;
    this.world.tick(ms);
    await this.settle();
  }

  frames(socket: SocketId): readonly Frame[] {
    return this.transport.frames.get(socket)!;
  }

  /** Texts that a socket was sent. */
  texts(socket: SocketId): readonly string[] {
    return this.transport.texts.get(socket)!;
  }

  /** How the hub closed a socket; null while it is open. */
  end(socket: SocketId): readonly [code: number, reason: string] | null {
    return this.transport.ends.get(socket) ?? null;
  }

  refusal(socket: SocketId): Refusal | null {
    return this.transport.refusals.get(socket) ?? null;
  }

  close(): void {
    this.hub.close();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
