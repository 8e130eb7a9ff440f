// Checks parameter values as the client wrote them, before the validator coerces text to numbers.

import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify';
import { badValue } from '../../queries/errors.ts';
import { decimal, notDecimal } from '../../queries/numbers.ts';

type Schema = Readonly<Record<string, { readonly type?: string }>>;
type Values = Readonly<Record<string, unknown>>;

/** Checks the parameters that every route registered from now on declares. Errors of requests: `api.bad_value`. */
export function checkWrittenValues(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const query = checksOf(route.schema?.querystring);
    const params = checksOf(route.schema?.params);
    if (query === null && params === null) return;
    const check: preValidationHookHandler = (request: FastifyRequest, _reply, done) => {
      try {
        query?.(request.query as Values);
        params?.(request.params as Values);
        done();
      } catch (error) {
        done(error as Error);
      }
    };
    route.preValidation = [check, ...[route.preValidation ?? []].flat()];
  });
}

/** A check of the values that a schema declares; null where it declares none. */
function checksOf(schema: unknown): ((values: Values) => void) | null {
  const properties = ((schema as { properties?: Schema } | undefined)?.properties ?? {}) as Schema;
  const names = Object.keys(properties);
  if (names.length === 0) return null;
  const isNumber = new Set(names.filter((name) => ['number', 'integer'].includes(properties[name]!.type ?? '')));
  return (values) => {
    for (const name in values) {
      const value = values[name];
      if (Array.isArray(value) && name in properties)
        throw badValue(name, value.join('&'), `expected one value, got ${value.length}: lists have commas`);
      if (typeof value === 'string' && isNumber.has(name) && Number.isNaN(decimal(value))) throw badValue(name, value, notDecimal(value));
    }
  };
}
