// The transport on uWebSockets.js keeps the contract, and holds next to nothing for clients that never read. Where its native code does not load, vitest's
// configuration leaves this suite out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { transportContract } from '../../test/contract/transport.contract.ts';
import { Stand, type Subject, upgradeHeaders } from '../../test/contract/transport-stand.ts';
import { RawClient } from '../../test/support/raw-web-socket.ts';
import { until } from '../../test/support/until.ts';
import { loadUws } from './uws-native.ts';
import { openUwsTransport } from './uws-transport.ts';

const uws = loadUws();
if ('reason' in uws) throw new Error(uws.reason);
const subject: Subject = {
  open: (options, events) => openUwsTransport(uws, options, events),
  differences: { endsWithoutCloseFrame: true, takesUnmaskedFrames: true, losesEarlyMessages: true, closesMalformedRequests: true },
};
transportContract('the transport on uWebSockets.js', subject);

test('stops listening while descriptors are short, instead of spinning', async () => {
  const transport = new URL('../../dist/modules/push/transport/open-transport.js', import.meta.url);
  const code = `import { openTransport } from ${JSON.stringify(transport.href)};
      const none = () => {};
      const events = { opening: none, message: none, behind: none, drained: none, closed: none };
      const options = { host: '127.0.0.1', port: 0, flag: '--push', socketsMax: 1000, hop: null, limits: { pushSweepMs: 50 }, prefer: 'uws' };
      console.log((await openTransport(options, events)).transport.port);`;
  const child = spawn('sh', ['-c', 'ulimit -n 300; exec "$0" --input-type=module -e "$1"', process.execPath, code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line);
  const crowd = Array.from({ length: 400 }, () => new RawClient(port));
  const isRefused = async (): Promise<boolean> => {
    const client = await new RawClient(port).request().until('a decision', ({ isClosed, socket }) => isClosed || !socket.connecting);
    client.socket.destroy();
    return client.isClosed;
  };
  await until(isRefused, 'refused connections');
  for (const client of crowd) client.destroy();
  await until(async () => !(await isRefused()), 'connections again');
  child.kill();
});

test('50 clients that never read a frame of 8 MB cost one fragment each', async () => {
  const stand = await Stand.open(subject);
  // In another process: what clients hold is not counted.
  const upgrade = Object.entries(upgradeHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const code = `setInterval(() => {}, 1000);
    for (let i = 0; i < 50; i++) {
      const socket = require('node:net').connect(${stand.transport.port}, '127.0.0.1');
      socket.pause();
      socket.write(${JSON.stringify(`GET / HTTP/1.1\r\nHost: x\r\n${upgrade.join('')}\r\n`)});
    }`;
  const clients = spawn(process.execPath, ['-e', code], { stdio: 'inherit' });
  await stand.untilReported('50 sockets', () => stand.openings.length === 50);
  for (const { socket } of stand.openings) stand.transport.join(socket, 1);
  const bytes = new Uint8Array(8 * 1024 * 1024).fill(66);
  const before = process.memoryUsage().rss;
  await stand.transport.publish([{ channel: 1, bytes, isBinary: true }]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const grownMb = (process.memoryUsage().rss - before) / 1e6;
  // All but what the kernel took is queued.
  expect(stand.transport.stats().queuedBytes).toBeGreaterThan(50 * 1024 * 1024);
  // 50 fragments of 48 KiB are 2.5 MB; 50 copies would be hundreds.
  expect(grownMb).toBeLessThan(15);
  clients.kill();
  await stand.close();
});
