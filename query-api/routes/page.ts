// The page at `/` and its files: static, nothing from elsewhere.
import type { FastifyInstance } from 'fastify';
import { matchesTag } from '../negotiation.ts';
import { readWebFiles } from '../web-files.ts';

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function pageRoutes(app: FastifyInstance): void {
  for (const { path, type, bytes, tag } of readWebFiles())
    app.get(path, { schema: { summary: `The page: ${path}`, hide: true } }, (request, reply) => {
      reply.headers({
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        etag: tag,
      });
      if (matchesTag(request.headers['if-none-match'], tag)) reply.code(304).send();
      else reply.header('content-type', type).send(bytes);
    });
}
