// Checks the manifests without a cluster, against the schemas of Kubernetes and for contents that the schemas do not cover.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type OptionTable, readOptions } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import { EVENTS_PATH, SNAPSHOT_PATH, socketPaths } from '../../schemas/push.ts';
import { FRAME_PARTITIONS_CLUSTER } from '../../schemas/topics.ts';
import { pythonPackages } from '../../test/support/python.ts';
import { problemsOf, type ServiceName, serviceNames, services } from '../cluster/configuration.ts';
import { topicsCommand } from '../cluster/topics-command.ts';

// The schemas of Kubernetes check the shape.
// biome-ignore lint/suspicious/noExplicitAny: each kind has its own
type Yaml = any;
type Manifest = { readonly kind: string; readonly metadata: Yaml; readonly data?: Yaml; readonly stringData?: Yaml; readonly spec: Yaml };

const folder = import.meta.dirname;
const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
/** Kustomize merges this file into each deployment. */
const COMMON = 'deployment.yaml';
const common = parse(text(COMMON)) as Manifest;
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml' && file !== COMMON);
const manifests = files.flatMap((file) =>
  parseAllDocuments(text(file)).map((document) => {
    const manifest = document.toJS() as Manifest;
    return manifest.kind === 'Deployment' ? { ...manifest, spec: patched(manifest.spec, common.spec) } : manifest;
  }),
);
const all = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const ofKind = (kind: string, name: string): Manifest => all(kind).find(({ metadata }) => metadata.name === name)!;
const deployments = all('Deployment').map((manifest) => ({
  name: manifest.metadata.name as ServiceName,
  replicas: manifest.spec.replicas as number | undefined,
  selector: manifest.spec.selector.matchLabels,
  pod: manifest.spec.template,
  container: manifest.spec.template.spec.containers[0],
}));
const job = { container: all('Job')[0]!.spec.template.spec.containers[0] };
const settings = all('ConfigMap')[0]!.data!;
const python = pythonPackages();

/** The component that shares the daily files, and the deployments with its patches. */
const BULK_VOLUME = 'extras/bulk-volume';
const component = parse(text(`${BULK_VOLUME}/kustomization.yaml`)) as { kind: string; resources: string[]; patches: { path: string }[] };
const claim = parse(text(`${BULK_VOLUME}/claim.yaml`)) as Manifest;
const shared = component.patches.map(({ path }) => {
  const patch = parse(text(`${BULK_VOLUME}/${path}`)) as Manifest;
  const base = manifests.find(({ kind, metadata }) => kind === patch.kind && metadata.name === patch.metadata.name);
  return patched(base, patch) as Manifest;
});

/** A strategic merge as far as our patches need it: lists by the name of their items; null removes. */
function patched(base: unknown, patch: unknown): unknown {
  const nameOf = (item: unknown): unknown => (item as { name: string }).name;
  if (Array.isArray(patch)) {
    const items = (base ?? []) as unknown[];
    const added = patch.filter((item) => items.every((own) => nameOf(own) !== nameOf(item)));
    const changed = items.map((own) =>
      patched(
        own,
        patch.find((item) => nameOf(item) === nameOf(own)),
      ),
    );
    return [...changed, ...added];
  }
  if (typeof patch !== 'object' || patch === null) return patch === undefined ? base : patch;
  const own = Object.entries(patch).map(([name, value]) => [name, patched((base as Record<string, unknown> | undefined)?.[name], value)]);
  const merged = Object.fromEntries([...Object.entries(base ?? {}), ...own]) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

const named = (list: Yaml[], name: string): Yaml => list.find((one) => one.name === name);
const variablesOf = (names: readonly ServiceName[]): string[] =>
  names.flatMap((name) => Object.values(services[name].options).map(({ env }) => env as string));
const portOf = ({ ports }: Yaml, name: string): number | undefined => named(ports, name)?.containerPort;
const variableOf = ({ env }: Yaml, name: string): string => named(env, name)?.value ?? '';

describe('the schemas of Kubernetes', () => {
  test.skipIf(!python.met).each(['1.30', '1.34'])(`accept every manifest, version %s ${python.reason}`, (version) => {
    const work = mkdtempSync(join(tmpdir(), 'squitter-k8s-'));
    afterAll(() => rmSync(work, { recursive: true }));
    const merged = join(work, 'merged.yaml');
    writeFileSync(merged, [...manifests, ...shared].map((manifest) => stringify(manifest, { version: '1.1' })).join('---\n'));
    const paths = [merged, 'extras/secret.example.yaml', `${BULK_VOLUME}/claim.yaml`];
    const { status, stdout, stderr } = spawnSync(python.path, ['-m', 'kubernetes_validate', '--strict', '-k', version, ...paths], {
      cwd: folder,
      encoding: 'utf8',
    });
    const report = stdout + stderr;
    expect(report.split('\n').filter((line) => /^(ERROR|WARN)/.test(line))).toEqual([]);
    expect(status).toBe(0);
    expect(report.match(/passed/g)?.length).toBe(manifests.length + 2 + shared.length);
  });
});

test('kustomization.yaml lists every manifest, and names the image of all of them', () => {
  type Kustomization = { resources: string[]; patches: object[]; images: { name: string; newTag: string }[] };
  const { resources, patches, images } = parse(text('kustomization.yaml')) as Kustomization;
  expect([...resources].sort()).toEqual([...files].sort());
  expect(patches).toEqual([{ path: COMMON, target: { kind: 'Deployment' } }]);
  const { version } = JSON.parse(text('../../package.json')) as { version: string };
  expect(images.map(({ name, newTag }) => `${name}:${newTag}`)).toEqual([`squitter:${version}`]);
  for (const { container } of deployments) expect(container.image).toBe(`squitter:${version}`);
});

test('there is a deployment for each service', () => {
  expect(deployments.map(({ name }) => name).sort()).toEqual([...serviceNames].sort());
});

test.each(deployments)('$name is configured, reached, stopped and scaled', ({ name, replicas, selector, pod, container }) => {
  const { options } = services[name];
  const own = container.env.map((variable: Yaml) => [variable.name, variable.value ?? 'pod-1'] as const);
  expect(variablesOf([name])).toEqual(expect.arrayContaining(own.map(([variable]: [string]) => variable)));
  expect(variablesOf(serviceNames)).toEqual(expect.arrayContaining(Object.keys(settings)));
  expect(readOptions(options as OptionTable, [], { ...settings, ...Object.fromEntries(own) }).problems).toEqual([]);
  expect(container.args).toEqual(['service', name]);

  const needsSecret = 'secretFile' in options;
  const mount = { name: 'installation', mountPath: '/run/installation', readOnly: true };
  expect(named(container.volumeMounts, 'installation')).toEqual(needsSecret ? mount : undefined);
  const volume = named(pod.spec.volumes ?? [], 'installation');
  expect(volume?.secret).toEqual(needsSecret ? { secretName: 'squitter-installation' } : undefined);

  const listening = { http: 'HTTP', grpc: 'GRPC', push: 'PUSH', feeders: 'LISTEN' };
  for (const { name: port, containerPort } of container.ports)
    expect(variableOf(container, `SQUITTER_${listening[port as 'http']}`)).toBe(`0.0.0.0:${containerPort}`);
  const scraped = { 'prometheus.io/port': String(portOf(container, 'http')), 'prometheus.io/path': '/metrics' };
  expect(pod.metadata.annotations).toMatchObject(scraped);

  const pauseS = container.lifecycle?.preStop.sleep.seconds ?? 0;
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(pauseS + limits.shutdownMsMax / 1000 + 5);
  expect(Object.keys(container.resources.requests).sort()).toEqual(['cpu', 'memory']);
  expect(container.resources.limits['memory']).toBeDefined();

  expect(pod.metadata.labels).toMatchObject(selector);
  expect(ofKind('PodDisruptionBudget', name).spec.selector.matchLabels).toEqual(selector);
  const scaler = all('HorizontalPodAutoscaler').find((manifest) => manifest.spec.scaleTargetRef.name === name);
  expect(scaler === undefined).toBe(replicas !== undefined);
  expect(replicas ?? scaler!.spec.minReplicas).toBeGreaterThan(1);
});

test('every service has probes and few privileges', () => {
  const { pod, container } = deployments[0]!;
  expect([container.startupProbe, container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet)).toEqual(
    ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })),
  );
  expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  const few = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
  for (const one of [...deployments, job]) expect(one.container.securityContext).toEqual(few);
});

test('services and ingresses refer to existing ports; streams go to push services, with long timeouts, calls of gRPC to a host of their own', () => {
  for (const { spec } of all('Service')) {
    const target = deployments.find(({ selector }) => JSON.stringify(selector) === JSON.stringify(spec.selector))!;
    for (const { targetPort } of spec.ports) expect(portOf(target.container, targetPort)).toBeDefined();
  }
  type Path = { path: string; pathType: string; backend: { service: { name: string; port: { name: string } } } };
  const ingresses = all('Ingress').map(({ metadata, spec }) => ({
    metadata,
    rule: spec.rules[0] as { host: string; http: { paths: Path[] } },
  }));
  for (const { backend, pathType } of ingresses.flatMap(({ rule }) => rule.http.paths)) {
    expect(named(ofKind('Service', backend.service.name).spec.ports, backend.service.port.name)).toBeDefined();
    expect(pathType).toBe('Prefix');
  }
  const grpc = ingresses.find(({ metadata }) => metadata.name === 'query-api-grpc')!;
  expect(grpc.metadata.annotations['nginx.ingress.kubernetes.io/backend-protocol']).toBe('GRPC');
  expect(grpc.rule.http.paths.map(({ path, backend }) => [path, backend.service.port.name])).toEqual([['/', 'grpc']]);

  const others = ingresses.filter((one) => one !== grpc);
  const hosts = new Set(others.map(({ rule }) => rule.host));
  expect([...hosts].map((host) => `https://${host}`)).toEqual([settings['SQUITTER_BASE_URL']]);
  expect(hosts).not.toContain(grpc.rule.host);
  expect(settings['SQUITTER_TRUSTED_PROXY']).toMatch(/^\d/);
  // The longest prefix of whole segments decides.
  const serviceOf = (path: string): string | undefined =>
    others
      .flatMap(({ rule }) => rule.http.paths)
      .filter(({ path: prefix }) => `${path.replace(/\/$/, '')}/`.startsWith(`${prefix.replace(/\/$/, '')}/`))
      .sort((a, b) => b.path.length - a.path.length)[0]?.backend.service.name;
  for (const path of [...socketPaths, EVENTS_PATH, SNAPSHOT_PATH]) expect([path, serviceOf(path)]).toEqual([path, 'push']);
  for (const path of ['/', '/v2/all', '/stream', '/v2/streams', '/ws2']) expect([path, serviceOf(path)]).toEqual([path, 'query-api']);
  const { annotations } = ofKind('Ingress', 'push').metadata;
  const timeouts = Object.entries(annotations).filter(([name]) => name.endsWith('-timeout'));
  expect(timeouts).toHaveLength(2);
  for (const [, seconds] of timeouts) expect(Number(seconds) * 1000).toBeGreaterThan(10 * limits.pushPingMs);
});

test('folds of two versions never run at the same time, nor more folds than partitions; their lag scales them', () => {
  for (const { metadata, spec } of all('Deployment'))
    expect([metadata.name, spec.strategy.type]).toEqual([metadata.name, metadata.name === 'fold' ? 'Recreate' : 'RollingUpdate']);
  const scaler = all('HorizontalPodAutoscaler').find((manifest) => manifest.spec.scaleTargetRef.name === 'fold')!;
  expect(scaler.spec.maxReplicas).toBe(FRAME_PARTITIONS_CLUSTER);
  const adapter = parse(text('extras/prometheus-adapter.yaml')) as { rules: { external: { seriesQuery: string; name: { as: string } }[] } };
  const [rule] = adapter.rules.external;
  expect(scaler.spec.metrics[0].external.metric.name).toBe(rule!.name.as);
  expect(rule!.seriesQuery).toContain('squitter_fold_lag_seconds{');
});

test('the network policy allows the connections of services', () => {
  const ports = (policy: string, way: string): number[] => ofKind('NetworkPolicy', policy).spec[way][0].ports.map(({ port }: Yaml) => port);
  const portsOf = (service: string, ...names: string[]) => names.map((port) => portOf(named(deployments, service).container, port));
  expect(ports('default', 'ingress').sort()).toEqual(deployments.map(({ container }) => portOf(container, 'http')).sort());
  expect(ports('feeders', 'ingress')).toEqual(portsOf('ingest', 'feeders'));
  expect(ports('rest', 'ingress')).toEqual(portsOf('query-api', 'http', 'grpc'));
  expect(ports('streams', 'ingress')).toEqual(portsOf('push', 'push'));
  const needed = [
    ...Object.values(settings)
      .join(',')
      .matchAll(/:(\d{2,5})\b/g),
  ].map((match) => Number(match[1]));
  expect(needed.length).toBeGreaterThan(2);
  expect(ports('default', 'egress')).toEqual(expect.arrayContaining(needed));
});

test('daily files: with the volume of extras/bulk-volume, query APIs serve the folder of the export service, read only', () => {
  for (const { name, container } of deployments) {
    const folders = [settings['SQUITTER_BULK_DIR'], variableOf(container, 'SQUITTER_BULK_DIR')].filter((folder) => (folder ?? '') !== '');
    const mounted = container.volumeMounts.filter((mount: Yaml) => mount.name === 'bulk').map(({ mountPath }: Yaml) => mountPath);
    expect([name, folders]).toEqual([name, mounted]);
  }
  expect(component.kind).toBe('Component');
  const listed = ['kustomization.yaml', ...component.resources, ...component.patches.map(({ path }) => path)];
  expect(listed.sort()).toEqual(readdirSync(join(folder, BULK_VOLUME)).sort());
  expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
  const claimName = claim.metadata.name;
  const [writer, reader] = (['export', 'query-api'] as const).map((service) => {
    const { spec } = shared.find(({ metadata }) => metadata.name === service)!;
    const { containers, volumes } = spec.template.spec;
    const environment = { ...settings, SQUITTER_BULK_DIR: variableOf(containers[0], 'SQUITTER_BULK_DIR') };
    expect(readOptions(services[service].options as OptionTable, [], environment).problems).toEqual([]);
    const mount = named(containers[0].volumeMounts, 'bulk');
    expect(environment.SQUITTER_BULK_DIR).toBe(mount.mountPath);
    return { replicas: spec.replicas as number | undefined, mount, claim: named(volumes, 'bulk').persistentVolumeClaim };
  });
  // The lock of the folder does not reach other pods.
  expect(writer).toMatchObject({ replicas: 1, claim: { claimName } });
  expect(writer!.mount).not.toHaveProperty('readOnly');
  expect(reader).toMatchObject({ mount: { readOnly: true }, claim: { claimName, readOnly: true } });
});

test('the example secret has every secret of the services under the right name, without contradictions', () => {
  const secret = parse(text('extras/secret.example.yaml')) as Manifest;
  for (const name of serviceNames) {
    const table = services[name].options as OptionTable;
    for (const { secret: isSecret, env } of Object.values(table)) if (isSecret === true) expect(secret.stringData).toHaveProperty([env!]);
    const own = Object.fromEntries(named(deployments, name).container.env.map((variable: Yaml) => [variable.name, variable.value]));
    const { options, problems } = readOptions(table, [], { ...settings, ...own, ...secret.stringData });
    expect([...problems, ...problemsOf(options)]).toEqual([]);
  }
  const from = [{ configMapRef: { name: 'squitter' } }, { secretRef: { name: secret.metadata.name, optional: true } }];
  for (const { container } of [...deployments, job]) expect(container.envFrom).toEqual(from);
});

test('a job creates the topics, with three replicas', () => {
  const [name, ...words] = job.container.args;
  expect(name).toBe(topicsCommand.name);
  const { options, problems } = readOptions(topicsCommand.options as OptionTable, words, settings);
  expect(problems).toEqual([]);
  expect(options).toMatchObject({ create: true, copies: 3 });
  expect(job.container.image).toBe(deployments[0]!.container.image);
});
