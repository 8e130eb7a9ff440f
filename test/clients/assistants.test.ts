// The tool server of the real service, called by programs of others: the SDK's clients in TypeScript and Python, over HTTP and as a
// program that they start (`squitter mcp`).
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectDir, pythonPackages } from '../support/requirements.ts';
import { freePort, type RunningService, squitterBin, startService, temporaryFolder } from '../support/service.ts';
import { call, createToolApi, textOf } from '../support/tool-api.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const python = pythonPackages();

const folder = temporaryFolder();
let service: RunningService;
beforeAll(async () => {
  service = await startService(folder.path, ['--simulate', '200']);
  await until(
    async () => ((await (await service.get('/v2/lat/52.31/lon/4.76/dist/250')).json()) as { total: number }).total > 2,
    'aircraft at Schiphol',
  );
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

const mcpCommand = (url: string): string[] => [process.execPath, squitterBin, 'mcp', '--url', url];

/** The SDK's client in TypeScript; query-api/mcp has it over HTTP. */
async function startClient(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const [command, ...args] = mcpCommand(url);
  await client.connect(new StdioClientTransport({ command: command!, args, stderr: 'ignore' }) as never);
  return client;
}

describe.each(['HTTP', 'a program'])('over %s', (way) => {
  it.skipIf(!python.met)(`the SDK's client in Python lists, calls and reads ${python.reason}`, async () => {
    const target = way === 'HTTP' ? ['http', `${service.url}/mcp`] : ['stdio', ...mcpCommand(service.url)];
    const { stdout } = await run(python.path, [join(projectDir, 'test/support/tool-client.py'), ...target]);
    expect(JSON.parse(stdout)).toMatchObject({
      initialized: {
        protocolVersion: '2025-11-25',
        serverInfo: { name: 'squitter' },
        instructions: expect.stringContaining('never interrupt'),
      },
      tools: ['get_aircraft', 'nearby_aircraft', 'network_stats'],
      near: { isError: false, structuredContent: { aircraft: [{}, {}] } },
      aircraft: { isError: false, content: [{ type: 'text' }] },
      stats: { isError: false },
      error: { isError: true, _meta: { code: 'bad-value' } },
      resources: ['squitter://fields'],
      prompts: ['overhead', 'aircraft', 'airport', 'network'],
      prompt: { messages: [{ content: { type: 'text' } }, { content: { type: 'resource', resource: { uri: 'squitter://airport/AMS' } } }] },
    });
  });
});

describe('squitter mcp', () => {
  it('outlives the service, and says when it is away', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const client = await startClient(url);
    // Lists need no service.
    expect((await client.listTools()).tools).toHaveLength(3);
    const away = await call(client, 'network_stats');
    expect(away).toMatchObject({ isError: true, _meta: { code: 'service-away', retry_after: 5 } });
    expect(textOf(away)).toBe(
      `no response from the service at ${url}: ECONNREFUSED. Start it with \`squitter start\`, or name another one with --url. Try again in 5 s.`,
    );
    await expect(client.readResource({ uri: 'squitter://airport/AMS' })).rejects.toMatchObject({
      code: -32603,
      data: { code: 'service-away' },
    });
    for (let times = 0; times < 2; times += 1) {
      const api = await createToolApi(3, { port });
      expect((await call(client, 'network_stats')).structuredContent).toMatchObject({ aircraft_total: 3 });
      await api.close();
      expect((await call(client, 'network_stats')).isError).toBe(true);
    }
    await client.close();
  });

  it('says what refuses the call when that is another program', async () => {
    const other = await createToolApi(3, { isAway: true });
    const lost = await startClient(other.url);
    expect(textOf(await call(lost, 'network_stats'))).toMatch(/does not take the call: status 404: there is no \/mcp here\.$/);
    await lost.close();
    await other.close();
  });

  it('writes nothing but messages, and a response to every request before it ends with its input', async () => {
    const { code, out, err } = await converse(service.url, [
      '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"network_stats"}}',
      'not a message',
      '',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"unknown"}',
      ...Array.from({ length: 2000 }, (_, i) =>
        JSON.stringify({ jsonrpc: '2.0', id: i + 10, method: 'ping', params: { x: 'x'.repeat(100) } }),
      ),
    ]);
    const messages = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: unknown; error?: { code: number } });
    expect(messages).toHaveLength(2002);
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(messages.find(({ id }) => id === 2)?.error?.code).toBe(-32601);
    expect(messages.find(({ id }) => id === 'a')).toMatchObject({ result: { structuredContent: {} } });
    expect(code).toBe(0);
    expect(err).toContain(`squitter mcp: tools of ${service.url}\n`);
    expect(err).toContain('squitter mcp: a line on standard input is not a message of JSON-RPC\n');
  });

  it('ends when a line never ends, and with SIGTERM', async () => {
    const endless = await converse(service.url, ['x'.repeat(3_000_000)]);
    expect(endless.out).toBe('');
    const child = spawn(process.execPath, mcpCommand(service.url).slice(1), { stdio: ['pipe', 'pipe', 'pipe'] });
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  });
});

it('the configurations in the document are valid, and start this program', () => {
  const text = readFileSync(join(projectDir, 'docs/use/assistants.md'), 'utf8');
  const blocks = [...text.matchAll(/```json\n(.*?)```/gs)].map((match) => JSON.parse(match[1]!) as object);
  expect(blocks).toHaveLength(4);
  expect(JSON.stringify(blocks)).toContain('dist/infra/cli/squitter.js","mcp","--url"');
});

/** Runs `squitter mcp` with these lines as its input. */
async function converse(url: string, lines: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, mcpCommand(url).slice(1), { stdio: ['pipe', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.stderr.on('data', (piece: Buffer) => err.push(piece));
  child.stdin.on('error', () => {});
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}
