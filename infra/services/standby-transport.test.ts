// The transport that starts with the first connection: threads that hang, do not load or end are replaced, and the process stays.
import { createServer } from 'node:net';
import type { Logger } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { loadUws } from '../../push/transport/uws-native.ts';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { RawClient, upgradeHeaders } from '../../test/support/raw-web-socket.ts';
import { requirement } from '../../test/support/requirements.ts';
import { until } from '../../test/support/until.ts';
import { StandbyTransport } from './standby-transport.ts';

const entry = new URL('../../dist/infra/services/transport-thread.js', import.meta.url);
const serve = new URL('../../dist/push/transport/message-port/serve.js', import.meta.url);
const uws = loadUws();
const { met, reason } = requirement('module' in uws, 'reason' in uws ? `skipped: ${uws.reason}` : '');

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** As the real entry, and then `code`. */
function entryThat(code: string): URL {
  const text = `import { parentPort, workerData } from 'node:worker_threads'; import { serveTransport } from ${JSON.stringify(serve.href)};
    ${code}
    await serveTransport(parentPort, workerData, (abandon) => process.once('exit', abandon)); process.exit();`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}

async function open(file: URL, prefer: 'uws' | 'ws' = 'ws', port = 0) {
  const lines: string[] = [];
  const log = (level: string) => (fields: object, text: string) => lines.push(`${level} ${JSON.stringify(fields)} ${text}`);
  const logger = { info: log('info'), warn: log('warn'), error: log('error') } as unknown as Logger;
  const closed: number[] = [];
  const thread = {
    host: '127.0.0.1',
    port,
    flag: '--push',
    socketsMax: 10,
    hop: 'secret',
    prefer,
    limits: { stopMsMax: 200, sweepMs: 50, threadSilentMsMax: 1500 },
  };
  const transport: StandbyTransport = await StandbyTransport.open(
    { file, thread, handOver: new HandOver(10), logger },
    {
      opening: ({ socket, address, headers }) => {
        expect([address, headers['x-squitter-hop']]).toEqual(['127.0.0.1', undefined]);
        transport.accept(socket, null);
      },
      message: (socket, text) => transport.send(socket, { bytes: Buffer.from(`${socket} ${text}`), isBinary: false }),
      behind() {},
      drained() {},
      closed: (socket) => closed.push(socket),
    },
  );
  cleanUps.push(() => transport.close());
  const client = (): RawClient => {
    const raw = new RawClient(transport.port).request({ headers: upgradeHeaders });
    cleanUps.push(() => raw.destroy());
    return raw;
  };
  /** A client that gets an answer to a message, after refusals and ends. */
  const comesBack = (): Promise<string> =>
    until(async () => {
      const raw = await client().until('a response', ({ status, isClosed, isEnded }) => status !== 0 || isClosed || isEnded);
      if (raw.status !== 101) return null;
      raw.text('hello');
      await raw.until('the text', ({ messages, isClosed, isEnded }) => messages.length > 0 || isClosed || isEnded);
      return raw.messages[0]?.payload.toString();
    }, 'a client that comes back');
  return { transport, lines, closed, client, comesBack };
}

describe('a transport that starts with the first connection', () => {
  it('reports a port in use at once', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => other.close());
    const { port } = other.address() as { port: number };
    await expect(open(entry, 'ws', port)).rejects.toMatchObject({ code: 'listen.port_in_use', details: { flag: '--push' } });
  });

  it('has no thread before; all of a crowd that comes first is served; it closes also without a thread', async () => {
    const idle = await open(entry);
    await idle.transport.close();
    const { transport, client, lines } = await open(entry);
    expect([transport.name, transport.reason, lines]).toEqual(['ws', null, []]);
    const crowd = Array.from({ length: 10 }, client);
    for (const raw of crowd) await raw.until('the upgrade', ({ status }) => status === 101);
    expect(transport.name).toMatch(/^ws 8\./);
    expect(transport.stats()).toMatchObject({ openings: expect.any(Number) as number });
    const over = await client().until('a refusal', ({ status }) => status !== 0);
    expect(over.status).toBe(503);
  });

  it('a thread that does not load: 503 without the cause, and a pause that grows', async () => {
    const { transport, client, lines } = await open(entryThat("if (!globalThis.process.env.never) throw new Error('private cause');"));
    for (let failures = 1; failures <= 2; failures += 1) {
      const raw = await until(async () => {
        const tried = await client().until('a response', ({ status, isClosed, isEnded }) => status !== 0 || isClosed || isEnded);
        return transport.failures === failures && tried;
      }, `failure ${failures}`);
      expect(raw.status).toBe(503);
      expect(raw.response!.head).toMatch(/retry-after: 1/i);
      expect(raw.response!.body.toString()).not.toContain('private');
      expect(transport.problem()).toContain('private cause');
    }
    expect(lines.filter((line) => line.startsWith('error')).map((line) => /"pauseMs":(\d+)/.exec(line)![1])).toEqual(['1000', '2000']);
    expect(lines[0]).toContain('private cause');
  });

  it.each(['ws', ...(met ? ['uws'] : [])] as ('ws' | 'uws')[])(
    '%s: a thread that hangs fails, and the next one serves; numbers of sockets go on',
    async (prefer) => {
      const hang =
        'if (!workerData.socketsBefore) setTimeout(() => { const end = performance.now() + 4000; while (performance.now() < end); }, 700);';
      const { transport, closed, comesBack, lines } = await open(entryThat(hang), prefer);
      expect(await comesBack()).toMatch(/^1 hello$/);
      await until(() => transport.failures === 1, 'the failure');
      expect(lines.some((line) => /it hangs: nothing was heard of it for 1\.5 s.*failed/.test(line))).toBe(true);
      // The hub knows of none of its sockets any more.
      expect(closed).toContain(1);
      expect(transport.problem()).not.toBeNull();
      const [number] = (await comesBack()).split(' ');
      expect(Number(number)).toBeGreaterThan(1);
      expect(transport.problem()).toBeNull();
      await until(() => transport.stats().framesSent >= 1, 'its counts');
    },
  );

  it.each(['ws', ...(met ? ['uws'] : [])] as ('ws' | 'uws')[])('%s: a thread that throws, or exits', async (prefer) => {
    for (const end of ["throw new Error('oops')", 'process.exit(3)']) {
      const { transport, comesBack } = await open(entryThat(`if (!workerData.socketsBefore) setTimeout(() => { ${end}; }, 500);`), prefer);
      await comesBack();
      await until(() => transport.failures === 1, 'the failure');
      await comesBack();
      expect(transport.failures).toBe(1);
      await transport.close();
    }
  });
});

if (!met) describe.skip(`with uWebSockets.js ${reason}`, () => it('is not tried', () => {}));
