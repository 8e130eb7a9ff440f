// Builders of JSON schemas: of members, of objects, and of the operation of a route.
import type { FastifySchema } from 'fastify';
import type { Cost } from '../../access/access.ts';

export type Properties = Readonly<Record<string, object>>;

export const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more }) as const;
export const number = (description: string, more: object = {}) => ({ type: 'number', description, ...more }) as const;
export const integer = (description: string, more: object = {}) => ({ type: 'integer', description, ...more }) as const;
export const flag = (description: string) => ({ type: 'boolean', description }) as const;
/** A whole number from 0. */
export const amount = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;
/** The same from 0. */
export const longAmount = (description: string) => ({ type: 'integer', format: 'int64', minimum: 0, description }) as const;
/** A whole number that outgrows 32 bits. */
export const long = (description: string) => ({ type: 'integer', format: 'int64', description }) as const;
export const listOf = (items: object, description: string) => ({ type: 'array', items, description });
/** The same list with its description first. */
export const described = (description: string, items: object) => ({ type: 'array', description, items });
/** A shared schema by its name. */
export const reference = (name: string) => ({ $ref: `${name}#` });
/** A whole number from 1 to `maximum`; `fallback` without the parameter. */
export const upTo = (maximum: number, fallback: number | null, description: string, more: object = {}) => ({
  ...{ type: 'integer', minimum: 1, maximum },
  ...(fallback === null ? {} : { default: fallback }),
  ...{ description, ...more },
});

/** An object with these members alone; all are always there unless `required` lists those that are. */
export const object = <Members extends Properties>(
  properties: Members,
  required: readonly string[] = Object.keys(properties),
  description?: string,
) => ({
  type: 'object' as const,
  ...(description === undefined ? {} : { description }),
  ...(required.length === 0 ? {} : { required }),
  properties,
  additionalProperties: false,
});
/** The same with a description, as a member of another object. */
export const part = <Members extends Properties>(description: string, properties: Members, required?: readonly string[]) =>
  object(properties, required, description);

/** An operation of the contract; its validator checks the same schemas. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  /** The cost of a request; a turn without it. */
  readonly cost?: Cost;
  /** Parameters in the path. */
  readonly params?: Properties;
  /** All parameters of the query; without it the query is ignored. */
  readonly query?: Properties;
  /** Those that the query must have. */
  readonly required?: readonly string[];
  /** The body of a success. */
  readonly response: object;
  /** Other statuses that not every route has. */
  readonly more?: Readonly<Record<number, object>>;
}

/** An unknown parameter is an error that names it. */
const queryOf = (properties: Properties, required: readonly string[] = []) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...(required.length === 0 ? {} : { required }),
});

export function schemaOf({ summary, description, cost, params, query, required, response, more }: Operation): FastifySchema {
  return {
    summary,
    description,
    ...(cost === undefined ? {} : { cost }),
    ...(params === undefined ? {} : { params: { type: 'object', properties: params, required: Object.keys(params) } }),
    ...(query === undefined ? {} : { querystring: queryOf(query, required) }),
    response: { 200: response, ...more },
  };
}

/** An unknown name in the path. */
export const mayBeUnknown = { 404: { description: 'unknown' } } as const;
