// Subscribers that are too many, too fast, too large or rude, against the real service, through both of its ports and with either transport: memory and
// descriptors stay bounded and come back, and a reader beside them misses nothing. The tests assert bytes and counts, not times.
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { opcodes, RawClient, upgradeHeaders } from '../support/raw-web-socket.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';
import { transports } from '../support/transports.ts';
import { until } from '../support/until.ts';

/** Ten thousand for the figures of a release. */
const IDLE = Number(process.env['SQUITTER_IDLE_SUBSCRIBERS'] ?? 4000);
const BATCH = 250;
const MIB = 1024 ** 2;
/** A subscriber that waits costs the service this much at most, kernel buffers aside. */
const IDLE_BYTES_MAX = 16 * 1024;
const HEAD = Object.entries({ Host: 'x', ...upgradeHeaders, 'Sec-WebSocket-Protocol': 'aircraft.v2.json' })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

let cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  cleanups = [];
});

class Scene {
  readonly service: RunningService;
  readonly pushPort: number;
  readonly httpPort: number;
  readonly reader: StreamClient;
  readonly sockets: Socket[] = [];

  private constructor(service: RunningService) {
    this.service = service;
    [this.pushPort, this.httpPort] = [service.pushPort, service.httpPort];
    this.reader = new StreamClient('plain', () => [service.push]);
  }

  static async start(transport: string): Promise<Scene> {
    const folder = temporaryFolder();
    cleanups.push(folder.remove);
    const connections = ['--http-connections', '400', '--push-connections', String(IDLE + 1), '--feeder-connections', '64'];
    const service = await startService(folder.path, [
      ...['--simulate', '100', '--push-tick', '1', '--push-transport', transport],
      ...connections,
    ]);
    cleanups.push(() => service.kill().catch(() => {}));
    await until(async () => (await service.get('/v2/all')).ok, 'live data');
    const scene = new Scene(service);
    cleanups.push(() => {
      scene.reader.close();
      scene.drop();
    });
    await scene.reader.untilFull();
    return scene;
  }

  descriptors(): number {
    return readdirSync(`/proc/${this.service.child.pid}/fd`).length;
  }

  /** Resolves with the status of the response, or 0. */
  open(port: number): Promise<number> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      this.sockets.push(socket);
      socket.on('error', () => resolve(0));
      socket.on('close', () => resolve(0));
      socket.once('data', (bytes) => resolve(Number(bytes.toString('latin1').split(' ')[1])));
      socket.write(`GET /v2/ws HTTP/1.1\r\n${HEAD}\r\n`);
    });
  }

  drop(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }

  /** The reader missed nothing, and the API responds. */
  async check(): Promise<void> {
    const before = this.reader.received.length;
    await until(() => this.reader.received.length > before + 2, 'further frames for the reader');
    expect([this.reader.missed, this.reader.ends]).toEqual([[], []]);
    expect(this.reader.received.map(({ seq }) => seq)).toEqual(this.reader.received.map((_, n) => this.reader.received[0]!.seq + n));
    expect((await this.service.get('/v2/stats')).status).toBe(200);
  }
}

const junk = Buffer.alloc(16 * MIB, 0x61);
/** Deeds of a subscriber: a frame that says it has 16 MB and never comes, one that has them, a flood, bytes that are no frames, requests instead. */
const rudely: readonly ((client: RawClient) => void)[] = [
  (client) => void client.frame(opcodes.text, 'x', { length: 16 * MIB - 1 }),
  (client) => void client.frame(opcodes.text, junk),
  (client) => {
    for (let n = 0; n < 500; n += 1) client.text('{"type":"ping"}');
  },
  (client) => void client.socket.write(Buffer.alloc(100_000, 0xff)),
  (client) => void client.socket.write('GET /v2/all HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50)),
];

describe.skipIf(process.platform !== 'linux').each(transports)('rude subscribers: %s', (transport) => {
  it(`${IDLE} that wait cost little, one more gets a 503, and all of it comes back; connects and ends in quick succession, too`, async () => {
    const scene = await Scene.start(transport);
    // The first ones load code, which is not counted.
    for (let n = 0; n < 2; n += 1) await Promise.all(Array.from({ length: BATCH }, () => scene.open(scene.pushPort)));
    const [bytes, descriptors] = [scene.service.residentBytes(), scene.descriptors()];
    while (scene.sockets.length < IDLE)
      expect(new Set(await Promise.all(Array.from({ length: BATCH }, () => scene.open(scene.pushPort))))).toEqual(new Set([101]));
    expect(scene.service.residentBytes() - bytes).toBeLessThan((IDLE - 2 * BATCH) * IDLE_BYTES_MAX);
    expect(await scene.open(scene.pushPort)).toBe(503);
    expect(await scene.open(scene.httpPort)).toBe(503);
    await scene.check();
    scene.drop();
    await until(() => scene.descriptors() <= descriptors, 'the descriptors');
    await until(async () => (await scene.service.metric('squitter_push_subscribers')) === 1, 'the subscribers');
    const settled = scene.service.residentBytes();
    for (let n = 0; n < 12; n += 1) {
      const opened = Promise.all(Array.from({ length: BATCH }, () => scene.open(scene.pushPort)));
      if (n % 2 === 0) await opened;
      else await sleep(5);
      scene.drop();
    }
    await until(() => scene.descriptors() <= descriptors, 'the descriptors');
    expect(scene.service.residentBytes() - settled).toBeLessThan(48 * MIB);
    await scene.check();
    expect(await scene.service.stop()).toBe(0);
  });

  it('frames of 16 MB, floods of messages and junk end their connections, not the service, on both ports', async () => {
    const scene = await Scene.start(transport);
    const bytes = scene.service.residentBytes();
    for (const port of [scene.pushPort, scene.httpPort]) {
      const request = { path: '/v2/ws', headers: { ...upgradeHeaders, 'Sec-WebSocket-Protocol': 'aircraft.v2.json' } };
      const clients = Array.from({ length: 24 }, () => new RawClient(port).request(request));
      cleanups.push(() => {
        for (const client of clients) client.destroy();
      });
      for (const client of clients) await client.until('an upgrade', ({ status }) => status === 101);
      for (const [n, client] of clients.entries()) rudely[n % rudely.length]!(client);
      for (const [n, client] of clients.entries())
        if (n % rudely.length > 0) await client.until(`the end of client ${n}`, ({ isEnded, isClosed }) => isEnded || isClosed);
      expect(clients.some((client) => client.received.includes('"total"'))).toBe(false);
    }
    expect(scene.service.residentBytes() - bytes).toBeLessThan(100 * MIB);
    await scene.check();
    await until(async () => (await scene.service.metric('squitter_push_ended_total')) > 20, 'the counts');
    expect(await scene.service.stop()).toBe(0);
  });
});
