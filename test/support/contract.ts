// Validates responses against the contract that the service serves: status, headers, media type and body of any request of a test.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { zstd } from '../../pipeline/runtime/zstd.ts';
import { type JsonSchema, mapSchema, wholeName } from '../../query-api/http/contract/schemas.ts';

export interface TestedResponse {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: JsonSchema }>>;
  };
}

const WHOLE = 'whole';
const SOME = 'some';

export class Contract {
  readonly document: OpenApiDocument;
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allowUnionTypes: true });
  private readonly patterns: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(document: OpenApiDocument) {
    this.document = document;
    const closed = closeObjects(document);
    // The response to a request without `fields=` has whole records.
    this.ajv.addSchema({ ...(recordsAsWhole(closed) as object) }, WHOLE).addSchema({ ...(closed as object) }, SOME);
    const paths = Object.keys(document.paths).sort((a, b) => a.split('{').length - b.split('{').length);
    this.patterns = paths.map((path) => ({ path, pattern: patternOf(path) }));
  }

  /** Documented path of a request; undefined outside of the contract. */
  pathOf(url: string): string | undefined {
    const path = url.split('?')[0]!;
    return this.patterns.find(({ pattern }) => pattern.test(path))?.path;
  }

  /** Parameters of an operation, including shared ones. */
  parametersOf({ parameters = [] }: Operation): Parameter[] {
    return parameters.map((parameter) =>
      '$ref' in parameter ? this.document.components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter,
    );
  }

  /** Faults of a response in words; empty for a valid response. */
  faults(tested: TestedResponse): string[] {
    const path = this.pathOf(tested.url);
    if (tested.method === 'OPTIONS' && tested.status === 204) return [];
    const { get, post } = path === undefined ? {} : this.document.paths[path]!;
    const operation = tested.method === 'POST' ? post : ['GET', 'HEAD'].includes(tested.method) ? get : undefined;
    if (path === undefined || operation === undefined) return tested.status < 400 ? [] : this.problemFaults(tested);
    const { responses } = operation;
    const declared = responses[tested.status];
    if (declared === undefined) return [`${path} does not declare ${tested.status}`];
    const name = declared.$ref?.split('/').at(-1);
    const response = name === undefined ? declared : this.document.components.responses[name]!;
    return [
      ...this.headerFaults(response, tested),
      ...this.bodyFaults(response, tested, `/paths/${escaped(path)}/${operation === post ? 'post' : 'get'}`),
    ];
  }

  /** Paths with GET and their operations. */
  reads(): [path: string, operation: Operation][] {
    return Object.entries(this.document.paths).flatMap(([path, { get }]) => (get === undefined ? [] : [[path, get]]));
  }

  /** Faults of a path's example. */
  exampleFaults(path: string, example: unknown): string[] {
    const { content = {} } = this.document.paths[path]?.get?.responses['200'] ?? {};
    const [type] = Object.keys(content);
    return type === undefined
      ? ['there is no such path']
      : this.schemaFaults(`${WHOLE}#/paths/${escaped(path)}/get/responses/200/content/${escaped(type)}/schema`, example);
  }

  private headerFaults({ headers = {} }: ResponseObject, tested: TestedResponse): string[] {
    return Object.entries(headers).flatMap(([name, { $ref }]) => {
      const { required = false, schema } = this.document.components.headers[$ref.split('/').at(-1)!]!;
      const text = tested.headers[name.toLowerCase()];
      if (text === undefined) return required ? [`header ${name} is missing`] : [];
      const value = schema['type'] === 'integer' ? Number(text) : text;
      return this.ajv.validate(schema, value) ? [] : [`header ${name} cannot be ${text}`];
    });
  }

  private bodyFaults({ content }: ResponseObject, tested: TestedResponse, at: string): string[] {
    const isEmpty = tested.body.length === 0;
    if (content === undefined || tested.method === 'HEAD') return isEmpty ? [] : ['there is a body'];
    const type = mediaType(tested);
    if (!(type in content)) return [`${tested.status} cannot be ${type}`];
    if (!/\bjson$/.test(type)) return [];
    const value = parsed(tested);
    if (value === undefined) return ['the body is no JSON'];
    const variant = new URLSearchParams(tested.url.split('?')[1]).has('fields') ? SOME : WHOLE;
    const pointer = tested.status === 200 ? `${at}/responses/200/content/${escaped(type)}/schema` : '/components/schemas/Problem';
    return this.schemaFaults(`${variant}#${pointer}`, value);
  }

  /** Errors have one form, also on paths outside of the contract; there, a browser may get a page. */
  private problemFaults(tested: TestedResponse): string[] {
    if (tested.status === 404 && mediaType(tested) === 'text/html') return [];
    if (mediaType(tested) !== 'application/problem+json') return [`an error of type ${mediaType(tested)}`];
    if (tested.method === 'HEAD') return [];
    return this.schemaFaults(`${WHOLE}#/components/schemas/Problem`, parsed(tested));
  }

  private schemaFaults(ref: string, value: unknown): string[] {
    return schemaFaults(this.ajv, ref, value).slice(0, 5);
  }
}

/** Faults of a value by a schema that was added. */
export function schemaFaults(ajv: Pick<Ajv, 'getSchema'>, ref: string, value: unknown): string[] {
  const validate = ajv.getSchema(ref)!;
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`);
}

const contracts = new Map<string, Contract>();

/** From now on `app.inject` throws on a response that breaks the contract; the error names the faults. */
export async function holdToContract(app: FastifyInstance): Promise<Contract> {
  const inject = app.inject.bind(app) as (request: InjectOptions | string) => Promise<LightMyRequestResponse>;
  const { body } = await inject('/openapi.json');
  const contract = contracts.get(body) ?? new Contract(JSON.parse(body) as OpenApiDocument);
  contracts.set(body, contract);
  const held = async (request: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const { method = 'GET', url } = typeof request === 'string' ? { url: request } : request;
    const response = await inject(request);
    // Node sends no body for HEAD; this version of inject keeps it. query-api/http/sockets.test.ts checks real ones.
    if (method.toUpperCase() === 'HEAD') Object.assign(response, { rawPayload: Buffer.alloc(0), payload: '', body: '' });
    const faults = contract.faults({
      method: method.toUpperCase(),
      url: String(url),
      status: response.statusCode,
      headers: response.headers,
      body: response.rawPayload,
    });
    if (faults.length > 0) throw new Error(`${method} ${String(url).slice(0, 200)} breaks the contract: ${faults.join('; ')}`);
    return response;
  };
  app.inject = held as typeof app.inject;
  return contract;
}

/** A member that the contract does not name is a fault, although clients must tolerate it. */
export function closeObjects(document: unknown): unknown {
  return mapSchema(document, (node) =>
    node['type'] === 'object' && typeof node['properties'] === 'object' && node['additionalProperties'] === undefined
      ? { ...node, additionalProperties: false }
      : node,
  );
}

/** Lists of records have whole ones. The properties of a GeoJSON feature are never whole: its coordinates stand elsewhere. */
function recordsAsWhole(document: unknown): unknown {
  const { schemas } = (document as OpenApiDocument).components;
  return mapSchema(document, (node) => {
    const items = node['items'] as { readonly $ref?: string } | undefined;
    const name = wholeName(items?.$ref?.split('/').at(-1) ?? '');
    return name in schemas ? { ...node, items: { $ref: `#/components/schemas/${name}` } } : node;
  });
}

/** Schemas of the push contract that allow a record with some of its members: they then require all. */
export function wholeRecords(document: unknown): unknown {
  return mapSchema(document, (node) => {
    const [whole, some] = (Array.isArray(node['anyOf']) ? node['anyOf'] : []) as { $ref?: string }[];
    return whole?.$ref !== undefined && some?.$ref === `${whole.$ref}Members` ? whole : node;
  });
}

function patternOf(path: string): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source.replace(/\/$/, '')}/?$`);
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function mediaType({ headers }: TestedResponse): string {
  return String(headers['content-type'] ?? 'none').split(';')[0]!;
}

function parsed({ headers, body }: TestedResponse): unknown {
  const decode: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
    ...(zstd === null ? {} : { zstd: zstd.decompressSync }),
  };
  const bytes = decode[String(headers['content-encoding'])]?.(body) ?? body;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
