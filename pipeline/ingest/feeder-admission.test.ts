// Admission of connections by counts alone, and of many feeders over real sockets: refused with a reason, in few log lines.
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import { testIds } from '../../test/support/secret.ts';
import { until } from '../../test/support/until.ts';
import { Counters } from '../runtime/counters.ts';
import { beastUuidMessage, writeBeastFrame } from './beast-writer.ts';
import { type Admitted, FeederAdmission } from './feeder-admission.ts';
import { FeederRegistry } from './feeder-registry.ts';
import { ReceiverTable } from './receivers.ts';
import { listenForFeeders } from './tcp-listener.ts';

interface FakeSession {
  readonly address: string;
  heardMs: number;
  paused: boolean;
  closed: string | null;
}

describe('admission', () => {
  const session = (address: string, heardMs = 0): FakeSession & Admitted => {
    const fake = {
      address,
      heardMs,
      paused: false,
      closed: null as string | null,
      get isClosed() {
        return fake.closed !== null;
      },
      silentMs: (nowMs: number) => (fake.paused ? 0 : nowMs - fake.heardMs),
      close: (reason: string) => {
        fake.closed = reason;
      },
    };
    return fake as unknown as FakeSession & Admitted;
  };

  it('limits the connections of one address and of one IPv6 network', () => {
    const admission = new FeederAdmission({ connectionsMax: 100, connectionsPerAddressMax: 2 });
    const first = session('192.0.2.1');
    admission.enter(first);
    expect(admission.refusal('192.0.2.1', 1, 0)).toBeNull();
    admission.enter(session('192.0.2.1'));
    expect(admission.refusal('192.0.2.1', 2, 0)).toBe('address_limit');
    expect(admission.refusal('192.0.2.2', 2, 0)).toBeNull();
    admission.leave(first);
    admission.leave(first);
    expect(admission.refusal('192.0.2.1', 1, 0)).toBeNull();
    admission.enter(session('2001:db8::1'));
    admission.enter(session('2001:db8:0:0:ffff::2'));
    expect(admission.refusal('2001:db8::3', 3, 0)).toBe('address_limit');
    expect(admission.refusal('2001:db8:0:1::3', 3, 0)).toBeNull();
  });

  it('gives one address a quarter of few connections, unless a number is given', () => {
    const room = (connectionsMax: number, connectionsPerAddressMax: number | null): number => {
      const admission = new FeederAdmission({ connectionsMax, connectionsPerAddressMax });
      let open = 0;
      for (; open < 200 && admission.refusal('192.0.2.1', open, 0) === null; open += 1) admission.enter(session('192.0.2.1'));
      return open;
    };
    expect([room(35, null), room(1024, null), room(3, null), room(35, 35)]).toEqual([9, 64, 1, 35]);
  });

  it('closes the longest silent connection when connections are nearly used up, and keeps those with frames', () => {
    const admission = new FeederAdmission({ connectionsMax: 10, connectionsPerAddressMax: 10 });
    const feeding = session('192.0.2.1', 40_000);
    const silent = session('192.0.2.2', 5000);
    const longer = session('192.0.2.3', 1000);
    const waiting = session('192.0.2.4', 0);
    waiting.paused = true;
    for (const one of [feeding, silent, longer, waiting]) admission.enter(one);
    const nowMs = 5000 + limits.feederSilentMsMax;
    expect(admission.refusal('192.0.2.9', 8, nowMs)).toBeNull();
    expect(longer.closed).toBeNull();
    expect(admission.refusal('192.0.2.9', 9, nowMs)).toBeNull();
    expect(longer.closed).toBe('silent');
    expect(admission.refusal('192.0.2.9', 10, nowMs)).toBeNull();
    expect(silent.closed).toBe('silent');
    expect(admission.refusal('192.0.2.9', 10, nowMs)).toBe('connection_limit');
    expect([feeding.closed, waiting.closed]).toEqual([null, null]);
  });
});

describe('a crowd', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function listening(connectionsMax: number, connectionsPerAddressMax: number) {
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
    const listener = await listenForFeeders({
      host: '127.0.0.1',
      port: 0,
      flag: '--listen',
      registry,
      connectionsMax,
      connectionsPerAddressMax,
    });
    cleanUps.push(() => Promise.all([registry.close(), listener.close()]));
    return { counters, lines, registry, port: listener.port, frames: () => frames };
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

  it('of feeders with different ids writes few lines, and the lines say how many there were', async () => {
    const { lines, registry, port, frames } = await listening(1000, 1000);
    const target = new Uint8Array(44);
    const frame = target.slice(0, writeBeastFrame(target, 0, createReceivedFrame(new Uint8Array(14).fill(0x11))));
    for (let i = 0; i < 200; i += 1) {
      const uuid = `2ad03ec3-bb62-4396-a1a1-${i.toString(16).padStart(12, '0')}`;
      (await feeder(port, '127.0.0.1')).end(Buffer.concat([beastUuidMessage(uuid), frame]));
    }
    await until(() => frames() === 200 && registry.connections === 0);
    await registry.close();
    for (const kind of ['feeder seen', 'feeder gone']) {
      const written = lines.filter(({ message }) => message === kind);
      expect(written).toHaveLength(limits.feederLinesMax + 1);
      expect(written.reduce((sum, { repeated }) => sum + repeated, 0)).toBe(200);
    }
  });
});
