// WatchAircraft over Connect and gRPC-Web: what clients get, slow ones, and how streams end.

import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { compressionGzip, createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { AircraftService, type WatchAircraftResponse } from '../../schemas/proto/v1/aircraft_pb.ts';
import type { Tier } from '../../schemas/tiers.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, type TestView, testModel } from '../../test/support/live-view.ts';
import { until } from '../../test/support/until.ts';
import { type CallerAccess, unlimitedAccess } from '../access/access.ts';
import { plainCaller } from '../access/caller.ts';
import { createQueryApi } from '../http/app.ts';
import { recordProtocol } from './http-protocol.ts';
import { AircraftWatch } from './watch/aircraft-watch.ts';

const TICK_MS = 1000;
/** One message as JSON. */
const QUEUED_BYTES_MAX = 1024 * 1024;
const squawks = ['1234', '4321'];
const WORLD = { case: 'box' as const, value: { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 } };

interface Stand {
  readonly view: TestView;
  readonly watch: AircraftWatch;
  readonly url: string;
  /** Connections of the server. */
  readonly sockets: ReadonlySet<Socket>;
  /** The next tick, with these aircraft changed. */
  tick(changed?: readonly number[]): void;
  close(): Promise<void>;
}

let stand: Stand;
afterEach(() => stand.close());

async function open(aircraft: number, access: CallerAccess = unlimitedAccess): Promise<Stand> {
  const view = await createTestView(aircraft);
  const model = testModel(view);
  const watch = new AircraftWatch(model, TICK_MS);
  const app = createQueryApi(model, {
    registry: new Registry(),
    protocols: [recordProtocol({ model, watch, access, onFault: (error) => expect.fail(String(error)) })],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => sockets.add(socket));
  let ticks = 0;
  return {
    view,
    watch,
    sockets,
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    tick(changed = []) {
      ticks += 1;
      view.clockMs += TICK_MS;
      for (const i of changed) view.table.applyState({ ...fullState(i), squawk: squawks[ticks % 2]! });
      view.tick(NOW_MS + ticks * TICK_MS);
    },
    async close() {
      await app.close();
      watch.close();
    },
  };
}

const plain = { httpVersion: '1.1' as const, acceptCompression: [] };
const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect, binary': (baseUrl) => createConnectTransport({ ...plain, baseUrl, useBinaryFormat: true }),
  'Connect, JSON': (baseUrl) => createConnectTransport({ ...plain, baseUrl }),
  'Connect, gzip': (baseUrl) => createConnectTransport({ httpVersion: '1.1', baseUrl, acceptCompression: [compressionGzip] }),
  'gRPC-Web, binary': (baseUrl) => createGrpcWebTransport({ ...plain, baseUrl }),
  'gRPC-Web, JSON': (baseUrl) => createGrpcWebTransport({ ...plain, baseUrl, useBinaryFormat: false }),
};

describe.each(Object.entries(transports))('%s', (_, transport) => {
  it('has all aircraft of a box first, then those that changed', async () => {
    stand = await open(50);
    const client = createClient(AircraftService, transport(stand.url));
    const ending = new AbortController();
    const stream = client.watchAircraft({ target: WORLD }, { signal: ending.signal })[Symbol.asyncIterator]();
    const next = async (): Promise<WatchAircraftResponse> => (await stream.next()).value as WatchAircraftResponse;
    const first = await next();
    expect([first.complete, first.aircraft.length, first.sourceTime]).toEqual([true, 50, NOW_MS / 1000]);
    stand.tick([3, 7]);
    const second = await next();
    expect([second.complete, second.sourceTime]).toEqual([false, NOW_MS / 1000 + 1]);
    expect(second.aircraft.map(({ hex }) => hex).sort()).toEqual([fullState(3).hex, fullState(7).hex].sort());
    ending.abort();
    await until(() => stand.watch.stats().watchers === 0);
  });

  it('ends with the error of a wrong target, a deadline, and the end of the service', async () => {
    stand = await open(5);
    const client = createClient(AircraftService, transport(stand.url));
    const codeOf = async (target: object, options: { timeoutMs?: number } = {}): Promise<Code> => {
      try {
        for await (const _ of client.watchAircraft({ target } as never, options));
      } catch (error) {
        return ConnectError.from(error).code;
      }
      return expect.fail('there was no error');
    };
    expect(await codeOf({ case: 'hex', value: 'none' })).toBe(Code.InvalidArgument);
    expect(await codeOf({ case: undefined })).toBe(Code.InvalidArgument);
    expect(await codeOf(WORLD, { timeoutMs: 300 })).toBe(Code.DeadlineExceeded);
    await until(() => stand.watch.stats().watchers === 0);
    const ended = codeOf(WORLD);
    await until(() => stand.watch.stats().watchers === 1);
    await stand.close();
    expect(await ended).toBe(Code.Unavailable);
  });
});

test('a stream has the interval of its caller now, and ends when the caller may have it no more', async () => {
  let now: Tier | null = 'trial';
  let leases = 0;
  stand = await open(3, {
    ...unlimitedAccess,
    identify: (address) => plainCaller(address, 'trial'),
    open(caller) {
      leases += 1;
      return {
        caller,
        close() {
          leases -= 1;
        },
      };
    },
    check() {
      if (now === null) throw new SquitterError('access.banned');
      return now;
    },
  });
  const client = createClient(AircraftService, transports['Connect, binary']!(stand.url));
  const stream = client.watchAircraft({ target: WORLD })[Symbol.asyncIterator]();
  const next = async (): Promise<WatchAircraftResponse> => (await stream.next()).value as WatchAircraftResponse;
  expect((await next()).complete).toBe(true);
  stand.tick([0]);
  expect((await next()).complete).toBe(false);
  now = 'free';
  stand.tick([1]);
  const moved = await next();
  expect([moved.complete, moved.aircraft.length, leases]).toEqual([true, 3, 1]);
  // Its next tick is far away.
  stand.tick([2]);
  now = null;
  stand.watch.check();
  await expect(stream.next()).rejects.toMatchObject({ code: Code.PermissionDenied });
  await until(() => leases === 0);
});

test('a client that reads nothing has one message queued and misses ticks; others get every tick', async () => {
  stand = await open(3000);
  const body = Buffer.from(JSON.stringify({ box: WORLD.value }));
  const head = `POST /v1.AircraftService/WatchAircraft HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+json\r\n`;
  const lengths = Buffer.from([0, 0, 0, 0, body.length]);
  const deaf = Array.from({ length: 5 }, () => {
    const socket = connect(Number(new URL(stand.url).port), '127.0.0.1')
      .on('error', () => {})
      .pause();
    socket.write(Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length + lengths.length}\r\n\r\n`), lengths, body]));
    return socket;
  });
  await until(() => stand.watch.stats().watchers === deaf.length);
  const client = createClient(AircraftService, transports['Connect, binary']!(stand.url));
  const ending = new AbortController();
  const stream = client.watchAircraft({ target: WORLD }, { signal: ending.signal })[Symbol.asyncIterator]();
  const times: number[] = [];
  const readTo = async (time: number): Promise<void> => {
    while (times.at(-1) !== time) times.push(((await stream.next()).value as WatchAircraftResponse).sourceTime!);
  };
  const changed = Array.from({ length: 3000 }, (_, i) => i);
  await readTo(NOW_MS / 1000);
  for (let n = 1; n <= 12; n += 1) {
    stand.tick(changed);
    await readTo(NOW_MS / 1000 + n);
    for (const socket of stand.sockets) expect(socket.writableLength).toBeLessThan(QUEUED_BYTES_MAX);
    await sleep(50);
  }
  expect(stand.watch.stats().skipped).toBeGreaterThan(deaf.length);
  ending.abort();
  for (const socket of deaf) socket.destroy();
  await until(() => stand.watch.stats().watchers === 0);
}, 60_000);
