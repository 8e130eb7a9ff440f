// The OpenAPI 3.1 document of an application: built from its registered routes, their JSON schemas and its shared schemas.

import { fromHistory } from '../schemas/envelope.ts';
import { errorResponses, headers, notModifiedResponses, problemSchema } from './components.ts';
import type { Examples } from './examples.ts';
import { groups } from './groups.ts';
import { documentedPath, operation } from './operations.ts';
import type { RecordedRoute } from './routes.ts';
import { asResponseSchema, type JsonSchema, wholeName } from './schemas.ts';
import { shareParameters } from './shared-parameters.ts';

export interface ContractSource {
  readonly routes: readonly RecordedRoute[];
  /** Schemas that routes share, by `$id`. */
  readonly sharedSchemas: Readonly<Record<string, unknown>>;
  readonly examples: Examples;
  /** Release of the service. */
  readonly version: string;
  /** Public address without a trailing slash; '' for a document served by the service that it describes. */
  readonly baseUrl: string;
}

/** Records that `fields=` reduces. */
const RECORDS = ['Aircraft', 'ReadsbAircraft', 'Flight'];

const DESCRIPTION = `Live positions and flights of aircraft, received on 1090 MHz.

**Units.** Feet, knots, feet per minute, nautical miles, degrees; times in Unix seconds, UTC. Ages count from \`now\` of the same response.

**Absent members.** An unknown or expired value is absent: never null, never an empty string. A value expires 60 s after its last
message unless its description says otherwise.

**Compatibility.** Within \`/v2\` members and parameters are only added. Ignore members that you do not know. Removals are announced by
\`Deprecation\` and \`Sunset\` headers a year before for a path, half a year for a parameter.

**Caching.** Every response has a strong ETag that changes with the snapshot, once a second: send it as \`If-None-Match\`, and a 304 has no bytes.
\`gzip\`, \`br\` and, if the service has it, \`zstd\` make responses five to ten times smaller.

**Callers.** A key, of the form \`sqt_…\`, is the feeder that it belongs to; without one, so is the address of a feeder, and other callers are known by their
address. Each caller has a tier: so many requests in a time, and so many bytes in a day, over all protocols together. \`RateLimit\` says what is left, and
\`/v2/me\` says more. Over it the response is 429 with \`Retry-After\`, and says where the same data are without such a limit.

**Streams.** The same aircraft as WebSocket and server-sent events, with only what changed: \`/asyncapi.json\` is their contract, \`/stream\` shows them.

**GeoJSON.** \`/v2/geojson/…\` has the lists of aircraft for maps.

**Records.** One aircraft, the nearest aircraft and totals as messages, for gRPC, gRPC-Web and Connect: [/v1/aircraft.proto](/v1/aircraft.proto) is their contract.

**AI assistants.** \`/mcp\` has tools by the Model Context Protocol, \`/llms.txt\` points to all descriptions.

**Methods.** GET, and HEAD for the headers alone. A trailing slash is tolerated. An unknown query parameter of \`/v2\` is an error that names the right one.`;

/** The document as plain data. */
export function openApiDocument({ routes, sharedSchemas, examples, version, baseUrl }: ContractSource): JsonSchema {
  const records = RECORDS.filter((name) => name in sharedSchemas);
  const isRecord = new Set(records);
  const sorted = [...routes].sort((a, b) => (a.url < b.url ? -1 : 1));
  const { operations, shared } = shareParameters(sorted.map((route) => operation(route, examples, isRecord)));
  const used = new Set(operations.flatMap((get) => get['tags'] as string[]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Squitter',
      version,
      summary: 'Live aircraft positions',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl === '' ? '/' : baseUrl, description: 'this service' }],
    // A key is optional everywhere.
    security: [{}, { ApiKey: [] }],
    tags: groups.filter(({ tag }) => used.has(tag)).map(({ tag, description }) => ({ name: tag, description })),
    paths: Object.fromEntries(operations.map((each, i) => [documentedPath(sorted[i]!.url), { [sorted[i]!.method]: each }])),
    components: {
      securitySchemes: { ApiKey: keyScheme },
      schemas: {
        ...Object.fromEntries(Object.entries(sharedSchemas).map(([name, schema]) => [name, asResponseSchema(schema)])),
        ...Object.fromEntries(
          records.flatMap((name) => {
            const whole = asResponseSchema(sharedSchemas[name]) as JsonSchema;
            return [
              [name, recordOf(name, whole)],
              [wholeName(name), whole],
            ];
          }),
        ),
        AircraftFeatures: asResponseSchema(featuresSchema),
        Problem: problemSchema,
      },
      parameters: shared,
      responses: usedOf({ ...notModifiedResponses, ...errorResponses }, operations),
      headers,
    },
  };
}

const keyScheme: JsonSchema = {
  ...{ type: 'http', scheme: 'bearer', bearerFormat: 'sqt_…' },
  description:
    'The key of a feeder, from its dashboard at `/feeders`. Requests from the address of a feeder need none; a wrong key is refused from there, too.',
};

/** The responses that operations reference. */
function usedOf(responses: JsonSchema, operations: readonly JsonSchema[]): JsonSchema {
  const text = JSON.stringify(operations);
  return Object.fromEntries(Object.entries(responses).filter(([name]) => text.includes(`"#/components/responses/${name}"`)));
}

/** A record of lists: one type for whole ones and for those with the members of `fields=`, because generators make a union of two. */
function recordOf(name: string, { required: _, dependentRequired: __, description, ...others }: JsonSchema): JsonSchema {
  return {
    ...others,
    description: `${description} With \`fields=\` only \`hex\` is certain, without it this is a \`${wholeName(name)}\`.`,
    required: ['hex'],
  };
}

const DEGREES = 'degrees east, degrees north, and metres above the ellipsoid where the geometric altitude is known';

/** A list as GeoJSON (RFC 7946). */
const featuresSchema: JsonSchema = {
  type: 'object',
  description: 'Aircraft with a position as GeoJSON.',
  required: ['type', 'now', 'ctime', 'total', 'features'],
  properties: {
    type: { type: 'string', const: 'FeatureCollection', description: 'kind of GeoJSON object' },
    now: { type: 'number', description: 'time of the snapshot, Unix s' },
    ctime: { type: 'number', description: 'time at which these bytes were made, Unix s' },
    total: { type: 'integer', minimum: 0, description: 'aircraft in this response' },
    from_history: fromHistory,
    features: {
      type: 'array',
      description: 'one for each aircraft',
      items: {
        type: 'object',
        required: ['type', 'id', 'geometry', 'properties'],
        properties: {
          type: { type: 'string', const: 'Feature', description: 'kind of GeoJSON object' },
          id: { type: 'string', description: 'ICAO 24-bit address, as `hex`' },
          geometry: {
            type: 'object',
            description: 'position of the aircraft',
            required: ['type', 'coordinates'],
            properties: {
              type: { type: 'string', const: 'Point', description: 'kind of geometry' },
              coordinates: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3, description: DEGREES },
            },
          },
          properties: {
            description: 'the other members of the aircraft, all or those that `fields=` lists',
            $ref: '#/components/schemas/Aircraft',
          },
        },
      },
    },
  },
};
