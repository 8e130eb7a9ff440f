// Admission of connections from any address, and of many feeders over real sockets: refused with a reason, in few log lines.

import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import { testIds } from '../../test/support/secret.ts';
import { until } from '../../test/support/until.ts';
import { Counters } from '../runtime/counters.ts';
import { writeBeastFrame } from './beast-writer.ts';
import { FeederRegistry } from './feeder-registry.ts';
import { ReceiverTable } from './receivers.ts';
import { FeederGuard, listenForFeeders } from './tcp-listener.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A registry, and what it reports. */
function feeders() {
  const counters = new Counters();
  const lines: { message: string; repeated: number }[] = [];
  const log = (fields: object, message: string): void => {
    lines.push({ message, repeated: (fields as { repeated?: number }).repeated ?? 1 });
  };
  let frames = 0;
  const add = (): void => {
    frames += 1;
  };
  const target = { congested: false, whenClear: async () => {}, add };
  const nowUs = (): number => 1_700_000_000_000_000 + frames;
  const registry = new FeederRegistry({
    target,
    receivers: new ReceiverTable(),
    counters,
    nowUs,
    ids: testIds,
    isBanned: () => false,
    onSeen: () => {},
    onStatus: () => {},
    log: { info: log, warn: log },
  });
  return { counters, lines, registry, frames: () => frames };
}

const target = new Uint8Array(44);
const FRAME = Buffer.from(target.slice(0, writeBeastFrame(target, 0, createReceivedFrame(new Uint8Array(14).fill(0x11)))));

describe('admission', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A listener to which connections of any address come. */
  function listener(connectionsMax: number, connectionsPerAddressMax: number | null) {
    const { counters, registry } = feeders();
    const server = createServer();
    new FeederGuard({ host: '', port: 0, flag: '', registry, connectionsMax, connectionsPerAddressMax }).attach(server);
    const connected = (address: string): Socket => {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
      cleanUps.push(() => socket.destroy());
      server.emit('connection', socket);
      return socket;
    };
    /** Why a connection of this address is refused; null if it is not. */
    const refusal = (address: string): string | null => {
      const before = new Map(counters.values);
      const isRefused = connected(address).destroyed;
      return isRefused ? ['address_limit', 'connection_limit'].find((name) => counters.get(name) > (before.get(name) ?? 0))! : null;
    };
    return { connected, refusal, registry };
  }

  const gone = async (socket: Socket): Promise<void> => {
    socket.destroy();
    await once(socket, 'close');
  };

  it('limits the connections of one address and of one IPv6 network', async () => {
    const { connected, refusal } = listener(100, 2);
    const first = connected('192.0.2.1');
    expect(refusal('192.0.2.1')).toBeNull();
    expect(refusal('192.0.2.1')).toBe('address_limit');
    expect(refusal('192.0.2.2')).toBeNull();
    await gone(first);
    expect(refusal('192.0.2.1')).toBeNull();
    expect(refusal('192.0.2.1')).toBe('address_limit');
    connected('2001:db8::1');
    connected('2001:db8:0:0:ffff::2');
    expect(refusal('2001:db8::3')).toBe('address_limit');
    expect(refusal('2001:db8:0:1::3')).toBeNull();
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
    feeding.emit('data', FRAME);
    for (let open = 4; open < 9; open += 1) expect(refusal('192.0.2.9')).toBeNull();
    expect(longer.destroyed).toBe(false);
    expect(refusal('192.0.2.9')).toBeNull();
    expect([longer.destroyed, silent.destroyed]).toEqual([true, false]);
    expect(refusal('192.0.2.9')).toBeNull();
    expect(silent.destroyed).toBe(true);
    await until(() => registry.connections === 9);
    expect(refusal('192.0.2.9')).toBeNull();
    expect(refusal('192.0.2.9')).toBe('connection_limit');
    expect([feeding.destroyed, waiting.destroyed]).toEqual([false, false]);
  });
});

describe('a crowd', () => {
  async function listening(connectionsMax: number, connectionsPerAddressMax: number) {
    const { registry, ...seen } = feeders();
    const listener = await listenForFeeders({
      host: '127.0.0.1',
      port: 0,
      flag: '--listen',
      registry,
      connectionsMax,
      connectionsPerAddressMax,
    });
    cleanUps.push(() => Promise.all([registry.close(), listener.close()]));
    return { ...seen, registry, port: listener.port };
  }

  const feeder = (port: number, from: string): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      cleanUps.push(() => socket.destroy());
      socket.on('error', () => resolve(socket)).once('connect', () => resolve(socket));
    });

  it('of one address locks no other address out', async () => {
    const { counters, registry, port, lines } = await listening(100, 5);
    for (let i = 0; i < 50; i += 1) await feeder(port, '127.0.0.1');
    await until(() => counters.get('address_limit') === 45);
    expect(registry.connections).toBe(5);
    if (process.platform === 'linux') {
      await feeder(port, '127.0.0.2');
      await until(() => registry.connections === 6);
    }
    expect(lines.length).toBeLessThanOrEqual(limits.feederLinesMax);
  });
});
