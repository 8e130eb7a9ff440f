// Checks compose.yaml without Docker, against the schema of the Compose Specification and for contents that the schema does not cover.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type OptionTable, readOptions } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import composeSchema from '../../test/support/compose-spec.schema.json' with { type: 'json' };
import { problemsOf, type ServiceName, services } from '../cluster/configuration.ts';
import { topicsCommand } from '../cluster/topics-command.ts';

interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly stop_grace_period?: string;
  readonly restart?: string;
}

const folder = import.meta.dirname;
const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, ComposeService>; volumes: Record<string, null> };
const all = Object.entries(compose.services);
/** Compose services that run our image, with the entry that each starts. */
const ours = all
  .filter(([, service]) => service.build !== undefined && entryOf(service) !== undefined)
  .map(([name, service]) => ({ name, service, entry: entryOf(service)! }));

/** `[service, fold]` → fold. */
function entryOf({ command }: ComposeService): ServiceName | undefined {
  return command?.[0] === 'service' ? (command[1] as ServiceName) : undefined;
}

/** Replaces `${NAME:-default}` with the default, as Compose does for variables that are not set. */
function withDefaults(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

async function schemaErrors(document: unknown): Promise<unknown> {
  const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true, strict: false } } });
  const { $schema: _, ...schema } = composeSchema;
  app.post('/', { attachValidation: true }, (request) => {
    const check = request.compileValidationSchema(schema);
    return check(request.body) ? [] : check.errors;
  });
  const response = await app.inject({ method: 'POST', url: '/', payload: document as object });
  return response.json();
}

describe('compose.yaml', () => {
  test('is valid by the Compose Specification, with its fragments merged', async () => {
    expect(await schemaErrors(compose)).toEqual([]);
  });

  test('the schema rejects errors', async () => {
    expect(await schemaErrors({ services: { a: { image: 'a:1', prots: ['1:1'] } } })).not.toEqual([]);
    expect(await schemaErrors({ services: { a: { image: 'a:1', depends_on: { b: { condition: 'ready' } } } } })).not.toEqual([]);
  });

  test('has all services of the cluster: one ingest, two folds, one flights stage, one project stage, one export service, two query APIs, two push services, Kafka, registry, Redis, ClickHouse', () => {
    const entries = ours.map(({ entry }) => entry).sort();
    expect(entries).toEqual(['export', 'flights', 'fold', 'fold', 'ingest', 'project', 'push', 'push', 'query-api', 'query-api']);
    for (const name of ['kafka', 'registry', 'redis', 'clickhouse']) expect(compose.services[name]).toBeDefined();
  });

  test.each(all)('%s is pinned to a version and has a health check', (name, { image, healthcheck, restart }) => {
    expect(withDefaults(image)).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    // A command that runs once has none.
    if (name === 'topics') expect([healthcheck, restart]).toEqual([{ disable: true }, 'no']);
    else expect(healthcheck!.test!.length).toBeGreaterThan(1);
  });

  test.each(all)('%s waits only for existing services, until they are healthy', (_, { depends_on: needs = {} }) => {
    for (const [name, { condition }] of Object.entries(needs)) {
      expect(compose.services).toHaveProperty([name, 'healthcheck']);
      expect(condition).toBe(name === 'topics' ? 'service_completed_successfully' : 'service_healthy');
    }
  });

  test('topics are created before any service starts, by a command with valid arguments and variables', () => {
    const { command = [], environment = {} } = compose.services['topics']!;
    expect(command[0]).toBe(topicsCommand.name);
    const { problems, options } = readOptions(
      topicsCommand.options as OptionTable,
      command.slice(1),
      environment as Record<string, string>,
    );
    expect(problems).toEqual([]);
    expect(options).toMatchObject({ create: true, copies: 1 });
    for (const { service } of ours) expect(service.depends_on).toHaveProperty('topics');
  });

  test.each(ours)('$name is configured by known variables of $entry, with valid values', ({ entry, service }) => {
    const environment = Object.entries(service.environment!).map(([name, value]) => [name, withDefaults(String(value))] as const);
    const known = Object.values(services[entry].options).map(({ env }) => env as string);
    for (const [name] of environment) expect(known).toContain(name);
    const { problems, options } = readOptions(services[entry].options as OptionTable, [], Object.fromEntries(environment));
    expect([...problems, ...problemsOf(options)]).toEqual([]);
  });

  test.each(ours)('$name has a health check on its listening port, and time to drain', ({ service }) => {
    const [host, port] = String(service.environment!['SQUITTER_HTTP']).split(':');
    expect(host).toBe('0.0.0.0');
    expect(service.healthcheck!.test!.join(' ')).toContain(`http://127.0.0.1:${port}/healthz`);
    expect(Number.parseInt(service.stop_grace_period!, 10) * 1000).toBeGreaterThan(limits.shutdownMsMax + 2000);
  });

  test('query APIs hand streams over to every push service, with the secret that these know', () => {
    const of = (entry: ServiceName) => ours.filter((one) => one.entry === entry);
    const listening = of('push').map(({ name, service }) => `${name}:${String(service.environment!['SQUITTER_PUSH']).split(':')[1]}`);
    for (const { service } of of('query-api')) expect(String(service.environment!['SQUITTER_PUSH_UPSTREAM']).split(',')).toEqual(listening);
    const secrets = [...of('query-api'), ...of('push')].map(({ service }) => service.environment!['SQUITTER_PUSH_SECRET']);
    expect(new Set(secrets).size).toBe(1);
  });

  test.each(ours)('$name has the secret of the installation if it needs it, and shares limits', ({ entry, service }) => {
    const { options } = services[entry];
    const { SQUITTER_SECRET_FILE: file, SQUITTER_REDIS_URL: redis } = service.environment!;
    expect([service.secrets, file]).toEqual(
      'secretFile' in options ? [['installation'], '/run/secrets/installation'] : [undefined, undefined],
    );
    expect(redis).toBe('redis' in options ? 'redis://redis:6379/0' : undefined);
    const set = Object.keys(service.environment!).filter((name) => /_(UNLIMITED|TRUSTED_PROXY|BASE_URL)$/.test(name));
    expect(set).toHaveLength('access' in options ? 3 : 0);
  });

  test('query APIs read history from the store that is written, and serve the folder of the export service, read only', () => {
    const of = (entry: ServiceName) => ours.filter((one) => one.entry === entry).map(({ service }) => service);
    const [writer] = of('export');
    const folder = String(writer!.environment!['SQUITTER_BULK_DIR']);
    expect(writer!.volumes).toEqual([`bulk:${folder}`]);
    const access = ['SQUITTER_CLICKHOUSE_URL', 'SQUITTER_CLICKHOUSE_USERNAME', 'SQUITTER_CLICKHOUSE_PASSWORD'];
    for (const service of of('query-api')) {
      expect(service.environment!['SQUITTER_BULK_DIR']).toBe(folder);
      expect(service.volumes).toEqual([`bulk:${folder}:ro,nocopy`]);
      for (const name of access) expect(service.environment![name], name).toBe(writer!.environment![name]);
    }
  });

  test.each(ours.filter(({ service }) => service.ports !== undefined))('$name publishes ports that it listens on', ({ service }) => {
    const listening = Object.values(service.environment!).map((value) => /^0\.0\.0\.0:(\d+)$/.exec(String(value))?.[1]);
    for (const port of service.ports!) expect(listening).toContain(port.split(':').at(-1));
  });

  test('mounts only existing files', () => {
    for (const [, { volumes = [] }] of all)
      for (const source of volumes.map((volume) => volume.split(':')[0]!))
        expect(source.startsWith('.') ? existsSync(join(folder, source)) : source in compose.volumes, source).toBe(true);
  });

  test('.env.example has exactly the variables of the file, with their defaults', () => {
    const used = new Map([...text.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map((match) => [match[1]!, match[2]!]));
    const example = readFileSync(join(folder, '.env.example'), 'utf8');
    const given = new Map([...example.matchAll(/^(\w+)=(.*)$/gm)].map((match) => [match[1]!, match[2]!]));
    expect([...given].sort()).toEqual([...used].sort());
  });

  test('is what Prometheus scrapes', () => {
    const config = parse(readFileSync(join(folder, '../grafana/prometheus.yaml'), 'utf8')) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    };
    const scraped = config.scrape_configs.flatMap(({ job_name: job, static_configs: [first] }) =>
      first!.targets.map((target) => [job, target]),
    );
    const expected = ours.map(({ name, entry, service }) => [
      `squitter-${entry}`,
      `${name}:${String(service.environment!['SQUITTER_HTTP']).split(':')[1]}`,
    ]);
    expect(scraped.sort()).toEqual(expected.sort());
  });
});

describe('the Dockerfile', () => {
  const docker = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  const instructions = docker
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line));

  test('has pinned bases of one version, more than one stage, an unprivileged user and a health check', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]!);
    expect(bases.length).toBeGreaterThan(1);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-[a-z-]+$/);
    expect(instructions.findLast((line) => line.startsWith('USER '))).toBe('USER node');
    expect(instructions.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(instructions.some((line) => line.startsWith('RUN npm ci '))).toBe(true);
  });

  test('gives all callers limits', () => {
    expect(instructions).toContain('ENV SQUITTER_ACCESS=tiers');
  });

  test('starts by the launcher', () => {
    expect(instructions).toContain('ENTRYPOINT ["/app/infra/cli/squitter.sh"]');
  });

  test('copies and starts existing files', () => {
    const root = resolve(folder, '../..');
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
    for (const line of instructions.filter((instruction) => instruction.startsWith('COPY --from=build'))) {
      for (const source of line
        .split(' ')
        .slice(2, -1)
        .map((path) => path.replace('/app/', '')))
        if (!['dist', 'node_modules'].includes(source)) expect(existsSync(join(root, source)), source).toBe(true);
    }
    // The image contains all files of the package. It installs from the lock file, and tests stay in the build stage.
    const shipped = files.filter((file) => !file.startsWith('!') && file !== 'npm-shrinkwrap.json');
    for (const file of shipped) expect(docker).toContain(file);
    const started = [...docker.matchAll(/dist\/([\w/-]+)\.js/g), ...text.matchAll(/dist\/([\w/-]+)\.js/g)].map((match) => match[1]!);
    for (const file of started) expect(existsSync(join(root, `${file}.ts`)), file).toBe(true);
  });
});
