// Checks compose.yaml and the Dockerfile without Docker: the schema of the Compose Specification, and contents that it does not cover.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type OptionTable, readOptions } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import composeSchema from '../../test/support/compose-spec.schema.json' with { type: 'json' };
import { problemsOf, type ServiceName, serviceNames, services } from '../cluster/configuration.ts';
import { topicsCommand } from '../cluster/topics-command.ts';

interface ComposeService {
  readonly image: string;
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
  .filter(([, { command = [] }]) => command[0] === 'service')
  .map(([name, service]) => ({ name, service, entry: service.command![1] as ServiceName }));

/** Replaces `${NAME:-default}` with the default, as Compose does for variables that are not set. */
function withDefaults(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

const of = (entry: ServiceName) => ours.filter((one) => one.entry === entry);
const portOf = ({ environment = {} }: ComposeService, variable: string): string => String(environment[variable]).split(':')[1]!;

test('compose.yaml is valid by the Compose Specification, whose schema rejects errors', async () => {
  const { $schema: _, ...body } = composeSchema;
  const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false, strict: false } } });
  app.post('/', { schema: { body } }, () => 'valid');
  const posted = async (payload: object) => (await app.inject({ method: 'POST', url: '/', payload })).body;
  expect(await posted(compose)).toBe('valid');
  expect(await posted({ services: { a: { image: 'a:1', prots: ['1:1'] } } })).toContain('FST_ERR_VALIDATION');
});

test('it has all services of the cluster, topics first', () => {
  expect(new Set(ours.map(({ entry }) => entry))).toEqual(new Set(serviceNames));
  const { command = [], environment = {} } = compose.services['topics']!;
  expect(command[0]).toBe(topicsCommand.name);
  const table = topicsCommand.options as OptionTable;
  const { problems, options } = readOptions(table, command.slice(1), environment as Record<string, string>);
  expect(problems).toEqual([]);
  expect(options).toMatchObject({ create: true, copies: 1 });
  for (const { service } of ours) expect(service.depends_on).toHaveProperty('topics');
});

test.each(all)('%s has a pinned version, a health check, existing mounts, and waits for healthy services', (name, service) => {
  const { image, healthcheck, restart, depends_on: needs = {}, volumes = [] } = service;
  expect(withDefaults(image)).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  // A command that runs once has no health check.
  if (name === 'topics') expect([healthcheck, restart]).toEqual([{ disable: true }, 'no']);
  else expect(healthcheck!.test!.length).toBeGreaterThan(1);
  for (const [other, { condition }] of Object.entries(needs)) {
    expect(compose.services).toHaveProperty([other, 'healthcheck']);
    expect(condition).toBe(other === 'topics' ? 'service_completed_successfully' : 'service_healthy');
  }
  for (const source of volumes.map((volume) => volume.split(':')[0]!))
    expect(source.startsWith('.') ? existsSync(join(folder, source)) : source in compose.volumes, source).toBe(true);
});

test.each(ours)('$name is configured by variables of $entry, checked where it listens, and has its secrets and time to drain', (one) => {
  const { options } = services[one.entry];
  const { environment = {}, healthcheck, stop_grace_period: grace, secrets, ports = [] } = one.service;
  const values = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, withDefaults(String(value))]));
  expect(Object.values(options).map(({ env }) => env as string)).toEqual(expect.arrayContaining(Object.keys(values)));
  const { problems, options: read } = readOptions(options as OptionTable, [], values);
  expect([...problems, ...problemsOf(read)]).toEqual([]);
  expect(values['SQUITTER_HTTP']).toMatch(/^0\.0\.0\.0:/);
  expect(healthcheck!.test!.join(' ')).toContain(`http://127.0.0.1:${portOf(one.service, 'SQUITTER_HTTP')}/healthz`);
  expect(Number.parseInt(grace!, 10) * 1000).toBeGreaterThan(limits.shutdownMsMax + 2000);
  const installation = 'secretFile' in options;
  expect([secrets, values['SQUITTER_SECRET_FILE']]).toEqual(
    installation ? [['installation'], '/run/secrets/installation'] : [undefined, undefined],
  );
  expect(values['SQUITTER_REDIS_URL']).toBe('redis' in options ? 'redis://redis:6379/0' : undefined);
  const set = Object.keys(values).filter((name) => /_(UNLIMITED|TRUSTED_PROXY|BASE_URL)$/.test(name));
  expect(set).toHaveLength('access' in options ? 3 : 0);
  const listening = Object.values(values).map((value) => /^0\.0\.0\.0:(\d+)$/.exec(value)?.[1]);
  for (const port of ports) expect(listening).toContain(port.split(':').at(-1));
});

test('query APIs hand streams over to every push service with its secret, and read the store and the files of the export service', () => {
  const [queryApis, pushes, [writer]] = [of('query-api'), of('push'), of('export')];
  const listening = pushes.map(({ name, service }) => `${name}:${portOf(service, 'SQUITTER_PUSH')}`);
  expect(new Set([...queryApis, ...pushes].map(({ service }) => service.environment!['SQUITTER_PUSH_SECRET'])).size).toBe(1);
  const folder = String(writer!.service.environment!['SQUITTER_BULK_DIR']);
  expect(writer!.service.volumes).toEqual([`bulk:${folder}`]);
  const access = ['SQUITTER_CLICKHOUSE_URL', 'SQUITTER_CLICKHOUSE_USERNAME', 'SQUITTER_CLICKHOUSE_PASSWORD', 'SQUITTER_BULK_DIR'];
  for (const { service } of queryApis) {
    expect(String(service.environment!['SQUITTER_PUSH_UPSTREAM']).split(',')).toEqual(listening);
    expect(service.volumes).toEqual([`bulk:${folder}:ro,nocopy`]);
    for (const name of access) expect(service.environment![name], name).toBe(writer!.service.environment![name]);
  }
});

test('.env.example has exactly the variables of the file, with their defaults', () => {
  const used = new Map([...text.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map((match) => [match[1]!, match[2]!]));
  const example = readFileSync(join(folder, '.env.example'), 'utf8');
  const given = new Map([...example.matchAll(/^(\w+)=(.*)$/gm)].map((match) => [match[1]!, match[2]!]));
  expect([...given].sort()).toEqual([...used].sort());
});

test('it is what Prometheus scrapes', () => {
  const config = parse(readFileSync(join(folder, '../grafana/prometheus.yaml'), 'utf8')) as {
    scrape_configs: { job_name: string; static_configs: [{ targets: string[] }] }[];
  };
  const scraped = config.scrape_configs.flatMap(({ job_name: job, static_configs: [{ targets }] }) =>
    targets.map((target) => [job, target]),
  );
  const expected = ours.map(({ name, entry, service }) => [`squitter-${entry}`, `${name}:${portOf(service, 'SQUITTER_HTTP')}`]);
  expect(scraped.sort()).toEqual(expected.sort());
});

test('the Dockerfile has pinned bases of one version, an unprivileged user, a health check, limits for all callers, and all files of the package', () => {
  const docker = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  const instructions = docker.replace(/\\\n/g, ' ').split('\n');
  const bases = new Set(instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]));
  expect([...bases]).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-[a-z-]+$/)]);
  expect(instructions.findLast((line) => line.startsWith('USER '))).toBe('USER node');
  for (const start of ['HEALTHCHECK ', 'RUN npm ci ', 'ENV SQUITTER_ACCESS=tiers', 'ENTRYPOINT ["/app/infra/cli/squitter.sh"]'])
    expect(docker).toContain(`\n${start}`);
  const root = resolve(folder, '../..');
  const copied = instructions.filter((line) => line.startsWith('COPY --from=build')).flatMap((line) => line.split(' ').slice(2, -1));
  const made = copied.map((path) => path.replace('/app/', '')).filter((path) => !['dist', 'node_modules'].includes(path));
  for (const source of made) expect(existsSync(join(root, source)), source).toBe(true);
  // It installs from the lock file, and tests stay in the build stage.
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  for (const file of files) if (!file.startsWith('!') && file !== 'npm-shrinkwrap.json') expect(docker).toContain(file);
});
