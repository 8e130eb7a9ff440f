// The routes of an application as they are registered: the contract is made of these and of nothing else.
import type { FastifyInstance, FastifySchema } from 'fastify';

export interface RecordedRoute {
  /** As registered: `/v2/hex/:hex`. */
  readonly url: string;
  readonly method: 'get' | 'post';
  readonly schema: FastifySchema;
}

/** A list that grows with every GET and POST route registered from now on. Routes whose schema says `hide` are no part of the contract. */
export function recordRoutes(app: FastifyInstance): readonly RecordedRoute[] {
  const routes: RecordedRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema = {} }) => {
    if (schema.hide === true) return;
    const methods = [method].flat();
    for (const name of ['get', 'post'] as const) if (methods.includes(name.toUpperCase())) routes.push({ url, method: name, schema });
  });
  return routes;
}
