// The tool server over HTTP: Streamable HTTP without sessions and without streams. Each request is complete in itself, so any process can take it. There is
// nothing to GET and no session to DELETE: both are 405, as the specification has it for such a server.
import type { IncomingHttpHeaders } from 'node:http';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { CallerAccess } from '../access/access.ts';
import { admitToTools, type ToolAccess } from '../access/tool-access.ts';
import type { Exchange, Protocol } from '../protocol.ts';
import type { ReadModel } from '../queries/read-model.ts';
import { type CountCall, localSource } from './local-source.ts';

export interface ToolProtocolOptions extends ToolAccess {
  readonly access: CallerAccess;
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  /** Version of the package. */
  readonly version: string;
  readonly countCall?: CountCall;
  /** Called with errors that are no fault of a caller. */
  readonly onFault?: (error: unknown) => void;
}

const INVALID_REQUEST = -32600;
const JSON_TYPE = 'application/json';

export function toolProtocol(model: ReadModel, options: ToolProtocolOptions): Protocol {
  const { baseUrl, version, countCall = () => {}, onFault = () => {} } = options;
  const observers = { countCall, onFault };
  const serverOptions = { version, onUnknownTool: () => countCall('unknown', 'unknown-tool') };
  return {
    // Discovery is free: calls and resources count by themselves.
    routes: [{ path: '/mcp', methods: ['POST'], cost: 'none' }],
    bodyBytesMax: limits.toolBodyBytesMax,
    exposedHeaders: ['WWW-Authenticate'],
    admit({ request, caller }) {
      const { origin } = request.headers;
      if (origin !== undefined && !isTrustedOrigin(origin, baseUrl))
        throw new SquitterError('access.wrong_origin', { origin: origin.slice(0, limits.toolShownCharactersMax) });
      admitToTools(caller, request.socket.remoteAddress ?? '', request.headers, options);
    },
    async handle(exchange) {
      const { request, body, caller } = exchange;
      const messages = parse(body);
      if (Array.isArray(messages) && (messages.length === 0 || messages.length > limits.toolBatchMax)) {
        const message = `a batch has 1 to ${limits.toolBatchMax} messages, this one has ${messages.length}`;
        respond(exchange, 400, JSON.stringify({ jsonrpc: '2.0', error: { code: INVALID_REQUEST, message }, id: null }));
        return;
      }
      const { exchangeMessages } = await import('./sdk-exchange.ts');
      const asker = { tier: caller.tier, contribute: `${baseUrl === '' ? ownAddress(request.headers) : baseUrl}/contribute` };
      let isCounted = false;
      const source = localSource(model, asker, observers, () => {
        isCounted = true;
        return options.access.admit(caller, 'turn');
      });
      const { status, text } = await exchangeMessages(
        source,
        serverOptions,
        checkedHeaders(request.headers),
        withoutCancellations(messages),
      );
      respond(exchange, status, text);
      if (isCounted) options.access.spend(caller, Buffer.byteLength(text));
    },
  };
}

/**
 * Browsers send the origin of the page. A page whose name resolves to this machine (DNS rebinding) has that name in its origin: only pages of this machine
 * and of the public address are trusted.
 */
export function isTrustedOrigin(origin: string, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname, origin: canonical } = new URL(origin);
  if (baseUrl !== '' && canonical === new URL(baseUrl).origin) return true;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Responses are always JSON, so a client that accepts only that is welcome, too. */
function checkedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { accept = '*/*', 'content-type': type = '', 'mcp-protocol-version': version } = headers;
  const acceptsJson = /\*\/\*|application\/(\*|json)/i.test(accept);
  return {
    accept: acceptsJson ? `${JSON_TYPE}, text/event-stream` : accept,
    'content-type': type,
    ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
  };
}

/** Undefined for a body that is not JSON: the SDK has the response for it. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** There is nothing to cancel from one request to the next. Within a batch a cancelled request would get no response, and the batch neither. */
function withoutCancellations(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.filter((message: { method?: unknown; id?: unknown } | null) => {
    return message?.method !== 'notifications/cancelled' || message.id !== undefined;
  });
}

function ownAddress({ host }: IncomingHttpHeaders): string {
  return host === undefined ? '' : `http://${host}`;
}

function respond({ response }: Exchange, status: number, body: string): void {
  const type = body === '' ? {} : { 'content-type': JSON_TYPE };
  response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' }).end(body);
}
