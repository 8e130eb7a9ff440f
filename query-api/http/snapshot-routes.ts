// Routes that respond from the current snapshot: rows, and one function that registers them. 503 without a snapshot comes before every other error of a row.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { Caller } from '../access/caller.ts';
import { freshSnapshot } from '../queries/freshness.ts';
import type { PastQuery } from '../queries/past.ts';
import type { ApiContext } from './context.ts';
import type { ReadyResponse } from './responses/ready-responses.ts';
import { type MadeText, sendMade, sendReady } from './responses/response.ts';
import { type FlightsAt, sendPast } from './responses/send-past.ts';
import { type Operation, schemaOf } from './schemas/build.ts';

/** A request with the newest snapshot. Parameters are as the row's schema has them. */
export interface SnapshotRequest<Params = unknown, Query = unknown> extends RowRequest<Params, Query> {
  readonly snapshot: Snapshot;
  readonly caller: Caller;
}

/** A request that needs no snapshot. */
export interface RowRequest<Params = unknown, Query = unknown> {
  readonly context: ApiContext;
  readonly params: Params;
  readonly query: Query;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The body, and what its ETag and its headers need. */
export type Made = MadeText | { readonly ready: ReadyResponse };

export interface SnapshotRow extends Operation {
  readonly path: string;
  respond(request: SnapshotRequest): Made | Promise<Made>;
  /** Finds the flights of a moment, for a row with `at`. Errors: those of the row's parameters. */
  flightsAt?(request: RowRequest): FlightsAt;
}

export function snapshotRoutes(app: FastifyInstance, context: ApiContext, rows: readonly SnapshotRow[]): void {
  for (const row of rows)
    app.get(row.path, { schema: schemaOf(row) }, (request, reply) => {
      const { params, query, url, headers, caller } = request;
      const { at } = query as PastQuery;
      if (at !== undefined) return sendPast(context, request, reply, at, row.flightsAt!({ context, params, query, url, headers }));
      const snapshot = freshSnapshot(context);
      const made = row.respond({ context, snapshot, params, query, url, headers, caller });
      if (made instanceof Promise) return made.then((each) => sendAny(context, request, reply, snapshot, each));
      return sendAny(context, request, reply, snapshot, made);
    });
}

function sendAny(context: ApiContext, request: FastifyRequest, reply: FastifyReply, snapshot: Snapshot, made: Made): void | Promise<void> {
  if ('ready' in made) return sendReady(context, request, reply, snapshot, made.ready, []);
  return sendMade(context, request, reply, snapshot, made);
}
