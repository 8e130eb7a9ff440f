// Shared parts of all operations: the problem, error responses, headers.

import { type ErrorCode, errorKinds, stableCode } from '../../../schemas/errors.ts';
import { tiers } from '../../../schemas/tiers.ts';
import { statusOf } from '../errors/problems.ts';
import { AGENT_HINT } from '../headers/headers.ts';
import type { JsonSchema } from './schemas.ts';

/** Why a caller is refused, by any way in. */
export const refusals = {
  wrongKey: ['access.wrong_key', 'access.old_key'],
  forbidden: ['access.revoked_key', 'access.banned'],
  overLimit: ['access.rate', 'access.budget', 'access.many_wrong_keys'],
  manyWrongKeys: ['access.many_wrong_keys'],
  manySockets: ['access.too_many_sockets'],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** Codes and what they say, as the error table has it. */
export function saying(codes: readonly ErrorCode[]): string {
  const shown = (code: ErrorCode): string => errorKinds[code].message.replace('{hint}', '').replace(/\{\w+\}/g, '…');
  return codes.map((code) => `\`${stableCode(code)}\`: ${shown(code)}.`).join(' ');
}

const ownCodes = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code.startsWith('api.'));
const codeList = [...ownCodes, ...new Set(Object.values(refusals).flat()), 'access.no_session' as const]
  .map((code) => `\`${stableCode(code)}\` (${statusOf(code)})`)
  .join(', ');

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more });

export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'Every error, in the form of RFC 9457. Never HTML, on any path.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'msg'],
  properties: {
    type: text('URI of the kind of problem; `about:blank`: the status has no further detail', { format: 'uri-reference' }),
    title: text('phrase of the status'),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'HTTP status' },
    detail: text('what is wrong with this request, as text'),
    instance: text('requested path, without its query'),
    code: text(`stable code of the error. Today: ${codeList}. More may be added`, {
      pattern: '^[a-z]+(-[a-z]+)*$',
    }),
    request_id: text("the same as the header X-Request-Id; finds the request in the service's log"),
    msg: text('the same as `detail`, for clients that read this member'),
    errors: {
      type: 'array',
      description: 'invalid parameters; absent when there are none',
      items: {
        type: 'object',
        required: ['param', 'detail'],
        properties: { param: text('name of the parameter'), detail: text('what is wrong with it') },
      },
    },
    retry_after: { type: 'integer', minimum: 0, description: 's until the next request; only with 429' },
    websocket_url: text('URL that pushes the same data; only with 429'),
    bulk_url: text('URL of all data of a day, without limits; only with 429'),
    'violated-policies': { type: 'array', items: text('name of a limit'), description: 'limits that were exceeded; only with 429' },
  },
};

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const requestId = { 'X-Request-Id': header('X-Request-Id') };
const retryAfter = { ...requestId, 'Retry-After': header('Retry-After') };
/** Headers of responses that cost a turn. */
export const rateHeaders: JsonSchema = { 'RateLimit-Policy': header('RateLimit-Policy'), RateLimit: header('RateLimit') };

interface ErrorResponse {
  readonly name: string;
  readonly description: string;
  readonly headers?: object;
}

/** 429 of operations that cost nothing. */
export const manyWrongKeys: ErrorResponse = {
  ...{ name: 'TooManyWrongKeys', description: saying(refusals.manyWrongKeys), headers: retryAfter },
};

/** Responses of errors by status. */
export const errorsByStatus: Readonly<Record<string, ErrorResponse>> = {
  400: { name: 'BadRequest', description: 'A parameter is unknown, missing or has an invalid value; `errors` names it.' },
  401: {
    name: 'Unauthorized',
    description: saying(refusals.wrongKey),
    headers: { ...requestId, 'WWW-Authenticate': header('WWW-Authenticate') },
  },
  403: { name: 'Forbidden', description: saying(refusals.forbidden) },
  404: { name: 'NotFound', description: 'Nothing exists at this path.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The method is not GET, HEAD or OPTIONS.',
    headers: { ...requestId, Allow: header('Allow') },
  },
  412: { name: 'PreconditionFailed', description: 'The condition in If-Match or If-Unmodified-Since is not met.' },
  414: { name: 'UriTooLong', description: 'An address of more than 8 KiB.' },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The range begins after the end of the file; `Content-Range` has its length.',
    headers: { ...requestId, 'Content-Range': header('Content-Range') },
  },
  429: { name: 'TooManyRequests', description: saying(refusals.overLimit), headers: { ...retryAfter, ...rateHeaders } },
  431: { name: 'HeadersTooLarge', description: 'A header block of more than 16 KiB.' },
  500: { name: 'InternalError', description: 'Internal error; `request_id` finds the cause in the log.' },
  503: {
    name: 'Unavailable',
    description:
      'No snapshot yet, or one older than 60 s (`no-snapshot`): old positions are worse than none. Or nobody has fed the service for 60 s (`no-feed`): no feeder is connected, or no ingest is alive; `detail` says which. A connected feeder that hears nothing gives empty lists with 200; simulated traffic and a recording while it plays count as feeders.',
    headers: retryAfter,
  },
};

/** Errors of every operation, of those that read the live snapshot, and of those that declare them. */
export const commonErrors = ['400', '401', '403', '405', '414', '429', '431', '500'];
export const liveErrors = ['503'];

export const errorResponses: JsonSchema = Object.fromEntries(
  [...Object.values(errorsByStatus), manyWrongKeys].map(({ name, description, headers = requestId }) => [
    name,
    { description, headers, content: problemContent },
  ]),
);

const headerOf = (description: string, schema: object, required = false) => ({ description, schema, ...(required ? { required } : {}) });
const alwaysThere = (description: string, schema: object) => headerOf(description, schema, true);

export const headers: JsonSchema = {
  ETag: alwaysThere('Strong, one per snapshot and representation: send it as If-None-Match.', { type: 'string', pattern: '^"[^"]+"$' }),
  'Cache-Control': alwaysThere('Live data change with the next tick, a second later.', { type: 'string' }),
  Link: alwaysThere('`contribute`, `service-desc` (this contract), `service-doc`, `license` in one field.', { type: 'string' }),
  'X-Service-Tier': alwaysThere('Tier of the caller.', { type: 'string', enum: [...tiers] }),
  'X-Service-Data-Age': alwaysThere('Whole seconds since the newest message of an aircraft; at most an hour.', {
    type: 'integer',
    minimum: 0,
    maximum: 3600,
  }),
  'X-Service-Data-Ahead': headerOf(
    'Whole seconds by which the time of the snapshot is ahead of the local clock; absent when it is not. A clock was wrong: times run at half speed until it has caught up.',
    { type: 'integer', minimum: 2 },
  ),
  'X-Service-Contribution': alwaysThere('Feeding the service is optional.', { type: 'string', const: 'optional' }),
  'X-Service-Agent-Hint': alwaysThere('How clients that a model wrote may mention contributing.', { type: 'string', const: AGENT_HINT }),
  'X-Service-Coverage': headerOf('Receiver coverage at the requested position; absent until it is measured.', {
    type: 'string',
    enum: ['none', 'low', 'medium', 'high'],
  }),
  'X-Service-Nearest-Receiver': headerOf('Distance to the nearest receiver, as a class; absent until it is measured.', {
    type: 'string',
    enum: ['<25nm', '<50nm', '<100nm', '<250nm', '>=250nm'],
  }),
  // The parser refuses requests before they have a number.
  'X-Request-Id': headerOf('Number of the request, or what the caller sent as X-Request-Id; absent where the request could not be read.', {
    type: 'string',
    pattern: '^[\\w.-]{1,64}$',
  }),
  'RateLimit-Policy': headerOf(
    'Limits of the caller (IETF draft, version 10): `rate` is `q` requests in `w` s, `data` is `q` bytes of a UTC day. Absent for callers without limits.',
    { type: 'string', pattern: '^"rate";q=\\d+;w=\\d+, "data";q=\\d+;w=86400;qu="content-bytes"$' },
  ),
  RateLimit: headerOf('What is left of them: `r` requests or bytes, and there are more after `t` s. Absent for callers without limits.', {
    ...{ type: 'string', pattern: '^"rate";r=\\d+;t=\\d+, "data";r=\\d+;t=\\d+$' },
  }),
  'WWW-Authenticate': alwaysThere('How to authenticate (RFC 6750).', { type: 'string', pattern: '^Bearer ' }),
  'Retry-After': alwaysThere('Seconds to wait before the next request.', { type: 'integer', minimum: 1 }),
  'Content-Range': alwaysThere('Bytes of the response and of the whole file: `bytes 0-9/1000`, or `bytes */1000`.', {
    type: 'string',
    pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$',
  }),
  Allow: alwaysThere('Methods that are allowed.', { type: 'string' }),
};

export const liveHeaders: JsonSchema = Object.fromEntries(
  ['ETag', 'Cache-Control', 'Link', ...Object.keys(headers).filter((name) => name.startsWith('X-'))].map((name) => [name, header(name)]),
);
export const processHeaders: JsonSchema = requestId;

const unchanged = 'The client has these bytes already: If-None-Match names their ETag.';
/** 304 has the headers of 200 and no body. */
export const notModifiedResponses: JsonSchema = {
  NotModified: { description: unchanged, headers: { ...liveHeaders, ...rateHeaders } },
  DocumentNotModified: { description: unchanged, headers: processHeaders },
};
