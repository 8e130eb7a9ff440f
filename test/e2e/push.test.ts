// Streams of the real service: every profile on both ports and both transports, tokens that reach no log, a thread that crashes, few descriptors, the stop.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AircraftDecoder } from '../../push/codec/decoder.ts';
import { type AircraftFrame, AircraftStreams } from '../../push/codec/model.ts';
import type { Ending } from '../support/child-end.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { transports } from '../support/transports.ts';
import { until } from '../support/until.ts';

interface Frame extends AircraftFrame {
  readonly seq: number;
  readonly code?: string;
  readonly id?: number;
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Text frames parsed, binary ones as they are. */
class Client {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly binary: Buffer[] = [];
  /** Of the response that refused it. */
  status = 0;
  body = '';
  code = 0;

  constructor(address: string, path = '/ws/', protocols: string[] = [], headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://${address}${path}`, protocols, { headers });
    this.socket.on('message', (bytes: Buffer, isBinary) => {
      if (isBinary) this.binary.push(bytes);
      else this.frames.push(JSON.parse(bytes.toString()) as Frame);
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
    cleanUps.push(() => this.socket.terminate());
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** A full and so many deltas, each with the next number; returns the model. */
  async follows(deltas: number, from = 0): Promise<AircraftStreams> {
    await until(() => this.frames.slice(from).filter(({ type }) => type === 'delta').length >= deltas, `${deltas} deltas`);
    const model = new AircraftStreams();
    const frames = this.frames.slice(from).filter(({ type }) => type === 'full' || type === 'delta');
    expect(frames.map(({ type }) => type)).toEqual(['full', ...frames.slice(1).map(() => 'delta')]);
    expect(frames.map(({ seq }) => seq - frames[0]!.seq)).toEqual(frames.map((_, i) => i));
    expect(frames.map((frame) => model.apply(frame))).toEqual(frames.map(() => 'applied'));
    return model;
  }
}

/** A service on free ports with a tick of a second, and the address of each port. */
async function start(flags: readonly string[], env: Record<string, string> = {}, descriptors?: number) {
  const folder = temporaryFolder();
  const service = await startService(folder.path, ['--simulate', '60', '--push-tick', '1', ...flags], env, descriptors);
  const { push } = service;
  const http = new URL(service.url).host;
  const stop = async (): Promise<Ending> => {
    const status = await service.stop();
    folder.remove();
    return status;
  };
  return { service, push, http, ports: [http, push], stop };
}

/** A client that has its first frame. */
async function opened(address: string, path = '/ws/', protocols: string[] = []): Promise<Client> {
  const client = new Client(address, path, protocols);
  await until(() => client.frames.length > 0, 'a first frame');
  return client;
}

/** An event stream until the reader has enough. */
async function events(address: string, path: string, isEnough: (text: string) => boolean, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`http://${address}${path}`, { headers, signal: abort.signal });
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (isEnough(text)) break;
  }
  abort.abort();
  const found = [...text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)\n\n|^event: (.*)\ndata: (.*)\nid: (.*)\n\n/gm)];
  return { response, text, found };
}

describe.each(transports)('streams through %s', (prefer) => {
  let at: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    at = await start(['--push-transport', prefer]);
  });
  afterAll(() => at.stop());

  it('the banner names the transport', () => {
    const { service } = at;
    expect(service.output()).toContain(`live changes            ws://${at.http}/ws/`);
    expect(service.output()).toContain(`push port               ${at.push}, ${prefer === 'uws' ? 'uWebSockets.js' : 'ws'}`);
  });

  it('default profile: full and deltas on both ports, with all aircraft of /v2/all; a zone', async () => {
    const clients = at.ports.flatMap((port) => [
      new Client(port),
      new Client(port, '/ws'),
      new Client(port, '/v2/ws?lat=52&lon=4&radius=100'),
    ]);
    const models = await Promise.all(clients.map((client) => client.follows(3)));
    const { ac } = (await (await at.service.get('/v2/all')).json()) as { ac: { hex: string }[] };
    const known = [...models[0]!.streams.values()][0]!.aircraft;
    expect(ac.filter(({ hex }) => known.has(hex)).length).toBeGreaterThan(ac.length * 0.9);
    const counts = models.map(({ streams }) => [...streams.values()][0]!.aircraft.size);
    expect(counts[2]).toBeLessThan(counts[0]!);
    expect(counts[5]).toBeGreaterThan(0);
    // A client that sends what the profile does not have is not ended.
    clients[0]!.socket.send('keep-alive');
    await until(() => clients[0]!.of('delta').length >= 5);
  });

  it('aircraft.v2.json: hello, subscribe, ping, a resume on another connection, an error', async () => {
    for (const port of at.ports) {
      const client = new Client(port, '/v2/ws', ['aircraft.v2.json']);
      await until(() => client.of('hello').length === 1);
      expect(client.socket.protocol).toBe('aircraft.v2.json');
      expect(client.frames[0]).toMatchObject({ tier: 'anonymous', interval_ms: 1000 });
      client.send({ type: 'subscribe', filter: { min_altitude: 1000 } });
      client.send({ type: 'ping', id: 7 });
      await client.follows(2);
      expect(client.of('pong')[0]).toMatchObject({ id: 7 });
      const { stream, seq } = client.of('delta')[0]!;
      client.socket.terminate();
      const again = new Client(port, '/v2/ws', ['aircraft.v2.json']);
      await until(() => again.of('hello').length === 1);
      again.send({ type: 'resume', stream, seq });
      await until(() => again.of('delta').length >= 2);
      expect(again.of('full')).toEqual([]);
      expect(
        again
          .of('delta')
          .slice(0, 2)
          .map((frame) => [frame.stream, frame.seq]),
      ).toEqual([
        [stream, seq + 1],
        [stream, seq + 2],
      ]);
      again.send({ type: 'subscribe', filter: { hex: 'nonsense' } });
      await until(() => again.code !== 0);
      expect([again.of('error').length, again.code]).toEqual([1, 1008]);
    }
  });

  it('aircraft.v2.bin: the snapshot over HTTP, then deltas from there, which the decoder reads', async () => {
    for (const port of at.ports) {
      const response = await fetch(`http://${port}/v2/stream/snapshot`);
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      const decoder = new AircraftDecoder();
      const full = (await decoder.decode(new Uint8Array(await response.arrayBuffer())))!;
      expect(full.type).toBe('full');
      const client = new Client(port, `/v2/ws?stream=${encodeURIComponent(full.stream)}&seq=${full.seq}`, ['aircraft.v2.bin']);
      await until(() => client.binary.length >= 2, 'binary deltas');
      for (const [i, bytes] of client.binary.slice(0, 2).entries())
        expect(await decoder.decode(bytes)).toMatchObject({ type: 'delta', seq: full.seq + 1 + i });
    }
  });

  it('event streams: the same frames, resumed by Last-Event-ID; any origin', async () => {
    for (const port of at.ports) {
      const first = await events(port, '/v2/stream?lat=52&lon=4', (text) => (text.match(/\n\n/g)?.length ?? 0) >= 4);
      expect(first.response.status).toBe(200);
      expect(first.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(first.response.headers.get('access-control-allow-origin')).toBe('*');
      expect(first.response.headers.get('access-control-allow-credentials')).toBeNull();
      const ids = [...first.text.matchAll(/^id: ?(.+)$/gm)].map((match) => match[1]!);
      expect(first.text).toMatch(/^event: ?full$/m);
      const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf(':') + 1));
      expect(ids.map((id) => seqOf(id) - seqOf(ids[0]!))).toEqual(ids.map((_, i) => i));
      const again = await events(port, '/v2/stream', (text) => text.includes('id:') && text.endsWith('\n\n'), { 'last-event-id': ids[0]! });
      expect(again.text).not.toMatch(/^event: ?full$/m);
      expect(seqOf(/^id: ?(.+)$/m.exec(again.text)![1]!)).toBe(seqOf(ids[0]!) + 1);
    }
  });

  it('what is refused, and what pages of other origins may read of it', async () => {
    for (const port of at.ports) {
      for (const [path, status, code] of [
        ['/v2/ws?nonsense=1', 400, 'unknown-parameter'],
        ['/ws/?lat=99&lon=4', 400, 'bad-value'],
      ] as const) {
        const client = new Client(port, path);
        await until(() => client.status !== 0);
        expect([client.status, JSON.parse(client.body)]).toEqual([status, expect.objectContaining({ code })]);
      }
      const refused = await fetch(`http://${port}/v2/stream?nonsense=1`);
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*']);
      expect((await fetch(`http://${port}/ws/`)).status).toBe(400);
      expect((await fetch(`http://${port}/v2/stream`, { method: 'POST', body: 'x' })).status).toBe(405);
      const preflight = await fetch(`http://${port}/v2/stream`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://example.org',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,x-squitter-page',
        },
      });
      expect(preflight.ok).toBe(true);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
      expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization');
    }
    expect((await fetch(`http://${at.http}/v2/stream`, { method: 'HEAD' })).status).toBe(200);
    // An offer of HTTP/2, as of curl and Java, is no upgrade.
    const offered = await fetch(`http://${at.http}/v2/stats`, { headers: { 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' } });
    expect(offered.status).toBe(200);
  });

  it('tokens reach no log line and no metric, whatever happens to the request', async () => {
    const secret = 'sqt-very-secret-token';
    for (const port of at.ports) {
      for (const path of [`/ws/?token=${secret}`, `/ws/?token=${secret}&nonsense=1`, `/v2/nowhere?token=${secret}`]) {
        const client = new Client(port, path);
        await until(() => client.status !== 0 || client.frames.length > 0);
        expect(client.body).not.toContain(secret);
      }
      const named = new Client(port, '/v2/ws', ['aircraft.v2.json', `token.${secret}`], { authorization: `Bearer ${secret}` });
      await until(() => named.status !== 0);
      // After ten wrong keys in a minute, 429.
      expect([401, 429]).toContain(named.status);
      for (const path of [`/v2/stream?token=${secret}&nonsense=1`, `/v2/all?token=${secret}`, `/v2/stream/snapshot?token=${secret}&lat=x`])
        await (await fetch(`http://${port}${path}`, { headers: { authorization: `Bearer ${secret}` } })).arrayBuffer();
    }
    expect(await (await at.service.get('/metrics')).text()).not.toContain(secret);
    expect(at.service.output()).not.toContain(secret);
  });

  it('a stop closes every stream with 1001, on both ports, and ends event streams', async () => {
    const opening = at.ports.flatMap((port) => [opened(port), opened(port, '/v2/ws', ['aircraft.v2.json'])]);
    const clients = await Promise.all(opening);
    const ended = Promise.all(at.ports.map((port) => events(port, '/v2/stream', () => false).catch(() => null)));
    expect(await at.stop(), at.service.output()).toBe(0);
    await until(() => clients.every(({ code }) => code !== 0));
    expect(clients.map(({ code }) => code)).toEqual(clients.map(() => 1001));
    await ended;
  });
});

describe('limits', () => {
  it('with few descriptors, subscribers have a share: further ones get 503, and everything else goes on', async () => {
    const { service, ports, stop } = await start([], {}, 300);
    try {
      const clients = Array.from({ length: 60 }, (_, i) => new Client(ports[i % 2]!));
      await until(
        () => clients.every(({ frames, status, code }) => frames.length > 0 || status !== 0 || code !== 0),
        'a decision for each',
      );
      const admitted = clients.filter(({ frames }) => frames.length > 0);
      expect(admitted.length).toBe(26);
      expect(new Set(clients.filter(({ frames }) => frames.length === 0).map(({ status }) => status))).toEqual(new Set([503]));
      for (const client of admitted) await until(() => client.of('delta').length > 1);
      expect((await service.get('/v2/all')).status).toBe(200);
      // Their room is free again.
      for (const { socket } of admitted) socket.terminate();
      const next = await until(async () => {
        const client = new Client(ports[0]!);
        await until(() => client.frames.length > 0 || client.status !== 0 || client.code !== 0);
        return client.frames.length > 0 && client;
      });
      await next.follows(1);
    } finally {
      expect(await stop()).toBe(0);
    }
  });
});
