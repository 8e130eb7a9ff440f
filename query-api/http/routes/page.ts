// The pages and their files: static, without external resources.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.ts';
import { matchesTag } from '../negotiation.ts';
import { VARY } from '../response.ts';
import { openWebFiles, type WebFile } from '../web-files.ts';

const ONLY_OURS = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const POLICY = `${ONLY_OURS}; style-src 'self'; img-src 'self' data:`;
/** The viewer creates its styles in the page. */
const VIEWER_POLICY = `${ONLY_OURS}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:`;
/** Smaller files are not worth compressing. */
const COMPRESSED_BYTES_MIN = 64 * 1024;

export function pageRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const file of openWebFiles()) {
    const compressed = new Map<string, Promise<Buffer>>();
    app.get(file.path, { schema: { summary: `The page: ${file.path}`, hide: true } }, (request, reply) =>
      sendFile(context, request, reply, file, compressed),
    );
  }
}

/** Large files are compressed once per encoding. */
async function sendFile(
  { negotiate, view }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, type, byteLength, tag, bytes }: WebFile,
  compressed: Map<string, Promise<Buffer>>,
): Promise<FastifyReply> {
  const encoding = byteLength < COMPRESSED_BYTES_MIN ? null : negotiate(request.headers['accept-encoding']);
  const etag = encoding === null ? `"${tag}"` : `"${tag}-${encoding}"`;
  reply.headers({
    'content-security-policy': path === '/docs' ? VIEWER_POLICY : POLICY,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
    etag,
    ...(byteLength < COMPRESSED_BYTES_MIN ? {} : { vary: VARY }),
  });
  if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', type);
  if (encoding === null) return reply.send(await bytes());
  let body = compressed.get(encoding);
  if (body === undefined) {
    body = bytes().then(view.compressors.get(encoding)!);
    compressed.set(encoding, body);
    // A file that could not be read is tried again at the next request.
    body.catch(() => compressed.delete(encoding));
  }
  return reply.header('content-encoding', encoding).send(await body);
}
