// Live simulated traffic over TCP: each service is fed by its own receivers, and a closed connection is opened again.
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { BeastParser } from '../ingest/beast.ts';
import { Counters } from '../runtime/counters.ts';
import { endpoint } from '../runtime/options.ts';
import { feedLive } from './live-feed.ts';

interface Service {
  readonly port: number;
  readonly receivers: Set<string>;
  frames: number;
  connections: number;
  hangUp(): void;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startService(): Promise<Service> {
  let current: Socket | null = null;
  const server = createServer((socket) => {
    current = socket;
    service.connections += 1;
    const onReceiver = (high: number, low: number): number => service.receivers.add(`${high}:${low}`).size;
    const parser = new BeastParser({ counters: new Counters(), onReceiver });
    const frame = (): void => {
      service.frames += 1;
    };
    socket.on('error', () => {}).on('data', (chunk: Buffer) => parser.push(chunk, Date.now() * 1000, { frame }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const service: Service = {
    port: (server.address() as { port: number }).port,
    receivers: new Set(),
    frames: 0,
    connections: 0,
    hangUp: () => current?.destroy(),
  };
  return service;
}

it('feeds two services from different receivers and reconnects to one that closed the connection', async () => {
  const services = [await startService(), await startService()] as const;
  const stop = new AbortController();
  const to = services.map(({ port }) => endpoint('127.0.0.1', port));
  const done = feedLive({ aircraft: 100, seed: 1, startUs: null, to, signal: stop.signal, onStep: () => {} });
  await until(() => services.every(({ frames }) => frames > 50));
  services[0].hangUp();
  await until(() => services[0].connections === 2 && services[0].receivers.size > 1);
  const before = services[0].frames;
  await until(() => services[0].frames > before + 20);
  stop.abort();
  const { sent, lost } = await done;
  expect(lost).toBeGreaterThan(0);
  expect(services[0].frames + services[1].frames).toBeGreaterThan(sent * 0.8);
  expect([...services[0].receivers].filter((receiver) => services[1].receivers.has(receiver))).toEqual([]);
});
