// The registered routes of an application: the only input of the contract.
import type { FastifyInstance, FastifySchema } from 'fastify';

export interface RecordedRoute {
  /** The registered form: `/v2/hex/:hex`. */
  readonly url: string;
  readonly method: 'get' | 'post';
  readonly schema: FastifySchema;
}

/** A list that grows with every GET and POST route registered from now on. Routes with `hide` in their schema are not in the contract. */
export function recordRoutes(app: FastifyInstance): readonly RecordedRoute[] {
  const routes: RecordedRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema = {} }) => {
    if (schema.hide === true) return;
    const methods = [method].flat();
    for (const name of ['get', 'post'] as const) if (methods.includes(name.toUpperCase())) routes.push({ url, method: name, schema });
  });
  return routes;
}
