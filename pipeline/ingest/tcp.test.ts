// Feeders over sockets: admission, identity, status and limits of their connections, and connections that we open.
import { once } from 'node:events';
import { connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FeederStatus } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { beastUuidMessage } from '../../test/support/feeder.ts';
import { copyFrame, type FrameCopy } from '../../test/support/parsers.ts';
import { testIds } from '../../test/support/secret.ts';
import { until } from '../../test/support/until.ts';
import { Counters } from '../runtime/counters.ts';
import { writeBeastFrame, writeBeastReceiver } from './beast-writer.ts';
import { FeederRegistry } from './feeder-registry.ts';
import { ReceiverTable } from './receivers.ts';
import { reconnectDelayMs, TcpConnector } from './tcp-connector.ts';
import { FeederGuard, listenForFeeders } from './tcp-listener.ts';

const UUID = '2ad03ec3-bb62-4396-a1a1-0123456789ab';
const ID = testIds.ofUuid(UUID);
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function beast(counter: number): Uint8Array {
  const frame: ReceivedFrame = { ...createReceivedFrame(new Uint8Array(14).fill(0x1a)), counter, signal: 9 };
  const target = new Uint8Array(44);
  return target.subarray(0, writeBeastFrame(target, 0, frame));
}

function setup(statusMs?: number) {
  const frames: (FrameCopy & { id: string })[] = [];
  const events: (FeederStatus & { feeder: string })[] = [];
  const seen: string[] = [];
  const banned = new Set<string>();
  const logged: { details: object; message: string }[] = [];
  const counters = new Counters();
  const receivers = new ReceiverTable();
  let clear = (): void => undefined;
  const target = {
    congested: false,
    add: (frame: ReceivedFrame) => frames.push({ ...copyFrame(frame), id: receivers.id(frame.receiver) }),
    whenClear: () =>
      new Promise<void>((resolve) => {
        clear = () => {
          target.congested = false;
          resolve();
        };
      }),
  };
  let nowUs = 1_700_000_000_000_000;
  const log = (details: object, message: string): void => {
    logged.push({ details, message });
  };
  const registry = new FeederRegistry(
    {
      target,
      receivers,
      counters,
      nowUs: () => {
        nowUs += 1000;
        return nowUs;
      },
      ids: testIds,
      isBanned: (id, addressHash) => banned.has(id) || banned.has(String(addressHash)),
      onSeen: (id) => seen.push(id),
      onStatus: (id, status) => events.push({ feeder: id, ...status }),
      log: { info: log, warn: log },
    },
    statusMs,
  );
  cleanUps.push(() => registry.close());
  return { frames, events, seen, banned, logged, counters, receivers, target, registry, clear: () => clear() };
}

async function listening(registry: FeederRegistry) {
  const listener = await listenForFeeders({ host: '127.0.0.1', port: 0, flag: '--listen', registry });
  cleanUps.push(() => listener.close());
  return listener;
}

function feeder(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  cleanUps.push(() => socket.destroy());
  return socket;
}

describe('admission', () => {
  /** A listener to which connections of any address come. */
  function listener(connectionsMax: number, connectionsPerAddressMax: number) {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { counters, registry } = setup();
    const server = createServer();
    new FeederGuard({ host: '', port: 0, flag: '', registry, connectionsMax, connectionsPerAddressMax }).attach(server);
    const connected = (address: string): Socket => {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
      cleanUps.push(() => socket.destroy());
      server.emit('connection', socket);
      return socket;
    };
    /** The reason why a connection of this address is refused; null if it is not. */
    const refusal = (address: string): string | null => {
      const before = new Map(counters.values);
      const isRefused = connected(address).destroyed;
      return isRefused ? ['address_limit', 'connection_limit'].find((name) => counters.get(name) > (before.get(name) ?? 0))! : null;
    };
    return { connected, refusal, registry };
  }

  it('limits the connections of one address and of one IPv6 network', async () => {
    const { connected, refusal } = listener(100, 2);
    const first = connected('192.0.2.1');
    expect(['192.0.2.1', '192.0.2.1', '192.0.2.2'].map(refusal)).toEqual([null, 'address_limit', null]);
    await once(first.destroy(), 'close');
    expect(['192.0.2.1', '192.0.2.1'].map(refusal)).toEqual([null, 'address_limit']);
    const network = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8::3', '2001:db8:0:1::3'];
    expect(network.map(refusal)).toEqual([null, null, 'address_limit', null]);
  });

  it('closes the longest silent connection when connections are nearly used up, and keeps those with frames', async () => {
    const { connected, refusal, registry } = listener(10, 10);
    const feeding = connected('192.0.2.1');
    const waiting = connected('192.0.2.4');
    waiting.pause();
    vi.advanceTimersByTime(1000);
    const longer = connected('192.0.2.3');
    vi.advanceTimersByTime(4000);
    const silent = connected('192.0.2.2');
    vi.advanceTimersByTime(limits.feederSilentMsMax);
    feeding.emit('data', beast(1));
    for (let open = 4; open < 9; open += 1) expect(refusal('192.0.2.9')).toBeNull();
    expect(longer.destroyed).toBe(false);
    expect(refusal('192.0.2.9')).toBeNull();
    expect([longer.destroyed, silent.destroyed]).toEqual([true, false]);
    expect(refusal('192.0.2.9')).toBeNull();
    expect(silent.destroyed).toBe(true);
    await until(() => registry.connections === 9, 'the end of both');
    expect(['192.0.2.9', '192.0.2.9'].map(refusal)).toEqual([null, 'connection_limit']);
    expect([feeding.destroyed, waiting.destroyed]).toEqual([false, false]);
  });
});

describe('listener', () => {
  it('takes Beast and AVR, and identifies feeders by their UUID or address', async () => {
    const { frames, events, registry } = setup();
    const { port } = await listening(registry);
    const one = feeder(port);
    one.write(Buffer.concat([beastUuidMessage(UUID), beast(1)]));
    await until(() => frames.length === 1, 'the Beast frame');
    const two = feeder(port);
    two.write('*02e195301ad7b8;\n');
    await until(() => frames.length === 2, 'the AVR frame');
    const anonymous = testIds.ofAddress('127.0.0.1');
    expect(frames).toMatchObject([
      { id: ID, counter: 1 },
      { id: anonymous, hex: '02e195301ad7b8' },
    ]);
    expect(frames[0]!.timeUs).toBeLessThan(frames[1]!.timeUs);
    one.end();
    await until(() => events.length === 3, 'the end of one feeder');
    expect(events).toMatchObject([
      { feeder: ID, state: 'connected', format: 'beast', frames: 1, addressHash: null },
      { feeder: anonymous, state: 'connected', format: 'avr', frames: 1 },
      { feeder: ID, state: 'gone', frames: 1, garbageBytes: 0 },
    ]);
  });

  it('lets a connection be one feeder only', async () => {
    const { frames, seen, registry, counters } = setup();
    const { port } = await listening(registry);
    const other = `ffffffff${UUID.slice(8)}`;
    feeder(port).write(Buffer.concat([beastUuidMessage(other), beastUuidMessage(UUID), beast(1)]));
    await until(() => frames.length === 1, 'the frame');
    feeder(port).write(Buffer.concat([beastUuidMessage(UUID), beast(1)]));
    await until(() => frames.length === 2, 'the frame');
    expect(seen).toEqual([ID]);
    const third = feeder(port);
    third.write(beast(1));
    await until(() => frames.length === 3, 'the frame');
    third.write(Buffer.concat([beastUuidMessage(other), beast(2)]));
    await until(() => frames.length === 4, 'the frame');
    expect(counters.get('late_uuid')).toBe(1);
    expect(frames.map((frame) => frame.id)).toEqual([ID, ID, testIds.ofAddress('127.0.0.1'), testIds.ofAddress('127.0.0.1')]);
  });

  it('names the receivers whose frames a feeder passes on, and forgets them when it goes', async () => {
    const { frames, registry, receivers } = setup();
    const { port } = await listening(registry);
    const target = new Uint8Array(18);
    const id = (text: string): Uint8Array => target.slice(0, writeBeastReceiver(target, 0, text));
    const socket = feeder(port);
    socket.write(
      Buffer.concat([beast(1), id('1a1a2b2b3c3c4d4d'), beast(2), id('00000000000000ff'), beast(3), id('1a1a2b2b3c3c4d4d'), beast(4)]),
    );
    await until(() => frames.length === 4, 'all frames');
    const own = testIds.ofAddress('127.0.0.1');
    const first = testIds.passedOn(own, '1a1a2b2b3c3c4d4d');
    expect(frames.map((frame) => frame.id)).toEqual([own, first, testIds.passedOn(own, '00000000000000ff'), first]);
    expect(receivers.size).toBe(4);
    socket.destroy();
    await until(() => receivers.size === 1, 'the receivers to be forgotten');
  });

  it('closes connections of a banned feeder, and takes no frame of a new one', async () => {
    const { frames, registry, banned, counters, events } = setup();
    const { port } = await listening(registry);
    const hello = Buffer.concat([beastUuidMessage(UUID), beast(1)]);
    feeder(port).write(hello);
    await until(() => frames.length === 1, 'the frame');
    banned.add(ID);
    registry.closeBanned();
    await until(() => registry.connections === 0, 'the end of the connection');
    feeder(port).write(hello);
    await until(() => counters.get('banned') === 2 && registry.connections === 0, 'a refusal');
    banned.add(testIds.ofAddress('127.0.0.1'));
    feeder(port).write(beast(1));
    await until(() => counters.get('banned') === 3 && registry.connections === 0, 'a refusal by address');
    expect(frames).toHaveLength(1);
    expect(counters.get('frames')).toBe(1);
    expect(events.map(({ state }) => state)).toEqual(['connected', 'gone']);
  });

  it('repeats the status, and reports gone only when the last connection of a feeder ends', async () => {
    const { events, seen, registry, frames } = setup(20);
    const { port } = await listening(registry);
    const hello = Buffer.concat([beastUuidMessage(UUID), beast(1)]);
    const one = feeder(port);
    one.write(hello);
    await until(() => events.length > 1, 'a status');
    const two = feeder(port);
    two.write(hello);
    await until(() => frames.length === 2 && registry.connections === 2, 'both connections');
    one.destroy();
    await until(() => registry.connections === 1, 'one connection');
    expect(events.map(({ state }) => state)).not.toContain('gone');
    two.destroy();
    await until(() => events.at(-1)?.state === 'gone', 'gone');
    expect(seen).toEqual([ID]);
  });

  it('disconnects a feeder without frames, with one log line that shows a sample', async () => {
    const { logged, counters, registry, events } = setup();
    const { port } = await listening(registry);
    const socket = feeder(port);
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    const chunk = Buffer.alloc(8192, 'GET / HTTP/1.1\r\n');
    while (!closed) {
      socket.write(chunk);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ message: 'feeder disconnected: it sends no frames' });
    expect(Buffer.from((logged[0]!.details as { sample: string }).sample, 'hex').toString()).toContain('GET / HTTP/1.1');
    expect(counters.get('garbage_limit')).toBe(1);
    expect(counters.get('garbage')).toBeLessThan(limits.garbageBytesMax + 256 * 1024);
    expect(events).toEqual([]);
  });

  it('stops reading while the log is behind', async () => {
    const { frames, registry, target, clear } = setup();
    const { port } = await listening(registry);
    const socket = feeder(port);
    target.congested = true;
    socket.write(beast(1));
    await until(() => frames.length === 1, 'the first frame');
    socket.write(beast(2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(frames).toHaveLength(1);
    clear();
    await until(() => frames.length === 2, 'the second frame');
  });
});

describe('connector', () => {
  function connecting(port: number, registry: FeederRegistry, idleMsMax: number = limits.feederIdleMsMax) {
    const connector = new TcpConnector({ host: '127.0.0.1', port, number: 1, registry, delayMsMin: 5, delayMsMax: 20, idleMsMax });
    cleanUps.push(() => connector.close());
    return connector;
  }

  async function receiver(onConnection: (socket: Socket) => void, port = 0): Promise<{ server: Server; port: number }> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
    cleanUps.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return { server, port: (server.address() as { port: number }).port };
  }

  it('waits for a receiver that is not there yet, logs it once, and reconnects when the connection ends', async () => {
    const { frames, events, registry, logged, counters } = setup();
    const { server, port } = await receiver(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const connector = connecting(port, registry);
    await until(() => counters.get('reconnects') > 3, 'some attempts');
    expect(logged).toHaveLength(1);
    let connections = 0;
    await receiver((socket) => {
      connections += 1;
      if (connections < 3) socket.end(beast(connections));
      else socket.write(beast(connections));
    }, port);
    await until(() => frames.length === 3, 'three connections');
    expect(connector.connected).toBe(true);
    expect(frames.map((frame) => frame.counter)).toEqual([1, 2, 3]);
    expect(new Set(events.map((event) => event.feeder))).toEqual(new Set([testIds.ofFeed(`127.0.0.1:${port}`)]));
  });

  it('closes a silent connection', async () => {
    const { counters, registry } = setup();
    let connections = 0;
    const { port } = await receiver(() => {
      connections += 1;
    });
    const connector = connecting(port, registry, 30);
    await until(() => connections >= 2, 'a second connection');
    expect(counters.get('idle')).toBeGreaterThan(0);
    await connector.close();
    const before = connections;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(connections).toBe(before);
  });

  it('waits longer each time, within its limits and with jitter', () => {
    expect([0, 1, 2, 3, 10, 1000].map((attempt) => reconnectDelayMs(attempt, 0, 500, 30_000))).toEqual([
      500, 1000, 2000, 4000, 30_000, 30_000,
    ]);
    expect(reconnectDelayMs(1, 0.5, 500, 30_000)).toBe(750);
    expect(reconnectDelayMs(1, 1, 500, 30_000)).toBe(500);
  });
});
