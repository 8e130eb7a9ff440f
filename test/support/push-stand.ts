// A push hub over a simulated world behind real sockets. The test decides when it ticks, loses frames, ends connections and starts again.
import type { Hub } from '../../push/hub/hub.ts';
import type { SocketId, Transport } from '../../push/transport/transport.ts';
import { openWsTransport } from '../../push/transport/ws-transport.ts';
import { hubOf } from './recording-hub.ts';
import { StreamClient } from './stream-client.ts';
import { World } from './world.ts';

const TICK_MS = 10_000;
const AGES = ['seen', 'seen_pos', 'lastPosition'];

export class PushStand {
  readonly world: World;
  /** HOST:PORT. */
  address = '127.0.0.1:0';
  /** Fulls that clients were sent, over sockets and HTTP. */
  fulls = 0;
  /** The next tick's frames get lost. */
  losesNext = false;
  private readonly sockets = new Set<SocketId>();
  private hub!: Hub;
  private transport!: Transport;
  private starts = 0;

  private constructor(world: World) {
    this.world = world;
  }

  static async open(): Promise<PushStand> {
    const world = await World.create();
    for (let n = 0; n < 12; n += 1) world.do({ kind: 'state', n, empty: false });
    const stand = new PushStand(world);
    world.tick();
    await stand.start();
    return stand;
  }

  get openSockets(): number {
    return this.sockets.size;
  }

  /** A tick with other values of most aircraft; one comes or goes. */
  tick(): void {
    const { world } = this;
    const count = Math.floor(world.nowMs / TICK_MS);
    for (let n = 0; n < 12; n += 1) {
      world.do({ kind: 'state', n, empty: (n + count) % 5 === 0 });
      if (n % 3 === 0) world.do({ kind: 'field', n, name: 'groundSpeedDeciKt', value: count % 2 === 0 ? null : 4000 + n });
    }
    world.do({ kind: 'remove', n: count % 12 });
    world.nowMs += TICK_MS;
    world.view.clockMs = world.nowMs;
    world.tick();
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.sockets) this.transport.end(socket, 1001, 'cut');
  }

  /** A new process in its place: it knows no streams. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.transport.close();
    this.hub.close();
    this.sockets.clear();
  }

  /** A new client is sent these: aircraft by hex, without their ages. */
  async truth(query: string): Promise<Record<string, object>> {
    const client = new StreamClient('plain', () => [this.address], Object.fromEntries(new URLSearchParams(query)));
    await client.untilFull();
    this.fulls -= 1;
    const { aircraft } = client.state!;
    client.close();
    return withoutAges(aircraft.values());
  }

  private async start(): Promise<void> {
    this.starts += 1;
    const { world, sockets } = this;
    const hub = hubOf(world, {}, { tickMs: TICK_MS, pageTickMs: TICK_MS, epoch: `e${this.starts}` });
    const transport = await openWsTransport(
      { host: '127.0.0.1', port: Number(this.address.split(':')[1]), flag: '--push', socketsMax: 100, hop: null },
      {
        opening: (opening) => {
          sockets.add(opening.socket);
          hub.opening(opening);
        },
        ...{ message: hub.message.bind(hub), behind: hub.behind.bind(hub), drained: hub.drained.bind(hub) },
        closed: (socket) => {
          sockets.delete(socket);
          hub.closed(socket);
        },
      },
    );
    hub.attach(this.counted(transport));
    this.hub = hub;
    this.transport = transport;
    this.address = `127.0.0.1:${transport.port}`;
  }

  private counted(transport: Transport): Transport {
    const plain = Object.fromEntries(
      (['send', 'respond', 'publish'] as const).map((name) => [name, transport[name].bind(transport)]),
    ) as unknown as Pick<Transport, 'send' | 'respond' | 'publish'>;
    const counted: typeof plain = {
      send: (socket, frame) => {
        if (Buffer.from(frame.bytes).includes('"type":"full"') || (frame.isBinary && frame.bytes[2] === 0)) this.fulls += 1;
        plain.send(socket, frame);
      },
      respond: (...response) => {
        this.fulls += 1;
        plain.respond(...response);
      },
      publish: async (frames) => {
        const isLost = this.losesNext;
        this.losesNext = false;
        if (!isLost) await plain.publish(frames);
      },
    };
    return Object.assign(transport, counted);
  }
}

export function withoutAges(aircraft: Iterable<Readonly<Record<string, unknown>>>): Record<string, object> {
  return Object.fromEntries(
    [...aircraft]
      .map((each): [string, object] => {
        const members = Object.entries(each).filter(([name]) => !AGES.includes(name));
        // Binary frames have positions to 1e-5 degrees.
        const rounded = members.map(([name, value]) => [name, /^l(at|on)$/.test(name) ? Math.round(Number(value) * 1e4) : value]);
        return [String(each['hex']), Object.fromEntries(rounded.sort())];
      })
      .sort(),
  );
}
