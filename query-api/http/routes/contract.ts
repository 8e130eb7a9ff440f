// The contracts for download: `/openapi.json`, `/openapi.yaml` and their aliases, `/asyncapi.json`, `/asyncapi.yaml`, `/v1/aircraft.proto`, `/llms.txt`, the catalogue with its links (RFC 9727), the licence.
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { packageFile, packageVersion } from '../../../pipeline/runtime/package-root.ts';
import type { ApiContext } from '../context.ts';
import { openApiDocument } from '../contract/document.ts';
import { readExamples } from '../contract/examples.ts';
import { llmsText } from '../contract/llms.ts';
import { pushContract } from '../contract/push/document.ts';
import type { RecordedRoute } from '../contract/routes.ts';
import { toYaml } from '../contract/yaml.ts';
import { JSON_TYPE, sendContent } from '../responses/content.ts';
import { schemaOf } from '../schemas/build.ts';
import { once } from '../validation/routing.ts';

const YAML_TYPE = 'application/yaml';
const PROTO_PATH = '/v1/aircraft.proto';
const TEXT_TYPE = 'text/plain';
const CATALOG_PATH = '/.well-known/api-catalog';
/** RFC 9727 §3: the profile says that this set of links is a catalogue of APIs. */
const CATALOG_TYPE = 'application/linkset+json';
const CATALOG_PROFILE = 'profile="https://www.rfc-editor.org/info/rfc9727"';

const TAG_CHARACTERS = 16;

interface Served {
  readonly paths: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly type: string;
  /** The content type of the response. Default: the type, in UTF-8. */
  readonly contentType?: string;
  /** Built with the first request: together they take a tenth of a second, and most services are never asked. */
  readonly make: () => string;
}

/** `routes` may grow until the first request. */
export function contractRoutes(app: FastifyInstance, context: ApiContext, routes: readonly RecordedRoute[]): void {
  const { baseUrl } = context;
  // Files are read now: one that is missing ends the start, not a request.
  const shared = { examples: readExamples(), version: packageVersion(), baseUrl };
  const proto = packageFile(`schemas/proto${PROTO_PATH}`).toString();
  const licence = packageFile('LICENSE').toString();
  const data = packageFile('schemas/api/streams.json');
  const document = once(() => openApiDocument({ routes, sharedSchemas: app.getSchemas(), ...shared }));
  const streams = once(() => pushContract({ ...shared, data }));
  const served: readonly Served[] = [
    {
      paths: ['/openapi.json', '/api/openapi.json'],
      summary: 'This contract as JSON',
      description: 'OpenAPI 3.1, built from the schemas that validate every request; with an ETag.',
      type: JSON_TYPE,
      make: () => `${JSON.stringify(document(), null, 1)}\n`,
    },
    {
      paths: ['/openapi.yaml', '/api/other/openapi.yaml'],
      summary: 'This contract as YAML',
      description: 'The same document as `/openapi.json`.',
      type: YAML_TYPE,
      make: () => toYaml(document()),
    },
    {
      paths: ['/asyncapi.json'],
      summary: 'The contract of the streams as JSON',
      description: 'AsyncAPI 3: WebSocket, event streams and their messages; with an ETag.',
      type: JSON_TYPE,
      make: () => `${JSON.stringify(streams(), null, 1)}\n`,
    },
    {
      paths: ['/asyncapi.yaml'],
      summary: 'The contract of the streams as YAML',
      description: 'The same document as `/asyncapi.json`.',
      type: YAML_TYPE,
      make: () => toYaml(streams()),
    },
    {
      paths: [PROTO_PATH],
      summary: 'The contract of the record service as a .proto file',
      description: 'Protocol Buffers 3: the aircraft as records, for gRPC, gRPC-Web and Connect; with an ETag.',
      type: TEXT_TYPE,
      make: () => proto,
    },
    {
      paths: [CATALOG_PATH],
      summary: 'Addresses of this API and its descriptions (RFC 9727)',
      description: 'A link set: the API, the streams, the tool server and the record service, their contracts, documentation and health.',
      type: CATALOG_TYPE,
      contentType: `${CATALOG_TYPE}; ${CATALOG_PROFILE}`,
      make: () => `${JSON.stringify(apiCatalog(baseUrl), null, 1)}\n`,
    },
    {
      paths: ['/llms.txt'],
      summary: 'This service for programs that read text',
      description: 'What it is, and where its descriptions are: tools for AI assistants, contracts, documentation.',
      type: TEXT_TYPE,
      make: () => llmsText(baseUrl),
    },
    {
      paths: ['/license'],
      summary: 'Licence of the software',
      description: 'The text of the MIT licence.',
      type: TEXT_TYPE,
      make: () => licence,
    },
  ];
  // RFC 9727 §2: a HEAD request for the catalogue gets its link.
  const catalogLink = `<${baseUrl}${CATALOG_PATH}>; rel="api-catalog", ${context.link}`;
  for (const { paths, summary, description, type, contentType = `${type}; charset=utf-8`, make } of served) {
    const content = once(() => {
      const body = Buffer.from(make());
      return { body, tag: createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS), packed: new Map() };
    });
    const response = { content: { [type]: { schema: bodySchema(type) } } };
    const schema = schemaOf({ summary, description, cost: 'light', query: {}, response, more: { 304: {} } });
    const more = type === CATALOG_TYPE ? ['link', catalogLink] : [];
    for (const path of paths)
      app.get(path, { schema }, (request, reply) =>
        sendContent(context, request, reply, { kind: 'contract', type: contentType, compressedBytesMin: 0, more, ...content() }),
      );
  }
}

function bodySchema(type: string): object {
  return type === TEXT_TYPE ? { type: 'string' } : { type: 'object', additionalProperties: true };
}

function apiCatalog(baseUrl: string): object {
  const link = (path: string, type: string) => [{ href: `${baseUrl}${path}`, type }];
  const common = { license: link('/license', TEXT_TYPE), status: link('/readyz', JSON_TYPE) };
  return {
    linkset: [
      {
        anchor: `${baseUrl}/v2/`,
        'service-desc': [...link('/openapi.json', JSON_TYPE), ...link('/openapi.yaml', YAML_TYPE)],
        'service-doc': link('/docs', 'text/html'),
        ...common,
      },
      {
        anchor: `${baseUrl}/v2/ws`,
        'service-desc': [...link('/asyncapi.json', JSON_TYPE), ...link('/asyncapi.yaml', YAML_TYPE)],
        'service-doc': link('/stream', 'text/html'),
        ...common,
      },
      {
        anchor: `${baseUrl}/mcp`,
        'service-doc': link('/llms.txt', TEXT_TYPE),
        ...common,
      },
      {
        anchor: `${baseUrl}/v1.AircraftService/`,
        'service-desc': link(PROTO_PATH, TEXT_TYPE),
        'service-doc': link('/docs', 'text/html'),
        ...common,
      },
    ],
  };
}
