// A copy of tar1090, the map of readsb, that the operator installed, with its data below it: `/tar1090/data/…` and `/tar1090/globe_history/…` are `/data/…` and
// `/globe_history/…` for every hook and limit.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { cut } from '../../queries/errors.ts';
import type { ApiContext } from '../context.ts';
import { pathOf } from '../errors/error-responses.ts';
import type { FolderFiles } from '../files/folder-files.ts';
import { sendContent } from '../responses/content.ts';

const DATA = /^\/tar1090(?=\/(?:data|globe_history)\/)/;

export const rewriteTar1090 = ({ url }: Pick<IncomingMessage, 'url'>): string => url!.replace(DATA, '');

export function tar1090Routes(app: FastifyInstance, context: ApiContext, folder: FolderFiles): void {
  const schema = { summary: 'The map tar1090', hide: true, cost: 'none' as const };
  // The router takes `/tar1090` and `/tar1090/` for the same.
  for (const path of ['/tar1090', '/tar1090/*'])
    app.get<{ Params: { '*'?: string } }>(path, { schema }, async (request, reply) => {
      const path = pathOf(request.url);
      // Relative: the service may be below a path of a proxy.
      if (path === '/tar1090') return reply.redirect(`tar1090/${request.url.slice(path.length)}`);
      const file = await folder.find(request.params['*'] ?? '');
      if (file === null) throw new SquitterError('api.not_found', { path: cut(path, limits.errorTextCharactersMax) });
      return sendContent(context, request, reply, { ...file, kind: 'tar1090' });
    });
}
