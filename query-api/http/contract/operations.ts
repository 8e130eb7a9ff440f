// One route as an OpenAPI operation: parameters from params and querystring, responses from response and the shared ones.
import { commonErrors, errorsByStatus, liveErrors, liveHeaders, manyWrongKeys, processHeaders, rateHeaders } from './components.ts';
import type { Example, Examples } from './examples.ts';
import { type Group, groupOf } from './groups.ts';
import type { RecordedRoute } from './routes.ts';
import { asComponentSchema, asResponseSchema, type JsonSchema, withWholeRecords } from './schemas.ts';

/** `/v2/hex/:hex` becomes `/v2/hex/{hex}`, and `/re-api/` becomes `/re-api`: the service takes both, and a contract's path has no slash at its end. */
export function documentedPath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1');
}

/** `/v2/airport/{code}/nearby-aircraft` becomes `airportNearbyAircraft`: the words of the path without the version. */
export function operationId(path: string): string {
  const words = path
    .split('/')
    .filter((part) => part !== 'v2' && !part.startsWith('{'))
    .flatMap((part) => part.split(/[^a-zA-Z0-9]+/))
    .filter((word) => word !== '');
  return words.map((word, i) => (i === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
}

/** The operation of a route. `records`: names of schemas that `fields=` reduces. */
export function operation(route: RecordedRoute, examples: Examples, records: ReadonlySet<string>): JsonSchema {
  const path = documentedPath(route.url);
  const group = groupOf(path);
  const example = examples[path];
  const { summary, description } = route.schema;
  const parameters = [...parametersOf(route, 'path', example), ...parametersOf(route, 'query', example)];
  return {
    tags: [group.tag],
    operationId: route.schema.operationId ?? operationId(path),
    summary: summary ?? path,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.schema.body === undefined ? {} : { requestBody: requestBody(route.schema.body) }),
    responses: responses(route, group, example, records),
  };
}

function requestBody(schema: unknown): JsonSchema {
  return { required: true, content: { 'application/json': { schema: asComponentSchema(schema) } } };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

function parametersOf({ schema }: RecordedRoute, location: 'path' | 'query', example: Example | undefined): JsonSchema[] {
  const { properties = {}, required = [] } = ((location === 'path' ? schema.params : schema.querystring) ?? {}) as ObjectSchema;
  // Required parameters come first.
  const names = [...required, ...Object.keys(properties).filter((name) => !required.includes(name))];
  return names.map((name) => {
    const property = properties[name];
    const { description, examples, ...schema } = asComponentSchema(property) as JsonSchema;
    const shown = example?.[location][name] ?? first(examples) ?? schema['default'] ?? first(schema['enum']);
    return {
      name,
      in: location,
      ...(location === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(shown === undefined ? {} : { example: shown }),
    };
  });
}

function first(values: unknown): unknown {
  return Array.isArray(values) ? values[0] : undefined;
}

function responses(route: RecordedRoute, group: Group, example: Example | undefined, records: ReadonlySet<string>): JsonSchema {
  const declared = (route.schema.response ?? {}) as Readonly<Record<string, JsonSchema>>;
  const statuses = new Set([...commonErrors, ...(group.isLive ? liveErrors : []), ...Object.keys(declared)]);
  const errors = [...statuses].filter((status) => status in errorsByStatus).sort();
  const { cost = 'turn' } = route.schema;
  const nameOf = (status: string): string => (status === '429' && cost === 'none' ? manyWrongKeys : errorsByStatus[status]!).name;
  return {
    200: {
      description: 'OK',
      headers: { ...(group.isLive ? liveHeaders : processHeaders), ...(cost === 'turn' ? rateHeaders : {}) },
      content: content(route, declared['200'], example, records),
    },
    ...('206' in declared ? { 206: partOf(declared['206']!) } : {}),
    ...(group.isLive || '304' in declared
      ? { 304: { $ref: `#/components/responses/${group.isLive ? 'NotModified' : 'DocumentNotModified'}` } }
      : {}),
    ...Object.fromEntries(errors.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }])),
  };
}

/** A range of a file. */
function partOf(declared: JsonSchema): JsonSchema {
  return {
    description: 'The requested range: `Content-Range` says which bytes of how many.',
    headers: { ...processHeaders, 'Content-Range': { $ref: '#/components/headers/Content-Range' } },
    content: declared['content'],
  };
}

/** Media types of a success. A response schema is one of JSON, unless it lists media types itself. */
function content(route: RecordedRoute, declared: JsonSchema = {}, example: Example | undefined, records: ReadonlySet<string>): JsonSchema {
  const types = (declared['content'] ?? { 'application/json': { schema: declared } }) as Readonly<Record<string, { schema: JsonSchema }>>;
  const query = ((route.schema.querystring as ObjectSchema | undefined)?.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const shown = Object.entries(types).map(([type, { schema }], i) => {
    const response = asResponseSchema(schema);
    return [
      type,
      {
        schema: 'fields' in query ? response : withWholeRecords(response, records),
        ...(i === 0 && example !== undefined ? { example: example.response } : {}),
      },
    ] as const;
  });
  return Object.fromEntries(shown);
}
