// The schema registry of the cluster: any that answers Confluent's API. Ids are asked for once; afterwards nothing waits for the registry.
import { type Agent, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPATIBILITY, SchemaRegistry as ConfluentClient, SchemaType } from '@kafkajs/confluent-schema-registry';
import type { Type } from 'avsc';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { avroType } from '../avro.ts';
import type { SchemaRegistry } from '../schema-registry.ts';
import { type KafkaTlsFiles, tlsOptions } from './connection.ts';

export interface ConfluentRegistryOptions {
  /** Base of the API, without a slash at its end. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: boolean | KafkaTlsFiles;
  /** How long a registry that does not answer is asked again. */
  readonly patienceMs?: number;
}

/** Every reader reads what every writer wrote, of any version: workers are replaced one by one. */
const LEVEL = COMPATIBILITY.FULL_TRANSITIVE;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Errors of its calls: `schema.incompatible`, `schema.unknown_id`, `schema.registry_failed`. Error: `input.unreadable`. */
export function openConfluentRegistry(options: ConfluentRegistryOptions): SchemaRegistry {
  const { url, username, password, tls, patienceMs = limits.registryPatienceMsMax } = options;
  const agent = tls === undefined || typeof tls === 'boolean' ? undefined : new TlsAgent(tlsOptions(tls));
  const auth = username === undefined ? undefined : { username, password: password ?? '' };
  const client = new ConfluentClient({
    host: url,
    clientId: 'squitter',
    retry: { retries: 0 },
    ...(auth === undefined ? {} : { auth }),
    ...(agent === undefined ? {} : { agent }),
  });
  const types = new Map<number, Type>();
  const ask = (method: string, path: string, body?: object) => requestJson({ url: `${url}${path}`, method, body, auth, agent });

  /** Tries again while the registry is away; gives what `known` makes of an answer that refuses. */
  const patiently = async <T>(
    work: () => Promise<T>,
    known: (status: number, error: Error) => T | SquitterError | undefined,
  ): Promise<T> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const status = (error as { status?: number }).status ?? NO_ANSWER;
        const meaning = known(status, error as Error);
        if (meaning instanceof SquitterError) throw meaning;
        if (meaning !== undefined) return meaning;
        if (!mayPass(status) || performance.now() > deadline)
          throw new SquitterError('schema.registry_failed', { url: withoutSecrets(url), detail: (error as Error).message }, error);
        await sleep(limits.registryRetryMs);
      }
    }
  };

  return {
    register: (subject, schema) =>
      patiently(
        async () => {
          await demandLevel(ask, subject);
          const { id } = await client.register(confluentSchema(schema), { subject, compatibility: LEVEL });
          types.set(id, avroType(schema));
          return id;
        },
        (status, error) =>
          status === CONFLICT ? new SquitterError('schema.incompatible', { subject, detail: error.message }, error) : undefined,
      ),
    find: (subject, schema) =>
      patiently<number | null>(
        async () => {
          const { status, body } = await ask('POST', `/subjects/${encodeURIComponent(subject)}`, { schema: JSON.stringify(schema) });
          return status === NOT_FOUND ? null : (expectOk({ status, body }) as { id: number }).id;
        },
        () => undefined,
      ),
    versions: (subject) =>
      patiently(
        async () => {
          const { status, body } = await ask('GET', `/subjects/${encodeURIComponent(subject)}/versions`);
          if (status === NOT_FOUND) return [];
          const versions = expectOk({ status, body }) as number[];
          return Promise.all(versions.map((version) => client.getRegistryId(subject, version)));
        },
        () => undefined,
      ),
    schema: async (id) => {
      const known = types.get(id);
      if (known !== undefined) return known;
      const found = await patiently(
        async () => (await client.getSchema(id)) as Type,
        (status) => (status === NOT_FOUND ? new SquitterError('schema.unknown_id', { id }) : undefined),
      );
      const type = avroType(found.schema({ exportAttrs: true }) as object);
      types.set(id, type);
      return type;
    },
    schemaNow: (id) => types.get(id) ?? null,
  };
}

/** Asks for the level before anything is registered: a registry's own may allow everything. */
async function demandLevel(ask: (method: string, path: string, body?: object) => Promise<Answer>, subject: string): Promise<void> {
  const path = `/config/${encodeURIComponent(subject)}`;
  const isDemanded = async (): Promise<boolean> => {
    const { status, body } = await ask('GET', path);
    return status === 200 && (body as { compatibilityLevel?: string }).compatibilityLevel === LEVEL;
  };
  if (await isDemanded()) return;
  const answer = await ask('PUT', path, { compatibility: LEVEL });
  // Services start together: another one may have asked for it a moment ago.
  if (answer.status !== CONFLICT || !(await isDemanded())) expectOk(answer);
}

const NO_ANSWER = 0;
const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The client gives an answer of its own, 400, where there was none. */
function mayPass(status: number): boolean {
  return status === NO_ANSWER || status === BAD_REQUEST || status === TOO_MANY_REQUESTS || status >= 500;
}

function confluentSchema(schema: object): { type: SchemaType.AVRO; schema: string } {
  return { type: SchemaType.AVRO, schema: JSON.stringify(schema) };
}

/** The body of a good answer; any other is thrown with its status. */
function expectOk({ status, body }: Answer): unknown {
  if (status >= 200 && status < 300) return body;
  const detail = (body as { message?: string } | null)?.message ?? `status ${status}`;
  throw Object.assign(new Error(detail), { status });
}

interface JsonRequest {
  readonly url: string;
  readonly method: string;
  readonly body: object | undefined;
  readonly auth: { readonly username: string; readonly password: string } | undefined;
  readonly agent: Agent | undefined;
}

/** What the registry's client has no call for. */
function requestJson({ url, method, body, auth, agent }: JsonRequest): Promise<Answer> {
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  const options = {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/vnd.schemaregistry.v1+json' },
    timeout: limits.registryAnswerMsMax,
    ...(auth === undefined ? {} : { auth: `${auth.username}:${auth.password}` }),
    ...(agent === undefined ? {} : { agent }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? NO_ANSWER, body: parsed(text) }));
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${limits.registryAnswerMsMax / 1000} s`)));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A URL may hold a name and a password. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
