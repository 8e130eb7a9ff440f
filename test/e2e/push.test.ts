// Streams of the real service, with either transport and on both ports: pages of other origins, tokens that reach no log, the share of few descriptors, the
// stop. What streams show: push-clients.test.ts, and push/hub.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { transports } from '../support/transports.ts';
import { until } from '../support/until.ts';

const SECRET = 'sqt-very-secret-token';
const DESCRIPTORS = 300;
/** Streams that fit into these descriptors. */
const ADMITTED = 26;

const clients: Client[] = [];
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.terminate();
});

class Client {
  readonly socket: WebSocket;
  frames = 0;
  /** Status and body of the response that refused it. */
  status = 0;
  body = '';
  /** Close code. */
  code = 0;

  constructor(address: string, path = '/ws/', protocols: string[] = [], headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://${address}${path}`, protocols, { headers });
    this.socket.on('message', () => {
      this.frames += 1;
    });
    this.socket.on('unexpected-response', (_request, response) => {
      response.on('data', (bytes) => {
        this.body += bytes;
      });
      response.on('end', () => {
        this.status = response.statusCode!;
      });
    });
    this.socket.on('close', (code) => {
      this.code = code;
    });
    this.socket.on('error', () => {});
    clients.push(this);
  }

  /** Waits until it has a frame, or is refused or ended. */
  async decided(): Promise<this> {
    await until(() => this.frames > 0 || this.status !== 0 || this.code !== 0, 'a frame, a refusal or an end');
    return this;
  }
}

describe.each(transports)('streams through %s', (prefer) => {
  const folder = temporaryFolder();
  let service: RunningService;
  let ports: string[];
  beforeAll(async () => {
    const flags = ['--simulate', '60', '--push-tick', '1', '--push-transport', prefer];
    service = await startService(folder.path, flags, {}, DESCRIPTORS);
    ports = [new URL(service.url).host, service.push];
    expect(service.output()).toContain(`push port               ${service.push}, ${prefer === 'uws' ? 'uWebSockets.js' : 'ws'}`);
  });
  afterAll(async () => {
    await service.kill();
    folder.remove();
  });

  it('pages of other origins may read streams and refusals', async () => {
    for (const port of ports) {
      const refused = await fetch(`http://${port}/v2/stream?nonsense=1`);
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*']);
      const wanted = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization,x-squitter-page' };
      const { ok, headers } = await fetch(`http://${port}/v2/stream`, {
        method: 'OPTIONS',
        headers: { origin: 'https://example.org', ...wanted },
      });
      const allowed = ['origin', 'headers'].map((name) => headers.get(`access-control-allow-${name}`));
      expect([ok, ...allowed]).toEqual([true, '*', 'authorization']);
    }
  });

  it('tokens reach no log line and no metric, whatever happens to the request', async () => {
    for (const port of ports) {
      for (const path of [`/ws/?token=${SECRET}`, `/ws/?token=${SECRET}&nonsense=1`, `/v2/nowhere?token=${SECRET}`])
        expect((await new Client(port, path).decided()).body).not.toContain(SECRET);
      const authorization = `Bearer ${SECRET}`;
      const named = await new Client(port, '/v2/ws', ['aircraft.v2.json', `token.${SECRET}`], { authorization }).decided();
      // After ten wrong keys in a minute, 429.
      expect([401, 429]).toContain(named.status);
      for (const path of [`/v2/stream?token=${SECRET}&nonsense=1`, `/v2/all?token=${SECRET}`, `/v2/stream/snapshot?token=${SECRET}&lat=x`])
        await (await fetch(`http://${port}${path}`, { headers: { authorization } })).arrayBuffer();
    }
    expect(await (await service.get('/metrics')).text()).not.toContain(SECRET);
    expect(service.output()).not.toContain(SECRET);
  });

  it('with few descriptors, subscribers have a share: further ones get 503, their room is free again, and a stop ends all with 1001', async () => {
    const many = await Promise.all(Array.from({ length: 60 }, (_, i) => new Client(ports[i % 2]!).decided()));
    const admitted = many.filter(({ frames }) => frames > 0);
    expect(admitted.length).toBe(ADMITTED);
    expect(new Set(many.filter(({ frames }) => frames === 0).map(({ status }) => status))).toEqual(new Set([503]));
    for (const client of admitted) await until(() => client.frames > 2, 'further frames');
    expect((await service.get('/v2/all')).status).toBe(200);
    for (const { socket } of admitted.slice(1)) socket.terminate();
    const next = await until(async () => {
      const client = await new Client(ports[0]!).decided();
      return client.frames > 0 && client;
    }, 'room for the next one');
    expect(await service.stop(), service.output()).toBe(0);
    await until(() => [admitted[0]!, next].every(({ code }) => code === 1001), 'the end of the streams');
  });
});
