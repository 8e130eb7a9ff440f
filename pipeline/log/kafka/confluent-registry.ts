// The schema registry of the cluster: any server with Confluent's API. Ids are requested once; after that nothing waits for the registry.
import { Agent as TlsAgent } from 'node:https';
import type { Type } from 'avsc';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { retrying } from '../../runtime/retry.ts';
import { avroType } from '../avro.ts';
import type { SchemaRegistry } from '../schema-registry.ts';
import { type KafkaTlsFiles, tlsOptions } from './connection.ts';
import { NO_RESPONSE, NOT_FOUND, RegistryHttp, statusOf } from './registry-http.ts';

export interface ConfluentRegistryOptions {
  /** Base URL of the API, without a trailing slash. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: boolean | KafkaTlsFiles;
  /** How long requests are retried while the registry does not respond. */
  readonly waitMs?: number;
}

/** Every reader must read every writer's values, of any version, because workers are replaced one by one. */
const LEVEL = 'FULL_TRANSITIVE';

/** Errors of its methods: `schema.incompatible`, `schema.unknown_id`, `schema.registry_failed`; of the constructor: `input.unreadable`. */
export class ConfluentRegistry implements SchemaRegistry {
  private readonly http: RegistryHttp;
  private readonly url: string;
  private readonly waitMs: number;
  private readonly types = new Map<number, Type>();

  constructor({ url, username, password, tls, waitMs = limits.registryWaitMsMax }: ConfluentRegistryOptions) {
    const agent = tls === undefined || typeof tls === 'boolean' ? undefined : new TlsAgent(tlsOptions(tls));
    this.http = new RegistryHttp(url, { auth: username === undefined ? undefined : `${username}:${password ?? ''}`, agent });
    this.url = url;
    this.waitMs = waitMs;
  }

  async register(subject: string, schema: object): Promise<number> {
    const incompatible = (error: Error): never => {
      throw new SquitterError('schema.incompatible', { subject, detail: error.message }, error);
    };
    const id = await this.patiently(
      async () => {
        await this.ensureLevel(subject);
        return this.idAt(`${subjectPath(subject)}/versions`, schema);
      },
      { [CONFLICT]: incompatible },
    );
    this.types.set(id, avroType(schema));
    return id;
  }

  find(subject: string, schema: object): Promise<number | null> {
    return this.patiently<number | null>(() => this.idAt(subjectPath(subject), schema), { [NOT_FOUND]: () => null });
  }

  versions(subject: string): Promise<number[]> {
    return this.patiently(
      async () => {
        const versions = (await this.http.ask('GET', `${subjectPath(subject)}/versions`)) as number[];
        const found = await Promise.all(versions.map((version) => this.http.ask('GET', `${subjectPath(subject)}/versions/${version}`)));
        return found.map((version) => (version as { id: number }).id);
      },
      { [NOT_FOUND]: () => [] },
    );
  }

  async schema(id: number): Promise<Type> {
    const known = this.types.get(id);
    if (known !== undefined) return known;
    const unknown = (error: Error): never => {
      throw new SquitterError('schema.unknown_id', { id }, error);
    };
    const found = await this.patiently(() => this.http.ask('GET', `/schemas/ids/${id}`), { [NOT_FOUND]: unknown });
    const type = avroType(JSON.parse((found as { schema: string }).schema) as object);
    this.types.set(id, type);
    return type;
  }

  schemaNow(id: number): Type | null {
    return this.types.get(id) ?? null;
  }

  /** Posts a schema, and returns its id. */
  private async idAt(path: string, schema: object): Promise<number> {
    return ((await this.http.ask('POST', path, { schema: JSON.stringify(schema) })) as { id: number }).id;
  }

  /** Sets the compatibility level before anything is registered: the registry's default may allow every change. */
  private async ensureLevel(subject: string): Promise<void> {
    const path = `/config/${encodeURIComponent(subject)}`;
    const isSet = async (): Promise<boolean> => {
      const level = await this.http.ask('GET', path).catch((error: unknown) => {
        if (statusOf(error) !== NOT_FOUND) throw error;
        return null;
      });
      return (level as { compatibilityLevel?: string } | null)?.compatibilityLevel === LEVEL;
    };
    if (await isSet()) return;
    await this.http.ask('PUT', path, { compatibility: LEVEL }).catch(async (error: unknown) => {
      // Services start together: another one may have set it a moment ago.
      if (statusOf(error) !== CONFLICT || !(await isSet())) throw error;
    });
  }

  /** Retries while the registry is unavailable. `meanings` maps error statuses to results or errors. */
  private patiently<T>(work: () => Promise<T>, meanings: Readonly<Record<number, (error: Error) => T>>): Promise<T> {
    const deadline = performance.now() + this.waitMs;
    const attempt = (): Promise<T> =>
      work().catch((error: Error) => {
        const meaning = meanings[statusOf(error)];
        if (meaning === undefined) throw error;
        return meaning(error);
      });
    return retrying(attempt, (error) => {
      if (error instanceof SquitterError) throw error;
      if (!mayPass(statusOf(error)) || performance.now() > deadline)
        throw new SquitterError('schema.registry_failed', { url: withoutSecrets(this.url), detail: (error as Error).message }, error);
      return limits.registryRetryMs;
    });
  }
}

const CONFLICT = 409;
const TOO_MANY_REQUESTS = 429;

/** True if a retry may help. */
function mayPass(status: number): boolean {
  return status === NO_RESPONSE || status === TOO_MANY_REQUESTS || status >= 500;
}

function subjectPath(subject: string): string {
  return `/subjects/${encodeURIComponent(subject)}`;
}

/** Removes the user name and password that a URL may contain. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
