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
import { pythonPackages } from '../../test/support/requirements.ts';
import { problemsOf, type ServiceName, serviceNames, services, serviceTables } from '../cluster/configuration.ts';
import { topicsCommand } from '../cluster/topics-command.ts';
import { unknownVariables } from '../services/options/shared-options.ts';

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
const settings = all('ConfigMap')[0]!.data!;
const secret = parse(text('extras/secret.example.yaml')) as Manifest;
const python = pythonPackages();

/** The component that shares the daily files, and the deployments with its patches. */
const BULK_VOLUME = 'extras/bulk-volume';
const component = parse(text(`${BULK_VOLUME}/kustomization.yaml`)) as { patches: { path: string }[] };
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
const portOf = ({ ports }: Yaml, name: string): number | undefined => named(ports, name)?.containerPort;
const variableOf = ({ env }: Yaml, name: string): string => named(env, name)?.value ?? '';
/** Problems of a service with this environment. */
function problemsWith(name: ServiceName, environment: Readonly<Record<string, string>>): unknown[] {
  const { options, problems } = readOptions(services[name].options as OptionTable, [], environment);
  return [...problems, ...problemsOf(options)];
}

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
    expect([status, report.match(/passed/g)?.length]).toEqual([0, manifests.length + 2 + shared.length]);
  });
});

test('kustomization.yaml lists every manifest, with a deployment for each service; all run the image of this version, with few privileges and the same settings; a job creates the topics', () => {
  type Kustomization = { resources: string[]; patches: object[]; images: { name: string; newTag: string }[] };
  const { resources, patches, images } = parse(text('kustomization.yaml')) as Kustomization;
  expect([...resources].sort()).toEqual([...files].sort());
  expect(patches).toEqual([{ path: COMMON, target: { kind: 'Deployment' } }]);
  const { version } = JSON.parse(text('../../package.json')) as { version: string };
  expect(images).toMatchObject([{ name: 'squitter', newTag: version }]);
  expect(deployments.map(({ name }) => name).sort()).toEqual([...serviceNames].sort());
  const securityContext = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
  const envFrom = [{ configMapRef: { name: 'squitter' } }, { secretRef: { name: 'squitter', optional: true } }];
  for (const { spec } of [...all('Deployment'), ...all('Job')]) {
    expect(spec.template.spec.containers).toMatchObject([{ image: `squitter:${version}`, securityContext, envFrom }]);
    expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  }
  const [name, ...words] = all('Job')[0]!.spec.template.spec.containers[0].args;
  const { options, problems } = readOptions(topicsCommand.options as OptionTable, words, settings);
  expect([name, problems]).toEqual([topicsCommand.name, []]);
  expect(options).toMatchObject({ create: true, copies: 3 });
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => deployments[0]!.container[probe].httpGet.path);
  expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
});

test.each(deployments)('$name is configured, reached, stopped and scaled', ({ name, replicas, selector, pod, container }) => {
  const { options } = services[name];
  const own = container.env.map((variable: Yaml) => [variable.name, variable.value ?? 'pod-1'] as const);
  expect(unknownVariables(Object.keys(Object.fromEntries(own)), [options as OptionTable])).toEqual([]);
  expect(unknownVariables(Object.keys(settings), serviceTables)).toEqual([]);
  expect(problemsWith(name, { ...settings, ...secret.stringData, ...Object.fromEntries(own) })).toEqual([]);
  expect(container.args).toEqual(['service', name]);
  for (const { secret: isSecret, env } of Object.values(options as OptionTable))
    if (isSecret === true) expect(secret.stringData).toHaveProperty([env!]);

  const mount = 'secretFile' in options ? { name: 'installation', mountPath: '/run/installation', readOnly: true } : undefined;
  expect(named(container.volumeMounts, 'installation')).toEqual(mount);
  expect(named(pod.spec.volumes, 'installation')?.secret.secretName).toBe(mount && 'squitter-installation');

  const listening = { http: 'HTTP', grpc: 'GRPC', push: 'PUSH', feeders: 'LISTEN' };
  for (const { name: port, containerPort } of container.ports)
    expect(variableOf(container, `SQUITTER_${listening[port as 'http']}`)).toBe(`0.0.0.0:${containerPort}`);
  expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(portOf(container, 'http')));

  const pauseS = container.lifecycle?.preStop.sleep.seconds ?? 0;
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(pauseS + limits.shutdownMsMax / 1000 + 5);
  expect(pod.metadata.labels).toMatchObject(selector);
  expect(ofKind('PodDisruptionBudget', name).spec.selector.matchLabels).toEqual(selector);
  const scaler = all('HorizontalPodAutoscaler').find((manifest) => manifest.spec.scaleTargetRef.name === name);
  expect(scaler === undefined).toBe(replicas !== undefined);
  expect(replicas ?? scaler!.spec.minReplicas).toBeGreaterThan(1);
});

test('services and ingresses refer to existing ports; streams go to push services, with long timeouts, calls of gRPC to a host of their own', () => {
  for (const { spec } of all('Service')) {
    const target = deployments.find(({ selector }) => JSON.stringify(selector) === JSON.stringify(spec.selector))!;
    for (const { targetPort } of spec.ports) expect(portOf(target.container, targetPort)).toBeDefined();
  }
  type Path = { path: string; pathType: string; backend: { service: { name: string; port: { name: string } } } };
  const paths = all('Ingress').flatMap(({ spec }) =>
    (spec.rules[0].http.paths as Path[]).map((path) => ({ ...path, host: spec.rules[0].host as string, service: path.backend.service })),
  );
  for (const { service } of paths) expect(named(ofKind('Service', service.name).spec.ports, service.port.name)).toBeDefined();
  // The longest prefix of whole segments decides.
  const serviceOf = (host: string, path: string): string | undefined =>
    paths
      .filter((one) => one.host === host && `${path.replace(/\/$/, '')}/`.startsWith(`${one.path.replace(/\/$/, '')}/`))
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ service }) => `${service.name} ${service.port.name}`)[0];
  const host = settings['SQUITTER_BASE_URL'].replace('https://', '');
  for (const path of [...socketPaths, EVENTS_PATH, SNAPSHOT_PATH]) expect([path, serviceOf(host, path)]).toEqual([path, 'push push']);
  for (const path of ['/', '/v2/all', '/stream', '/v2/streams', '/ws2'])
    expect([path, serviceOf(host, path)]).toEqual([path, 'query-api http']);
  expect(serviceOf(`grpc.${host}`, '/squitter.v1.Records/X')).toBe('query-api grpc');
  for (const name of ['push', 'query-api-grpc']) {
    const annotations = Object.entries(ofKind('Ingress', name).metadata.annotations);
    const timeouts = annotations.filter(([annotation]) => annotation.endsWith('-timeout'));
    for (const [, seconds] of timeouts) expect(Number(seconds) * 1000).toBeGreaterThan(10 * limits.pushPingMs);
  }
});

test('folds of two versions never run at the same time, nor more folds than partitions; their lag scales them', () => {
  for (const { metadata, spec } of all('Deployment'))
    expect([metadata.name, spec.strategy.type]).toEqual([metadata.name, metadata.name === 'fold' ? 'Recreate' : 'RollingUpdate']);
  const scaler = ofKind('HorizontalPodAutoscaler', 'fold');
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
  const needed = [...JSON.stringify(settings).matchAll(/:(\d{2,5})\b/g)].map((match) => Number(match[1]));
  expect(needed.length).toBeGreaterThan(2);
  expect(ports('default', 'egress')).toEqual(expect.arrayContaining(needed));
});

test('daily files: with the volume of extras/bulk-volume, query APIs serve the folder of the one export service, read only', () => {
  for (const { name, container } of deployments) expect(variableOf(container, 'SQUITTER_BULK_DIR')).toBe(name === 'export' ? '/bulk' : '');
  const persistentVolumeClaim = { claimName: claim.metadata.name };
  for (const [service, mount, volume] of [
    ['export', {}, {}],
    ['query-api', { readOnly: true }, { readOnly: true }],
  ] as const) {
    const { spec } = shared.find(({ metadata }) => metadata.name === service)!;
    const { containers, volumes } = spec.template.spec;
    const bulkDir = variableOf(containers[0], 'SQUITTER_BULK_DIR');
    expect(problemsWith(service, { ...settings, SQUITTER_BULK_DIR: bulkDir })).toEqual([]);
    expect(named(containers[0].volumeMounts, 'bulk')).toEqual({ name: 'bulk', mountPath: bulkDir, ...mount });
    expect(named(volumes, 'bulk').persistentVolumeClaim).toEqual({ ...persistentVolumeClaim, ...volume });
    // The lock of the folder does not reach other pods.
    if (service === 'export') expect(spec.replicas).toBe(1);
  }
});
