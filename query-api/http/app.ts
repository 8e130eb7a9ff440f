// The HTTP API: a fastify application over a live view. It does not listen; the caller connects it to a server.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import { type Catalog, emptyCatalog } from '../../exporters/catalog/catalog.ts';
import { keepNextTickShape } from '../../pipeline/runtime/next-tick.ts';
import { allowedHeaders } from '../../pipeline/runtime/preflight.ts';
import { after } from '../../pipeline/runtime/waiting.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { PAGE_HEADER } from '../../schemas/tiers.ts';
import { type CallerAccess, unlimitedAccess } from '../access/access.ts';
import type { FeederOwners } from '../feeders/owners.ts';
import type { Protocol } from '../protocol.ts';
import type { ReadModel } from '../queries/read-model.ts';
import { HandOver, isForStreams, rawRequests } from './connections/hand-over.ts';
import { HttpGuard } from './connections/http-guard.ts';
import { refuseConnect, respondToParserError } from './connections/socket-errors.ts';
import { apiContext, type ServiceParts } from './context.ts';
import { recordRoutes } from './contract/routes.ts';
import { type MethodsOf, notFound, pathMatcher, sendProblem, setCommonHeaders } from './errors/error-responses.ts';
import { READ_METHODS } from './errors/problems.ts';
import type {} from './fastify-types.ts';
import type { FolderFiles } from './files/folder-files.ts';
import { pastRoutes } from './history-routes.ts';
import { createHttpMetrics, registerConnectionMetrics } from './http-metrics.ts';
import { mountProtocol } from './protocols.ts';
import { aircraftLists, listRoutes } from './routes/aircraft-lists.ts';
import { airportRoutes } from './routes/airport.ts';
import { bulkRoutes, Downloads } from './routes/bulk.ts';
import { contractRoutes } from './routes/contract.ts';
import { directoryRoutes } from './routes/directories.ts';
import { feederRoutes } from './routes/feeders.ts';
import { flightRoutes } from './routes/flights.ts';
import { healthRoutes } from './routes/health.ts';
import { historyRoutes } from './routes/history.ts';
import { mapFileRoutes } from './routes/map-files.ts';
import { mapPageRoutes } from './routes/map-page.ts';
import { meRoute } from './routes/me.ts';
import { pageRoutes } from './routes/page.ts';
import { routesetRoute } from './routes/routeset.ts';
import { searchRoute } from './routes/search.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { streamRoutes } from './routes/streams.ts';
import { stretchRoutes } from './routes/stretches.ts';
import { rewriteTar1090, tar1090Routes } from './routes/tar1090.ts';
import { pastFileRoutes, traceRoutes } from './routes/traces.ts';
import { trackRoute } from './routes/track.ts';
import { aircraftSchema, readsbAircraftSchema } from './schemas/aircraft.ts';
import { flightSchemas } from './schemas/flight.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { routing } from './validation/routing.ts';
import { checkWrittenValues } from './validation/written-values.ts';

const SERVER_OPTIONS = {
  requestTimeout: limits.httpRequestMsMax,
  headersTimeout: limits.httpRequestMsMax,
  connectionsCheckingInterval: limits.httpRequestCheckMs,
  keepAliveTimeout: limits.httpIdleMsMax,
  maxHeaderSize: limits.headerBytesMax,
  requireHostHeader: false,
};
const PREFLIGHT_CACHE_S = 86_400;
const ALLOWED_HEADERS = 'Authorization, Cache-Control, Content-Type, If-None-Match, X-Request-Id, X-Requested-With';

export interface QueryApiOptions extends ServiceParts {
  /** Metrics of the process; the API adds its own. */
  readonly registry: Registry;
  /** Identifies and limits callers; no limits without it. */
  readonly access?: CallerAccess;
  /** Owners of feeders; without it the dashboard has nothing to show. */
  readonly feeders?: FeederOwners;
  /** Limits of connections; defaults without it. */
  readonly guard?: HttpGuard;
  /** Takes connections for the streams; without it their paths are unknown. */
  readonly handOver?: HandOver;
  /** Further protocols on the same port. */
  readonly protocols?: readonly Protocol[];
  /** A copy of tar1090; without it `/tar1090/` is unknown. */
  readonly tar1090?: FolderFiles;
  /** The published daily files; without it the list of days is empty. */
  readonly catalog?: Catalog;
  readonly logger?: FastifyBaseLogger;
}

/** Builds the application with all routes; `await app.ready()` or `listen` completes it. */
export function createQueryApi(model: ReadModel, options: QueryApiOptions): FastifyInstance {
  void keepNextTickShape();
  const link = linkHeader(options.baseUrl ?? '');
  const guard = options.guard ?? new HttpGuard();
  const context = apiContext(model, { ...options, guard, link });
  const app = createApp(options, guard);
  // Bodies are ready bytes: nothing needs serialising by schema.
  app.setSerializerCompiler(() => JSON.stringify);
  for (const schema of [aircraftSchema, readsbAircraftSchema, ...flightSchemas]) app.addSchema(schema);
  checkWrittenValues(app);
  const routes = recordRoutes(app);
  const { access = unlimitedAccess } = options;
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) methods.set(url, known.add(name));
  });
  listRoutes(app, context, aircraftLists);
  for (const rows of [statisticsRoutes, [trackRoute, searchRoute], traceRoutes, flightRoutes, directoryRoutes, airportRoutes])
    snapshotRoutes(app, context, rows);
  pastRoutes(app, context, [...historyRoutes, ...stretchRoutes(context), ...pastFileRoutes(context)]);
  mapFileRoutes(app, context);
  routesetRoute(app, context);
  contractRoutes(app, context, routes);
  meRoute(app, context, access);
  healthRoutes(app, context, options.registry);
  pageRoutes(app, context);
  mapPageRoutes(app, context);
  const downloads = new Downloads();
  bulkRoutes(app, context, options.catalog ?? emptyCatalog(), downloads);
  if (options.feeders !== undefined) feederRoutes(app, context, options.feeders);
  if (options.tar1090 !== undefined) tar1090Routes(app, context, options.tar1090);
  if (options.handOver !== undefined) streamRoutes(app, context);
  for (const protocol of options.protocols ?? []) mountProtocol(app, context, protocol);
  addRequestHooks(app, access, pathMatcher(methods));
  addMetrics(app, options.registry);
  addGuard(app, guard);
  registerConnectionMetrics(options.registry, guard, downloads, options.handOver ?? new HandOver(0));
  return app;
}

function createApp({ logger, handOver, tar1090 }: QueryApiOptions, guard: HttpGuard): FastifyInstance {
  return fastify<Server, IncomingMessage, ServerResponse, FastifyBaseLogger>({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    ...(tar1090 === undefined ? {} : { rewriteUrl: rewriteTar1090 }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    serverFactory: (handle) => {
      // A problem response instead of the parser's.
      const streams = handOver === undefined ? {} : { IncomingMessage: rawRequests(isForStreams) };
      const server = createServer({ ...SERVER_OPTIONS, ...streams }, guard.gate(handle));
      guard.attach(server);
      if (handOver !== undefined) server.on('upgrade', handOver.receive as (...event: unknown[]) => void);
      return server;
    },
    // While closing, requests on open connections still get a response, with `connection: close`.
    return503OnClosing: false,
    ...routing,
    clientErrorHandler: (error, socket) => respondToParserError(error as unknown as Error, socket),
    frameworkErrors: (error, request, reply) =>
      sendProblem(refusal(request as FastifyRequest) ?? error, request as FastifyRequest, reply as FastifyReply),
  });
}

/** Closing waits briefly for clients. */
function addGuard(app: FastifyInstance, guard: HttpGuard): void {
  app.addHook('preClose', (done) => {
    guard.stop();
    done();
  });
  app.addHook('onClose', async () => guard.close());
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) guard.memory.made(reply.raw, payload);
    done(null, payload);
  });
}

/** Links to the contract, its documentation and the licence, and how to contribute: one field (RFC 8288, RFC 8631). */
function linkHeader(baseUrl: string): string {
  const relations = { contribute: '/contribute', 'service-desc': '/openapi.json', 'service-doc': '/docs', license: '/license' };
  return Object.entries(relations)
    .map(([relation, path]) => `<${baseUrl}${path}>; rel="${relation}"`)
    .join(', ');
}

/** `x-request-id` of the caller if it is short and plain, otherwise our own number. */
function requestIds(): (request: IncomingMessage) => string {
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** Hooks of every request: caller, CORS, limits; and the problem response of every error. */
function addRequestHooks(app: FastifyInstance, access: CallerAccess, methodsOf: MethodsOf): void {
  app.decorateRequest('caller');
  app.decorateRequest('admission', null);
  app.decorateRequest('bodyBytes', 0);
  // Responses of snapshots bypass it, with their own headers.
  app.addHook('onSend', (request, reply, payload, done) => {
    setCommonHeaders(request, reply);
    if (request.method === 'HEAD') return done(null, payload);
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) request.bodyBytes = Buffer.byteLength(payload);
    else if (payload instanceof Readable) payload.on('data', (piece: Buffer) => (request.bodyBytes += piece.length));
    done(null, payload);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const error = refusal(request);
    if (error !== null) return done(error);
    if (request.method === 'OPTIONS') return respondToOptions(request, reply, methodsOf);
    if (request.is404) return done(notFound(request, methodsOf));
    const admitted = admit(request, reply, access);
    if (admitted instanceof Promise) admitted.then(() => done(), done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.raw.statusCode >= 400) request.admission?.giveBack();
    done();
  });
  app.server.on('connect', (_request, socket) => refuseConnect(socket));
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(request, methodsOf), request, reply));
}

/** Finds the caller, and takes what the request costs it. Errors: those of `Access`. */
function admit(request: FastifyRequest, reply: FastifyReply, access: CallerAccess): void | Promise<void> {
  return after(access.identify(request.ip, request.headers, request.url), (caller) => {
    request.caller = caller;
    const { cost = 'turn' } = request.routeOptions.schema ?? {};
    // Also of a client that goes away before its response is whole.
    if (cost !== 'none') reply.raw.once('close', () => access.spend(caller, request.bodyBytes));
    return after(access.admit(caller, cost), (admission) => {
      request.admission = admission;
    });
  });
}

function refusal({ raw, headers }: FastifyRequest): SquitterError | null {
  if (raw.url!.length > limits.urlBytesMax) return new SquitterError('api.url_too_long', { limit: limits.urlBytesMax });
  if (headers.host === undefined && raw.httpVersionMinor === 1)
    return new SquitterError('api.bad_request', { detail: 'the Host header is missing' });
  return null;
}

function respondToOptions(request: FastifyRequest, reply: FastifyReply, methodsOf: MethodsOf): void {
  const path = request.url.split('?')[0]!;
  const allow = path === '*' ? READ_METHODS : methodsOf(path);
  if (allow === undefined) {
    sendProblem(notFound(request, methodsOf), request, reply);
    return;
  }
  reply.code(204).headers({
    allow,
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowedHeaders(request.headers['access-control-request-headers'], ALLOWED_HEADERS, PAGE_HEADER),
    'access-control-max-age': String(PREFLIGHT_CACHE_S),
    vary: 'Access-Control-Request-Headers',
  });
  reply.send();
}

function addMetrics(app: FastifyInstance, registry: Registry): void {
  const metrics = createHttpMetrics(registry);
  app.addHook('onResponse', (request, reply, done) => {
    // Unknown paths share one label, because labels must be bounded.
    const route = request.routeOptions.url ?? 'unknown';
    metrics.observe(route, reply.raw.statusCode, reply.elapsedTime / 1000, request.bodyBytes);
    done();
  });
}
