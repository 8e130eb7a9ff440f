// Turns every error of a request into a problem response: our own, the router's and the validator's.
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { badValue, cut, missing, unknownParameter } from '../../queries/errors.ts';
import { EXPLAIN, type TextForm } from '../../queries/text-forms.ts';
import { commonHeaders, ERROR_PAGE_HEADERS } from '../headers/headers.ts';
import { framedPage } from './framed-page.ts';
import { MethodError, problem, statusOf } from './problems.ts';

/** Headers that a success may have set before its error. */
const OF_SUCCESSES = /^(etag|link|content-encoding|x-service-.*)$/;
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
  for (const name of Object.keys(reply.getHeaders())) if (OF_SUCCESSES.test(name)) reply.removeHeader(name);
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
  const absent = paramsOf(validation, 'required', 'missingProperty');
  if (absent.length > 0) return missing(absent);
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
