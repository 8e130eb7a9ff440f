// The daily files under /bulk/: free for everybody, without key and rate limit. Files go from the disk to the socket, in ranges if the client asks for them.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { byteRange } from '../../../exporters/catalog/byte-range.ts';
import { type Catalog, catalogIndex, checksumList, type PublishedFile } from '../../../exporters/catalog/catalog.ts';
import { type FilesPage, indexPage, schemaPage } from '../../../exporters/catalog/pages.ts';
import type { DailyManifest } from '../../../schemas/daily-file.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../../queries/errors.ts';
import type { ApiContext } from '../context.ts';
import { pathOf } from '../errors/error-responses.ts';
import { framedPage } from '../errors/framed-page.ts';
import { successHeaders } from '../headers/headers.ts';
import { isUnchanged } from '../headers/preconditions.ts';
import { sendContent, setHeaders } from '../responses/content.ts';
import { schemaOf } from '../schemas/build.ts';
import { checksumsResponse, fileResponse, indexResponse, pageResponse } from '../schemas/bulk.ts';

const TYPE_HTML = 'text/html; charset=utf-8';
const TYPE_JSON = 'application/json; charset=utf-8';
/** Bytes of one read from the disk, and what a slow client holds in memory. */
const PIECE_BYTES = 256 * 1024;
const ETAG_DIGITS = 32;

/** Downloads at a time. */
export class Downloads {
  open = 0;
  refused = 0;

  /** Error: `api.too_many_downloads`. */
  admit(reply: FastifyReply): void {
    if (this.open >= limits.bulkDownloadsMax) {
      this.refused += 1;
      throw new QueryError('api.too_many_downloads', { limit: limits.bulkDownloadsMax });
    }
    this.open += 1;
    reply.raw.once('close', () => {
      this.open -= 1;
    });
  }
}

const TAGS = 'With an ETag: If-None-Match gives 304 while nothing has changed, If-Match 412 when something has.';
const fileSchema = {
  cost: 'none' as const,
  summary: 'A file of a day',
  operationId: 'bulkFile',
  description: `The Parquet files \`positions-DAY.parquet\` and \`flights-DAY.parquet\`, \`manifest-DAY.json\`, \`preview-DAY.svg\`; \`latest\` in the place of the day is the newest one, which \`Content-Location\` names. One range of bytes with Range and If-Range; the ETag is of the content. Conditions are those of RFC 9110: If-Match or If-Unmodified-Since, then If-None-Match or If-Modified-Since. At most ${limits.bulkDownloadsMax} downloads run at a time.`,
  params: {
    type: 'object',
    properties: { name: { type: 'string', description: 'name of the file', examples: ['positions-latest.parquet'] } },
    required: ['name'],
  },
  response: fileResponse,
};

interface MadeList {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly response: Readonly<Record<number, object>>;
  readonly type: string;
  readonly make: (days: readonly DailyManifest[], baseUrl: string) => string | FilesPage;
}

const lists: readonly MadeList[] = [
  {
    ...{
      path: '/bulk/',
      summary: 'The list of days as a page',
      response: pageResponse('page of the days'),
      type: TYPE_HTML,
      make: indexPage,
    },
    description: 'Published days with their files, checksums and a picture of the newest.',
  },
  {
    ...{ path: '/bulk/schema', summary: 'Columns and units as a page', response: pageResponse('page of the columns'), type: TYPE_HTML },
    description: 'Each column of the files with its type, unit and meaning.',
    make: schemaPage,
  },
  {
    ...{ path: '/bulk/index.json', summary: 'All days with addresses and checksums', response: indexResponse, type: TYPE_JSON },
    description: 'Published days, the newest first; empty before the first.',
    make: (days, baseUrl) =>
      `${JSON.stringify(
        catalogIndex(days, (name) => `${baseUrl}/bulk/${name}`),
        null,
        1,
      )}\n`,
  },
  {
    ...{ path: '/bulk/SHA256SUMS', summary: 'Checksums of all files', response: checksumsResponse, type: 'text/plain; charset=utf-8' },
    description: 'For `sha256sum --check`.',
    make: checksumList,
  },
];

export function bulkRoutes(app: FastifyInstance, context: ApiContext, catalog: Catalog, downloads: Downloads): void {
  for (const { path, summary, description, response, type, make } of lists)
    app.get(
      path,
      { schema: schemaOf({ summary, cost: 'none', description: `${description} ${TAGS}`, response: {}, more: response }) },
      async (request, reply) => {
        const made = make(await catalog.days(), context.baseUrl);
        const isPage = typeof made !== 'string';
        const body = Buffer.from(isPage ? framedPage(pathOf(request.url), made) : made);
        const tag = createHash('sha256').update(body).digest('hex').slice(0, ETAG_DIGITS);
        return sendContent(context, request, reply, { kind: isPage ? 'listing' : 'newest', type, body, tag, compressedBytesMin: null });
      },
    );
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/bulk/:name',
    schema: fileSchema,
    async handler(request, reply) {
      const file = await catalog.open(request.params.name);
      if (file === null) throw new SquitterError('api.not_found', { path: request.url.split('?')[0]! });
      try {
        return sendFile(context, request, reply, file, downloads);
      } catch (error) {
        await file.handle.close();
        throw error;
      }
    },
  });
}

function sendFile(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { handle, bytes, type, name, sha256, modifiedMs, tag, isAlias }: PublishedFile,
  downloads: Downloads,
): FastifyReply {
  const etag = `"${tag}"`;
  const unchanged = isUnchanged(request.headers, { etag, modifiedMs });
  const { range, 'if-range': ifRange } = request.headers;
  // HEAD has no range: §14.2.
  const part = byteRange(request.method === 'GET' ? range : undefined, typeof ifRange === 'string' ? ifRange : undefined, bytes, etag);
  if (part.kind === 'unsatisfiable' && !unchanged) {
    reply.header('content-range', `bytes */${bytes}`);
    throw new SquitterError('api.range_not_satisfiable', { bytes });
  }
  const more = ['accept-ranges', 'bytes', 'last-modified', new Date(modifiedMs).toUTCString()];
  if (isAlias) more.push('content-location', `${context.baseUrl}/bulk/${name}`);
  if (sha256 !== null) more.push('repr-digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`);
  setHeaders(reply, successHeaders(context, request, isAlias ? 'newest' : 'file', { etag, more }));
  if (unchanged) {
    void handle.close();
    return reply.code(304).send();
  }
  const [first, last] = part.kind === 'part' ? [part.first, part.last] : [0, bytes - 1];
  reply.headers({
    'content-type': type,
    'content-length': String(last - first + 1),
    'content-disposition': `${type.startsWith('application/vnd') ? 'attachment' : 'inline'}; filename="${name}"`,
    ...(part.kind === 'part' ? { 'content-range': `bytes ${first}-${last}/${bytes}` } : {}),
  });
  reply.code(part.kind === 'part' ? 206 : 200);
  if (request.method === 'HEAD' || bytes === 0) {
    void handle.close();
    return reply.send();
  }
  downloads.admit(reply);
  return reply.send(handle.createReadStream({ start: first, end: last, highWaterMark: PIECE_BYTES }));
}
