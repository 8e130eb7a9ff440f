// A request of node:http or node:http2 as a call of a handler, and its response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol';
import { universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { callKey, type RecordCall } from './records.ts';

export interface NodeCall {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Deadlines for which a timer is too short; they are no deadlines. gRPC has digits and a unit, Connect has ms. */
const LONG_DEADLINE = /^(\d{3,}H|\d{5,}M|\d{7,}S|\d{10,})$/;
const DEADLINES = ['grpc-timeout', 'connect-timeout-ms'];
const STATUS = 'grpc-status';
const MESSAGE = 'grpc-message';
const INTERNAL = String(Code.Internal);

/** Calls a handler. `changed` are headers that it sees otherwise than the client sent them; null hides one. Rejects with unexpected errors only. */
export async function callHandler(
  handler: UniversalHandler,
  { request, response, body }: NodeCall,
  call: RecordCall,
  changed: Readonly<Record<string, string | null>> = {},
): Promise<UniversalServerResponse> {
  const header = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (!name.startsWith(':')) header.set(name, String(value));
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) header.delete(name);
    else header.set(name, value);
  }
  for (const name of DEADLINES) if (LONG_DEADLINE.test(header.get(name) ?? '')) header.delete(name);
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort(new ConnectError('the client is gone', Code.Canceled));
  });
  const responded = await handler({
    httpVersion: request.httpVersion,
    method: request.method === 'HEAD' ? 'GET' : request.method!,
    // The host does not matter, and may be anything.
    url: `http://localhost${request.url!.replace(/^[^?]*/, handler.requestPath)}`,
    header,
    body,
    signal: gone.signal,
    contextValues: createContextValues().set(callKey, call),
  });
  const { trailer } = responded;
  const pieces = responded.body === undefined ? {} : { body: reported(responded.body, call) };
  if (trailer === undefined) return { ...responded, ...pieces };
  return {
    ...responded,
    ...pieces,
    // It is complete after the body.
    get trailer() {
      // The library has an internal error for some messages that it cannot read.
      if (!call.isRead && trailer.get(STATUS) === INTERNAL) trailer.set(STATUS, String(Code.InvalidArgument));
      return withPlainMessage(trailer);
    },
  };
}

async function* reported(body: AsyncIterable<Uint8Array>, call: RecordCall): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    call.onBytes(piece.length);
    yield piece;
  }
}

/** The same trailer, with a `grpc-message` in which only what must be is percent-encoded: `@grpc/grpc-js` shows other commas as `%2C`. */
export function withPlainMessage(trailer: Headers): Headers {
  const message = trailer.get(MESSAGE);
  if (message !== null) trailer.set(MESSAGE, encodeURI(decodeURIComponent(message)));
  return trailer;
}

/** Writes a response; each piece when the client has taken the previous ones. Rejects with unexpected errors only. */
export async function writeResponse(responded: UniversalServerResponse, { response }: NodeCall): Promise<void> {
  try {
    await universalResponseToNodeResponse(responded, response);
  } catch (error) {
    // The client is gone.
    if (!response.destroyed) throw error;
  }
}
