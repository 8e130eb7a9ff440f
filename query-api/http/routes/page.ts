// The pages and their files: static, without external resources.
import type { FastifyInstance } from 'fastify';
import { limits } from '../../../schemas/limits/index.ts';
import type { ApiContext } from '../context.ts';
import { openWebFiles } from '../files/web-files.ts';
import type { ResponseKind } from '../headers/headers.ts';
import { sendContent } from '../responses/content.ts';
import { once } from '../validation/routing.ts';

export function pageRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const { path, open } of openWebFiles()) {
    const content = once(() => {
      const { bytes: body, ...file } = open();
      return {
        ...{ ...file, body, kind: kindOf(path), packed: new Map<string, Promise<Buffer>>() },
        ...{ compressedBytesMin: file.type === 'image/png' ? null : limits.compressedBytesMin, more: ['referrer-policy', 'same-origin'] },
      };
    });
    // The viewer of the documentation is large.
    const cost = path.startsWith('/docs') ? ('light' as const) : ('none' as const);
    app.get(path, { schema: { summary: `The page: ${path}`, hide: true, cost } }, (request, reply) =>
      sendContent(context, request, reply, content()),
    );
  }
}

function kindOf(path: string): ResponseKind {
  // The folder has the hash of its files as its name.
  if (path.startsWith('/web/')) return 'asset';
  if (path === '/embed') return 'embedded';
  return path === '/docs' ? 'viewer' : 'page';
}
