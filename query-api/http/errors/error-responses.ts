// Turns every error into a problem response: our own, the router's, the validator's, and those of the HTTP parser, which come before any request.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { badValue, cut, QueryError, unknownParameter } from '../../queries/errors.ts';
import { EXPLAIN, type TextForm } from '../../queries/text-forms.ts';
import { connectionOf } from '../connections/connection.ts';
import { commonHeaders, ERROR_PAGE_HEADERS } from '../headers/headers.ts';
import { framedPage } from './framed-page.ts';
import { MethodError, problem, statusOf, statusPhrase } from './problems.ts';

const API_PATHS = /^\/(v2|data|re-api|api|compat)\//;

/** Path of a request without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Headers of every response, including errors. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(request.id));
}

/** Sends a problem; an internal error is logged with its cause and sent without it. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toKnown(error, request);
  if (known.code === 'api.internal') request.log.error({ err: error, requestId: request.id }, 'a request failed');
  const response = problem(known, pathOf(request.url), request.id);
  for (const name of [
    'etag',
    'link',
    'content-encoding',
    'x-service-tier',
    'x-service-data-age',
    'x-service-data-ahead',
    'x-service-contribution',
    'x-service-agent-hint',
  ])
    reply.removeHeader(name);
  // Errors of the router come before any hook.
  setCommonHeaders(request, reply);
  reply.code(response.status).headers(response.headers);
  if (isForReader(request)) reply.headers(ERROR_PAGE_HEADERS).send(notFoundPage(pathOf(request.url)));
  else reply.send(response.body);
}

/** A browser shows a person that no page has this address. Programs of the API get a problem, also those that accept HTML. */
function isForReader({ is404, url, method, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return is404 && isRead && headers.accept?.includes('text/html') === true && !API_PATHS.test(url);
}

function notFoundPage(path: string): string {
  const lines = [
    '<p class="lead">There is nothing at this address.</p>',
    '<p><a class="button primary" href="{root}">The map</a> <a class="button" href="{root}docs">The API</a></p>',
  ];
  return framedPage(path, { title: 'Not found', body: lines.join('\n') });
}

/** Errors of fastify and its validator as ours; errors without a status of their own are internal. */
export function toKnown(error: unknown, request: FastifyRequest): SquitterError {
  if (error instanceof SquitterError) return statusOf(error.code) === 500 ? new SquitterError('api.internal', {}, error) : error;
  const { validation, validationContext, statusCode, message } = error as Partial<FastifyError>;
  if (validation !== undefined) return validationError(validation, validatedPart(request, validationContext), request);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new SquitterError('api.bad_request', { detail: cut(message ?? 'unknown', limits.errorTextCharactersMax) });
  return new SquitterError('api.internal', {}, error);
}

function validatedPart({ params, body, query }: FastifyRequest, context: string | undefined): unknown {
  if (context === 'params') return params;
  return context === 'body' ? body : query;
}

/** Parameters of a route. */
interface Declared {
  readonly properties?: Readonly<Record<string, Partial<TextForm>>>;
}

function validationError(validation: FastifySchemaValidationError[], given: unknown, request: FastifyRequest): SquitterError {
  const { querystring, params: inPath } = (request.routeOptions.schema ?? {}) as Readonly<Record<string, Declared | undefined>>;
  const names = Object.keys(querystring?.properties ?? {});
  const unknown = paramsOf(validation, 'additionalProperties', 'additionalProperty');
  if (unknown.length > 0) return unknownParameter(unknown, names);
  const missing = paramsOf(validation, 'required', 'missingProperty');
  if (missing.length > 0)
    return new QueryError(
      'api.missing_parameter',
      { param: missing.join(', ') },
      { parameters: missing.map((param) => ({ param, detail: 'the parameter is missing' })) },
    );
  const { instancePath, keyword, message, params } = validation[0]!;
  const path = instancePath.slice(1).split('/');
  const param = path.join('.');
  const value = String(path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], given));
  const explain = keyword === 'pattern' ? (querystring?.properties?.[param] ?? inPath?.properties?.[param])?.[EXPLAIN] : undefined;
  if (explain === undefined) return badValue(param, value, expectedBy(params, message));
  const misfit = explain(value);
  return badValue(param, misfit.value, misfit.detail);
}

/** Values that a schema allows. `params` and `message` are those of an ajv error. */
function expectedBy({ allowedValues, comparison, limit, type }: Record<string, unknown>, message = 'must be allowed'): string {
  if (Array.isArray(allowedValues)) return `expected one of ${allowedValues.join(', ')}`;
  if (comparison === '>=' || comparison === '<=') return `expected at ${comparison === '>=' ? 'least' : 'most'} ${limit}`;
  return type === 'integer' ? 'expected a whole number' : message;
}

/** Names in errors of one kind. */
function paramsOf(validation: readonly FastifySchemaValidationError[], keyword: string, name: string): string[] {
  return validation
    .filter((error) => error.keyword === keyword)
    .slice(0, limits.errorParametersMax)
    .map(({ params }) => cut(String(params[name]), limits.errorTextCharactersMax));
}

/** Methods of a path, as in `Allow`; undefined for an unknown path. */
export type MethodsOf = (path: string) => string | undefined;

/** 404, or 405 with `Allow` if the path exists for other methods. */
export function notFound(request: FastifyRequest, methodsOf: MethodsOf): SquitterError {
  const path = pathOf(request.url);
  const allow = methodsOf(path);
  // A path that only resembles a route: the router reads a parameter before a suffix more strictly.
  if (allow === undefined || allow.split(', ').includes(request.method))
    return new SquitterError('api.not_found', { path: cut(path, limits.errorTextCharactersMax) });
  return new MethodError(request.method, allow);
}

export const READ_METHODS = 'GET, HEAD, OPTIONS';

/** Finds paths among the routes' patterns (`/v2/hex/:hex`), with or without a trailing slash. */
export function pathMatcher(methods: ReadonlyMap<string, ReadonlySet<string>>): MethodsOf {
  let routes: readonly { readonly expression: RegExp; readonly allow: string }[] | null = null;
  const all = () =>
    [...methods].map(([pattern, names]) => {
      const source = pattern
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/:\w+/g, '[^/]+')
        .replace(/\\\*$/, '.*');
      return { expression: new RegExp(`^${source.replace(/\/$/, '')}/?$`), allow: [...names, 'OPTIONS'].join(', ') };
    });
  return (path) => {
    // Plugins bring their routes later.
    routes ??= all();
    return routes.find(({ expression }) => expression.test(path))?.allow;
  };
}

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Responds to requests that the HTTP parser refuses, and closes: afterwards the connection cannot be trusted. */
export function respondToParserError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // A request that waits behind others may be late without its own fault.
  if (error.code === REQUEST_TIMEOUT && connectionOf(socket)?.isIdle === false) return;
  endWithProblem(parserError(error), socket);
}

/** Without this response Node closes the connection silently. */
export function refuseConnect(socket: Duplex): void {
  endWithProblem(new MethodError('CONNECT', READ_METHODS), socket);
}

/** On a connection without a response object. */
export function endWithProblem(error: SquitterError, socket: Duplex): void {
  const { status, headers, body } = problem(error, '/', 'unread');
  const lines = Object.entries({
    ...headers,
    'access-control-allow-origin': '*',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${statusPhrase(status)}\r\n${head}\r\n${body}`);
}

function parserError({ code, message, rawPacket }: Error & { code?: string; rawPacket?: Buffer }): SquitterError {
  if (code === REQUEST_TIMEOUT) return new SquitterError('api.request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    // The parser counts the request line as part of the headers.
    const lineEnd = rawPacket?.indexOf('\r\n') ?? 0;
    const isLine =
      rawPacket !== undefined && /^[A-Z]+ /.test(rawPacket.toString('latin1', 0, 8)) && (lineEnd < 0 || lineEnd > limits.urlBytesMax);
    return isLine
      ? new SquitterError('api.url_too_long', { limit: limits.urlBytesMax })
      : new SquitterError('api.headers_too_large', { limit: limits.headerBytesMax });
  }
  return new SquitterError('api.bad_request', { detail: cut(message, limits.errorTextCharactersMax) });
}
