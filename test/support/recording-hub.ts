// A real push hub over a simulated world, with a transport that only records what each socket is sent.
import { pino } from 'pino';
import { Hub } from '../../push/hub/hub.ts';
import type { Frame, FrameForChannel, Opening, Refusal, SocketId, Transport } from '../../push/transport/transport.ts';
import { identifyByAddress } from '../../query-api/access/caller.ts';
import { problem } from '../../query-api/http/problems.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { testModel } from './live-view.ts';
import type { World } from './world.ts';

interface Socket {
  readonly sent: Frame[];
  readonly channels: Set<number>;
  refusal: Refusal | null;
  end: readonly [code: number, reason: string] | null;
}

export class RecordingHub {
  readonly world: World;
  readonly hub: Hub;
  readonly sockets = new Map<SocketId, Socket>();
  private count = 0;

  constructor(world: World, parts: Partial<ReadModel> = {}) {
    this.world = world;
    this.hub = new Hub({
      model: testModel(world.view, parts),
      identify: identifyByAddress,
      tickMs: 1000,
      epoch: 'e',
      logger: pino({ level: 'silent' }),
      refusal: (error, path) => problem(error, path, 'test'),
    });
    this.hub.attach(this.transport() as Transport);
  }

  async open(url: string, more: Partial<Opening> = {}): Promise<SocketId> {
    this.count += 1;
    this.sockets.set(this.count, { sent: [], channels: new Set(), refusal: null, end: null });
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
    this.of(socket).channels.clear();
    this.hub.behind(socket);
    this.hub.drained(socket);
    await this.settle();
  }

  async tick(ms = 1000): Promise<void> {
    this.world.view.clockMs = this.world.nowMs + ms;
    this.world.tick(ms);
    await this.settle();
  }

  of(socket: SocketId): Socket {
    return this.sockets.get(socket)!;
  }

  /** Texts that a socket was sent. */
  texts(socket: SocketId): string[] {
    return this.of(socket)
      .sent.filter(({ isBinary }) => !isBinary)
      .map(({ bytes }) => Buffer.from(bytes).toString());
  }

  close(): void {
    this.hub.close();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  private transport(): Partial<Transport> {
    return {
      accept() {},
      refuse: (socket, refusal) => {
        this.of(socket).refusal = refusal;
      },
      join: (socket, channel) => this.of(socket).channels.add(channel),
      leave: (socket, channel) => this.of(socket).channels.delete(channel),
      send: (socket, frame) => this.of(socket).sent.push(frame),
      publish: (frames: readonly FrameForChannel[]) => {
        for (const frame of frames)
          for (const { channels, sent } of this.sockets.values()) if (channels.has(frame.channel)) sent.push(frame);
      },
      end: (socket, code, reason) => {
        this.of(socket).end = [code, reason];
      },
    };
  }
}
