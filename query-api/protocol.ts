// Further protocols on the HTTP port, in terms of node:http: a protocol lists its routes and takes their requests. `http/protocols.ts` mounts it behind the
// same hooks, limits and metrics as every other route; `infra/services` puts both together.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Snapshot } from '../pipeline/view/snapshot.ts';
import type { SquitterError } from '../schemas/errors.ts';
import type { Cost } from './access/access.ts';
import type { Caller } from './access/caller.ts';

export interface ProtocolRoute {
  /** The exact path, for example `/mcp`. */
  readonly path: string;
  /** Other methods get a 405. HEAD comes with GET, and the HTTP API responds to OPTIONS. */
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** Cost of each request; `bytes` if the protocol counts turns or sockets itself. */
  readonly cost: Cost;
}

/** A successful response from a snapshot. */
export interface SnapshotBody {
  readonly snapshot: Snapshot;
  /** Makes the body; it is not called if the client already has the response. */
  readonly make: () => string | Buffer;
  readonly contentType: string;
  /** Input of `make` besides URL and snapshot, for the ETag. */
  readonly variant?: string;
  /** The bytes differ from one response to the next without a difference that matters: the ETag is a weak one. */
  readonly isWeak?: boolean;
}

/** One request, with its whole body. */
export interface Exchange {
  readonly request: IncomingMessage;
  /** Headers of CORS and `x-request-id` are set. The protocol ends it, unless it calls `send`. */
  readonly response: ServerResponse;
  /** Responds as REST does: the same headers, ETag and 304, and compression. Its errors are those of `take`. */
  send(body: SnapshotBody): void | Promise<void>;
  /** The path of the route. */
  readonly path: string;
  /** Only POST has one; otherwise empty. */
  readonly body: Buffer;
  readonly caller: Caller;
  /** The request's id, for logs and errors. */
  readonly id: string;
}

export interface Protocol {
  readonly routes: readonly ProtocolRoute[];
  /** A larger body is refused with `api.body_too_large`. */
  readonly bodyBytesMax: number;
  /** Headers of responses that pages of other origins may read, besides those of the HTTP API. */
  readonly exposedHeaders: readonly string[];
  /** Called before the body is read. A thrown error is the response. */
  admit?(exchange: Omit<Exchange, 'body'>): void;
  /** Errors are refused. Those outside the catalogue are logged and become `api.internal`. A response that has begun is ended. */
  handle(exchange: Exchange): void | Promise<void>;
  /** Responds to a request that was refused, in the protocol's own form; without it the response is a problem, as of other routes. */
  refuse?(error: SquitterError, exchange: Omit<Exchange, 'caller' | 'body'>): void | Promise<void>;
  /** The server is closing: streams must end now. */
  stop?(): void;
}
