// One HTTP request through the SDK: a server and a transport for it alone, as the SDK demands without sessions. The SDK has 15 MB and is loaded with the first
// request: most services never see one.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createToolServer, type ToolServerOptions, type ToolSource } from './server.ts';

/** The SDK reads nothing else of a URL than that it is one. */
const REQUEST_URL = 'http://localhost/mcp';

/** The response to `messages`: one or a batch; undefined for a body that is not JSON. Its text is JSON, or nothing. `headers`: those that the SDK checks. */
export async function exchangeMessages(source: ToolSource, options: ToolServerOptions, headers: Record<string, string>, messages: unknown) {
  const server = createToolServer(source, options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const request = new Request(REQUEST_URL, { method: 'POST', headers });
    const response = await transport.handleRequest(request, { parsedBody: messages });
    return { status: response.status, text: await response.text() };
  } finally {
    await server.close();
  }
}
