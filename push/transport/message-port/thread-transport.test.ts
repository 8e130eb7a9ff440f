// The transport behind a message port, in a real thread, keeps the contract; and what happens when the thread ends.
import { describe, expect, test } from 'vitest';
import { limits } from '../../../schemas/limits.ts';
import { until } from '../../../test/support/until.ts';
import { Stand, type Subject, text } from '../contract/stand.contract.ts';
import type { TransportPreference } from '../open-transport.ts';
import { transportContract } from '../transport.contract.ts';
import { loadUws } from '../uws-native.ts';
import { packCalls, unpack, unpackPublished } from './messages.ts';
import { ThreadTransport } from './thread-transport.ts';

/** Built: this Node may not run TypeScript. */
const entry = new URL('../../../dist/infra/services/transport-thread.js', import.meta.url);
const uws = loadUws();

function subject(prefer: TransportPreference): Subject {
  const isUws = prefer === 'uws';
  return {
    open: (options, events) => ThreadTransport.open(entry, { ...options, prefer }, events),
    differences: { endsWithoutCloseFrame: isUws, takesUnmaskedFrames: isUws, losesEarlyMessages: isUws, closesMalformedRequests: isUws },
  };
}

// The port is the same for both adapters, and each keeps the contract by itself.
const prefer = 'module' in uws ? 'uws' : 'ws';
transportContract(`${prefer} behind a message port`, subject(prefer));

describe('the message port', () => {
  test('packs frames into one buffer, and leaves shared memory where it is', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(8)).subarray(2, 5);
    const frames = [text('ab'), { bytes: shared, isBinary: true }, text(''), text('cde')];
    const packed = packCalls([
      { type: 'send', socket: 1, frame: frames[0]! },
      { type: 'join', socket: 1, channel: 2 },
      { type: 'publish', frames: frames.slice(1).map((frame, i) => ({ channel: 2 ** 40 + i, ...frame })) },
    ]);
    expect(packed.buffer.byteLength).toBe(5);
    // Shared memory waits nowhere; calls themselves count a little.
    expect(packed.bytes).toBe(5 + 3 * 200);
    const inside = packed.calls.flatMap((call) => {
      if (call.type === 'send') return [unpack(call.frame, packed.buffer)];
      return call.type === 'publish' ? unpackPublished(call, packed.buffer) : [];
    });
    expect(inside.map(({ bytes }) => Buffer.from(bytes))).toEqual(frames.map(({ bytes }) => Buffer.from(bytes)));
    expect(inside.map(({ isBinary }) => isBinary)).toEqual([false, true, false, false]);
    expect(inside.slice(1).map((frame) => 'channel' in frame && frame.channel)).toEqual([0, 1, 2].map((i) => 2 ** 40 + i));
    expect(inside[1]!.bytes).toBe(shared);
    // One that waits for a slow client keeps only itself.
    expect(inside[0]!.bytes.buffer.byteLength).toBe(2);
  });

  test('a thread that fails or ends is reported', async () => {
    const broken = new URL('data:text/javascript,throw new Error("broken")');
    const none = { opening() {}, message() {}, behind() {}, drained() {}, closed() {} };
    const options = { host: '127.0.0.1', port: 0, flag: '--push', socketsMax: 1, hop: null, prefer: 'ws' } as const;
    await expect(ThreadTransport.open(broken, options, none)).rejects.toMatchObject({ code: 'worker.failed' });
    const mute = new URL('data:text/javascript,');
    await expect(ThreadTransport.open(mute, options, none)).rejects.toThrow('the thread ended unexpectedly');
  });

  test('a thread that hangs fails before what waits for it fills the memory', async () => {
    // Opens, and then takes nothing.
    const code = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => {});
      parentPort.postMessage({ type: 'opened', name: 'deaf', port: 1, reason: null, stats: {} });`;
    const none = { opening() {}, message() {}, behind() {}, drained() {}, closed() {} };
    const options = { host: '127.0.0.1', port: 0, flag: '--push', socketsMax: 1, hop: null, prefer: 'ws' } as const;
    const transport = await ThreadTransport.open(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options, none);
    const frame = { channel: 1, bytes: new Uint8Array(32 * 1024 * 1024), isBinary: true };
    for (let bytes = 0; bytes <= limits.pushThreadBytesMax; bytes += frame.bytes.length) {
      expect(transport.waitingBytes()).toBeGreaterThanOrEqual(bytes);
      transport.publish([frame]);
    }
    await expect(transport.failed).rejects.toThrow('it hangs');
    transport.publish([frame]);
    await transport.close();
  });

  test('a thread of which nothing is heard counts as failed, also before it listens', async () => {
    const none = { opening() {}, message() {}, behind() {}, drained() {}, closed() {} };
    const limited = {
      host: '127.0.0.1',
      port: 0,
      flag: '--push',
      socketsMax: 1,
      hop: null,
      prefer: 'ws',
      limits: { threadSilentMsMax: 200 },
    } as const;
    // A busy machine may take a second to start a thread.
    const patient = { ...limited, limits: { threadSilentMsMax: 2000 } };
    const file = (code: string): URL =>
      new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`);
    await expect(ThreadTransport.open(file('for (;;);'), limited, none)).rejects.toThrow('it hangs: nothing was heard of it for 0.2 s');
    const opened = "parentPort.postMessage({ type: 'opened', isNative: false, name: 'n', port: 1, reason: null, stats: {} });";
    const hanging = await ThreadTransport.open(file(`${opened} setTimeout(() => { for (;;); }, 10);`), patient, none);
    await expect(hanging.failed).rejects.toThrow('it hangs');
    await hanging.close();
    // One that reports lives on.
    const alive =
      "setInterval(() => parentPort.postMessage({ type: 'stats', stats: {} }), 50); parentPort.on('message', ({ type }) => { if (type === 'close') process.exit(); });";
    const living = await ThreadTransport.open(file(`${opened} ${alive}`), patient, none);
    expect(await Promise.race([living.failed.catch(() => 'failed'), new Promise((resolve) => setTimeout(resolve, 2500, 'lives'))])).toBe(
      'lives',
    );
    await living.close();
  });

  test('what is published in one call arrives in the order of all calls', async () => {
    const stand = await Stand.open(subject('ws'));
    const { client, socket } = await stand.webSocket();
    const { transport } = stand;
    transport.join(socket, 1);
    transport.send(socket, text('1'));
    transport.publish([{ channel: 1, ...text('2') }]);
    transport.send(socket, text('3'));
    transport.leave(socket, 1);
    transport.publish([{ channel: 1, ...text('x') }]);
    transport.send(socket, text('4'));
    transport.end(socket, 4000, 'done');
    await until(() => client.closeFrame !== null, 'a close frame');
    expect(client.messages.map(({ payload }) => payload.toString()).join('')).toBe('1234');
    await stand.close();
  });
});
