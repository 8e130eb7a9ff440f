// `squitter mcp`: the tool server on standard input and output, for assistants that start it as a program. The live data are those of a running service.
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { defineCommand, EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { textOption } from '../../pipeline/runtime/options.ts';
import { packageVersion } from '../../pipeline/runtime/package-root.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';
import { RemoteSource } from '../../query-api/mcp/remote-source.ts';
import { createToolServer } from '../../query-api/mcp/server.ts';
import { limits } from '../../schemas/limits/index.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'tools for an AI assistant that starts programs, over a running service',
  details:
    'Speaks the Model Context Protocol: JSON-RPC, one message per line, on standard input and output; everything else goes to standard error.\n' +
    'The service may come, go and restart meanwhile: a call without it has an error as its result. docs/use/assistants.md shows configurations.',
  examples: ['squitter mcp', 'squitter mcp --url http://192.0.2.10:8080'],
  options: {
    url: {
      ...textOption('url', 'URL', 'the HTTP port of the service'),
      fallback: new URL(DEFAULT_URL),
      parse: parseUrl,
    },
  },
  async run({ options, stdin, stdout, stderr, signal }) {
    const source = new RemoteSource(options.url);
    const writeLine = (text: string): void => void stderr.write(`squitter mcp: ${text}\n`);
    const transport = new CountingTransport(stdin, stdout);
    const server = createToolServer(source, { version: packageVersion() });
    server.onerror = () => writeLine('a line on standard input is not a message of JSON-RPC');
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    await server.connect(transport);
    void source.ping().then(
      () => writeLine(`tools of ${options.url.origin}`),
      (error: Error) => writeLine(error.message),
    );
    await Promise.race([transport.drained(stdin), closed, aborted(signal)]);
    await server.close();
    return EXIT_DONE;
  },
});

function parseUrl(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error('expected http://HOST:PORT');
  return new URL(text);
}

/** Knows which requests have no response yet, so that they get one when the input ends. */
class CountingTransport extends StdioServerTransport {
  private readonly open = new Set<string | number>();
  private settled: () => void = () => {};

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout, { maxBufferSize: limits.toolInputBytesMax });
    // The SDK calls it before its own listener.
    this.onmessage = (message: JSONRPCMessage) => {
      if (!('method' in message)) return;
      if ('id' in message) this.open.add(message.id);
      // A cancelled request gets no response.
      else if (message.method === 'notifications/cancelled') this.open.delete(message.params?.['requestId'] as string | number);
    };
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if ('id' in message && message.id !== undefined && !('method' in message)) this.open.delete(message.id);
    this.settled();
  }

  /** The input has ended, and every request has its response. */
  async drained(stdin: Readable): Promise<void> {
    await new Promise<void>((resolve) => {
      stdin.once('end', resolve).once('close', resolve);
    });
    while (this.open.size > 0)
      await new Promise<void>((resolve) => {
        this.settled = resolve;
      });
  }
}
