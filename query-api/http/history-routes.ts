// Routes of the past, from the history store. They need no live snapshot, so they are there while nothing is received. Those whose responses are kept have an ETag.
import type { FastifyInstance } from 'fastify';
import { type Span, type SpanLimits, type SpanQuery, spanOf, spanProperties } from '../queries/history/span.ts';
import type { ApiContext } from './context.ts';
import { type GzippedBody, JSON_TYPE, sendContent, sendGzipped } from './responses/content.ts';
import { type Operation, schemaOf } from './schemas/build.ts';
import { historyErrors } from './schemas/history.ts';
import type { RowRequest } from './snapshot-routes.ts';

/** `isEnded`: it does not change any more. */
export type Past = { readonly text: string; readonly isEnded?: boolean } | (GzippedBody & { readonly isEnded: boolean });

/** A request for a span, for rows that have one. */
export interface PastRequest<Params = unknown, Query = unknown> extends RowRequest<Params, Query> {
  readonly span: Span;
}

export interface PastRow extends Operation {
  readonly path: string;
  /** Limits of the parameters `from` and `to`; without it the row has none. */
  readonly span?: SpanLimits;
  respond(request: PastRequest | RowRequest): Promise<Past>;
}

export function pastRoutes(app: FastifyInstance, context: ApiContext, rows: readonly PastRow[]): void {
  const nowMs = (): number => context.view.current()?.times.nowMs ?? context.clock();
  for (const { path, span, respond, query, more, ...row } of rows) {
    const parameters = span === undefined ? query : { ...spanProperties(span), ...query };
    const schema = schemaOf({ ...row, ...(parameters === undefined ? {} : { query: parameters }), more: { ...more, ...historyErrors } });
    app.get(path, { schema }, async (request, reply) => {
      const { params, query, url, headers } = request;
      const parts = { context, params, query, url, headers };
      const past = await respond(span === undefined ? parts : { ...parts, span: spanOf(query as SpanQuery, nowMs(), span) });
      const kind = past.isEnded === true ? 'ended' : 'history';
      if ('gzipped' in past) return sendGzipped(context, request, reply, { kind, ...past });
      return sendContent(context, request, reply, { kind, type: JSON_TYPE, body: Buffer.from(past.text) });
    });
  }
}
