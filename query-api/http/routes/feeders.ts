// Owners of feeders: `/v2/feeders/me`, and what the dashboard at `/feeders` posts.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Feeder } from '../../../pipeline/feeders/feeder.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { isOwnPage, isPublicHost } from '../../access/pages.ts';
import type { FeederOwners } from '../../feeders/owners.ts';
import { feederReport, historyFrom } from '../../feeders/report.ts';
import type { SpanName } from '../../feeders/series.ts';
import { cut, QueryError } from '../../queries/errors.ts';
import { feederRows } from '../../queries/history/feeder-rows.ts';
import type { ApiContext } from '../context.ts';
import { successHeaders } from '../headers/headers.ts';
import { JSON_TYPE, sendContent, setHeaders } from '../responses/content.ts';
import { schemaOf } from '../schemas/build.ts';
import { feederSchema, spanParameter } from '../schemas/feeder.ts';

const COOKIE = 'squitter_session';

/** Decisions of an owner; each gets the feeder in its state at that time. */
interface Act {
  readonly proof?: string;
  readonly name?: string;
  readonly show_range?: boolean;
}
type Decide = (owners: FeederOwners, feeder: Feeder, act: Act) => Promise<Feeder>;
const acts: Readonly<Record<string, Decide>> = {
  rotate: (owners, { id }) => owners.rotate(id),
  revoke: (owners, { id }) => owners.revoke(id),
  change: (owners, { id }, { name, show_range: showRange }) => owners.change(id, { name, showRange }),
};

const body = {
  type: 'object',
  properties: {
    proof: { type: 'string' },
    name: { type: 'string', maxLength: limits.feederNameCharactersMax },
    show_range: { type: 'boolean' },
  },
  additionalProperties: false,
};

const querystring = { type: 'object', properties: spanParameter, additionalProperties: false };

const schema = schemaOf({
  summary: 'The feeder of the caller',
  description:
    'How a feeder does, its limits and what it used today, for its owner: with its key in `Authorization`, or in a session of the dashboard at `/feeders`.',
  ...{ cost: 'light', query: spanParameter, response: feederSchema },
  more: { 401: { description: 'neither key nor session' }, 403: { description: 'revoked or banned' }, 429: { description: 'too often' } },
});

type FeederRequest = FastifyRequest<{ Querystring: { readonly span: SpanName }; Body: Act }>;

export function feederRoutes(app: FastifyInstance, context: ApiContext, owners: FeederOwners): void {
  const { access, baseUrl } = owners;

  const sessionOf = ({ headers }: FastifyRequest): string =>
    new RegExp(`(?:^|;)\\s*${COOKIE}=([^;\\s]+)`).exec(headers.cookie ?? '')?.[1] ?? '';
  /** Over plain HTTP a browser would drop a cookie that asks for TLS. */
  const setSession = ({ ip, headers }: FastifyRequest, reply: FastifyReply, session: string, forMs: number): void => {
    const isTls = access.operators.isTls(ip, headers) || (baseUrl.startsWith('https:') && isPublicHost(headers, baseUrl));
    const secure = isTls ? '; Secure' : '';
    reply.header('set-cookie', `${COOKIE}=${session}; Path=/; Max-Age=${forMs / 1000}; HttpOnly; SameSite=Lax${secure}`);
  };
  const owned = (request: FastifyRequest, isNewest: boolean): { readonly feeder: Feeder; readonly isByKey: boolean } => {
    const byKey = owners.byKey(request.caller, { isNewest });
    const feeder = byKey ?? owners.bySession(sessionOf(request));
    if (feeder === null) throw new QueryError('access.no_session');
    return { feeder, isByKey: byKey !== null };
  };

  /** The history may be away: all else is still there. */
  const history = async (feeder: string, span: SpanName, nowMs: number) => {
    try {
      return await feederRows(context, { feeder, fromMs: historyFrom(span, nowMs), toMs: nowMs });
    } catch (error) {
      if (error instanceof QueryError) return error.message;
      throw error;
    }
  };
  const send = async (request: FeederRequest, reply: FastifyReply, feeder: Feeder, key: string | null): Promise<FastifyReply> => {
    const { span } = request.query;
    const nowMs = owners.nowMs();
    const caller = await owners.callerOf(feeder);
    const report = feederReport({
      ...{ feeder, key, caller, span, nowMs, feederAddress: context.info().feederAddress },
      today: caller === null ? { requests: 0, bytes: 0 } : access.today(caller),
      history: await history(feeder.id, span, nowMs),
    });
    return sendContent(context, request, reply, { kind: 'state', type: JSON_TYPE, body: Buffer.from(JSON.stringify(report)) });
  };

  app.get('/v2/feeders/me', { schema }, (request: FeederRequest, reply) => {
    const { feeder, isByKey } = owned(request, false);
    return send(request, reply, feeder, isByKey ? null : owners.key(feeder));
  });

  const post = (path: string, act: (request: FeederRequest, reply: FastifyReply) => unknown): void => {
    app.post(path, {
      schema: { hide: true, cost: 'light', body, querystring },
      bodyLimit: limits.feederActBytesMax,
      // Before the body is read. A page of another site cannot leave the header out.
      onRequest: ({ headers }, _reply, done) => {
        if (isOwnPage(headers.origin, headers, baseUrl)) return done();
        const origin = cut(headers.origin ?? 'no origin', limits.errorTextCharactersMax);
        done(new SquitterError('access.wrong_origin', { origin }));
      },
      handler: (request, reply) => act(request as FeederRequest, reply),
    });
  };
  const sendOwned = (request: FeederRequest, reply: FastifyReply, feeder: Feeder): Promise<FastifyReply> => {
    setSession(request, reply, owners.session(feeder) ?? '', limits.feederSessionMs);
    return send(request, reply, feeder, owners.key(feeder));
  };
  post('/feeders/open', async (request, reply) => {
    const { caller, headers } = request;
    const { proof = '' } = request.body;
    const byKey = proof === '' ? owners.byKey(caller, { isNewest: true }) : null;
    return sendOwned(request, reply, byKey ?? (await owners.open({ caller, headers, proof })));
  });
  for (const [name, decide] of Object.entries(acts))
    post(`/feeders/${name}`, async (request, reply) => {
      const { feeder } = owned(request, true);
      return sendOwned(request, reply, await decide(owners, feeder, request.body));
    });
  post('/feeders/leave', (request, reply) => {
    setSession(request, reply, '', 0);
    return setHeaders(reply, successHeaders(context, request, 'state'))
      .code(204)
      .send();
  });
}
