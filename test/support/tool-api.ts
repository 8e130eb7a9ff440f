// The tool server over a test view on a real port, with clients of the SDK.
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { type ToolProtocolOptions, toolProtocol } from '../../query-api/mcp/streamable-http.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { createApiOver, createTestView, testModel } from './live-view.ts';

export type ToolApi = Awaited<ReturnType<typeof createToolApi>>;

export type ToolApiOptions = Partial<
  ReadModel &
    ToolProtocolOptions & {
      readonly port: number;
      /** The API has no tool server. */
      readonly isAway: boolean;
    }
>;

export async function createToolApi(aircraft: number, options: ToolApiOptions = {}) {
  const counted: string[] = [];
  const faults: unknown[] = [];
  const view = await createTestView(aircraft, options.reference);
  const model = testModel(view, options);
  const protocol = toolProtocol(model, {
    ...{ access: unlimitedAccess, baseUrl: 'https://planes.example', version: '1.2.3', isTrialOpen: false },
    countCall: (tool, result) => counted.push(`${tool} ${result}`),
    onFault: (error) => faults.push(error),
    ...options,
  });
  const api = await createApiOver(view, { ...options, protocols: options.isAway === true ? [] : [protocol] });
  await api.app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
  const clients: Client[] = [];
  return {
    ...api,
    url,
    /** Calls as they were counted: tool and result. */
    counted,
    faults,
    /** A connected client. */
    async connect(): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)) as never);
      clients.push(client);
      return client;
    },
    /** A POST to /mcp. A text is sent as it is, any other body as JSON. */
    post: (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close(): Promise<void> {
      for (const client of clients) await client.close();
      await api.app.close();
    },
  };
}

/** The result of a tool, which is not one of a task. */
export async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: given })) as CallToolResult;
}

/** The only text of a result. */
export function textOf({ content }: CallToolResult): string {
  const [block, ...others] = content;
  if (block?.type !== 'text' || others.length > 0) throw new Error('expected one text');
  return block.text;
}
