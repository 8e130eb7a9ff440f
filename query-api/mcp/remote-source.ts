// The tools of a service elsewhere, over its /mcp. Every request is complete in itself: a service that restarts in between is not noticed.
import { limits } from '../../schemas/limits/index.ts';
import { QueryError } from '../queries/errors.ts';
import type { ToolName } from './definitions.ts';
import type { ResourceContents } from './resources.ts';
import { INTERNAL_ERROR, RpcError, toRpcError } from './rpc-error.ts';
import type { ToolSource } from './server.ts';
import { errorResult, type ToolArguments, type ToolResult } from './tools.ts';

const RETRY_AFTER_S = 5;

type RpcResponse =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: object } };

export class RemoteSource implements ToolSource {
  private readonly url: URL;
  private requests = 0;

  /** `url`: the address of the service. */
  constructor(url: URL) {
    this.url = new URL('/mcp', url);
  }

  /** A failed connection is a result, so that the assistant can say it. */
  async callTool(name: ToolName, given: ToolArguments): Promise<ToolResult> {
    try {
      return (await this.request('tools/call', { name, arguments: given })) as ToolResult;
    } catch (error) {
      if (error instanceof QueryError) return errorResult(error, {});
      throw error;
    }
  }

  async readResource(uri: string): Promise<ResourceContents> {
    try {
      return (await this.request('resources/read', { uri })) as ResourceContents;
    } catch (error) {
      throw toRpcError(error, INTERNAL_ERROR);
    }
  }

  /** Resolves if the service responds. Errors: those of `request`. */
  async ping(): Promise<void> {
    await this.request('ping', {});
  }

  /** Errors: `tools.service_away`, `tools.service_refuses`; `RpcError` of the service. */
  private async request(method: string, params: object): Promise<object> {
    this.requests += 1;
    const { status, text } = await this.post(JSON.stringify({ jsonrpc: '2.0', id: this.requests, method, params }));
    const response = parse(text);
    if (response === null) throw this.refusal(status, text);
    if ('result' in response) return response.result;
    const { code, message, data } = response.error;
    throw new RpcError(code, message, data as Record<string, unknown> | undefined);
  }

  private async post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const send = async () => {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(limits.toolServiceMsMax),
      });
      return { status: response.status, text: await bounded(response) };
    };
    try {
      // Once more: the service may have ended a connection that was kept open.
      return await send().catch((error: unknown) => (isTimeout(error) ? Promise.reject(error) : send()));
    } catch (error) {
      throw new QueryError('tools.service_away', { url: this.url.origin, detail: reason(error) }, { retryAfterS: RETRY_AFTER_S });
    }
  }

  /** A response that is not JSON-RPC: of the HTTP API, of a proxy, of another program. */
  private refusal(status: number, text: string): QueryError {
    let detail = `status ${status}`;
    try {
      const { detail: given } = JSON.parse(text) as { detail?: unknown };
      if (typeof given === 'string') detail = `${detail}: ${given.slice(0, limits.toolShownCharactersMax)}`;
    } catch {
      // The status says enough.
    }
    return new QueryError('tools.service_refuses', { url: this.url.origin, detail }, status === 503 ? { retryAfterS: RETRY_AFTER_S } : {});
  }
}

/** Null for anything else. */
function parse(text: string): RpcResponse | null {
  try {
    const response = JSON.parse(text) as RpcResponse & { readonly jsonrpc?: unknown };
    return response.jsonrpc === '2.0' && ('result' in response || 'error' in response) ? response : null;
  } catch {
    return null;
  }
}

async function bounded({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > limits.toolResponseBytesMax) throw new Error(`the response has more than ${limits.toolResponseBytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function isTimeout(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError';
}

/** The text of `fetch` says little, that of its cause more. */
function reason(error: unknown): string {
  if (isTimeout(error)) return `no response within ${limits.toolServiceMsMax / 1000} s`;
  const { message, cause } = error as Error & { cause?: Error & { code?: string } };
  return (cause?.code ?? cause?.message) || message;
}
