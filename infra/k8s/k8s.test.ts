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
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const deployments = ofKind('Deployment').map((manifest) => ({
  name: manifest.metadata.name as ServiceName,
  replicas: manifest.spec.replicas as number | undefined,
  selector: manifest.spec.selector.matchLabels,
  pod: manifest.spec.template,
  container: manifest.spec.template.spec.containers[0],
}));
const job = { container: ofKind('Job')[0]!.spec.template.spec.containers[0] };
const settings = ofKind('ConfigMap')[0]!.data!;
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
    const kept = items.map((own) =>
      patched(
        own,
        patch.find((item) => nameOf(item) === nameOf(own)),
      ),
    );
    return [...kept, ...added];
  }
  if (typeof patch !== 'object' || patch === null) return patch === undefined ? base : patch;
  const own = Object.entries(patch).map(([name, value]) => [name, patched((base as Record<string, unknown> | undefined)?.[name], value)]);
  const merged = Object.fromEntries([...Object.entries(base ?? {}), ...own]) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

const named = (list: Yaml[], name: string): Yaml => list.find((one) => one.name === name);
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

describe.each(deployments)('$name', ({ name, replicas, selector, pod, container }) => {
  test('is configured by variables that the service knows, with values that it takes', () => {
    const variables = [
      ...Object.entries(settings),
      ...container.env.map((variable: Yaml) => [variable.name, variable.value ?? 'pod-1'] as const),
    ];
    const own = new Set(Object.values(services[name].options).map(({ env }) => env as string));
    const any = new Set(serviceNames.flatMap((service) => Object.values(services[service].options).map(({ env }) => env as string)));
    for (const { name: variable } of container.env) expect(own).toContain(variable);
    for (const [variable] of variables) expect(any).toContain(variable);
    expect(readOptions(services[name].options as OptionTable, [], Object.fromEntries(variables)).problems).toEqual([]);
    expect(container.args).toEqual(['service', name]);
  });

  test('has the secret of the installation if it needs it, read only', () => {
    const mount = named(container.volumeMounts, 'installation');
    const volume = named(pod.spec.volumes ?? [], 'installation');
    const isNeeded = 'secretFile' in services[name].options;
    expect(mount).toEqual(isNeeded ? { name: 'installation', mountPath: '/run/installation', readOnly: true } : undefined);
    expect(volume?.secret).toEqual(isNeeded ? { secretName: 'squitter-installation' } : undefined);
    expect(settings['SQUITTER_SECRET_FILE']).toBe('/run/installation/secret');
  });

  test('has ports where it listens, and probes and Prometheus ask there', () => {
    expect(variableOf(container, 'SQUITTER_HTTP')).toBe(`0.0.0.0:${portOf(container, 'http')}`);
    if (name === 'query-api') expect(variableOf(container, 'SQUITTER_GRPC')).toBe(`0.0.0.0:${portOf(container, 'grpc')}`);
    if (name === 'push') expect(variableOf(container, 'SQUITTER_PUSH')).toBe(`0.0.0.0:${portOf(container, 'push')}`);
    if (name === 'ingest') expect(variableOf(container, 'SQUITTER_LISTEN')).toBe(`0.0.0.0:${portOf(container, 'feeders')}`);
    expect(pod.metadata.annotations).toMatchObject({
      'prometheus.io/port': String(portOf(container, 'http')),
      'prometheus.io/path': '/metrics',
    });
  });

  test('has time to drain', () => {
    const pauseS = container.lifecycle?.preStop.sleep.seconds ?? 0;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(pauseS + limits.shutdownMsMax / 1000 + 5);
  });

  test('has requests and limits of resources', () => {
    expect(Object.keys(container.resources.requests).sort()).toEqual(['cpu', 'memory']);
    expect(container.resources.limits['memory']).toBeDefined();
  });

  test('is available while nodes are drained, and scaled either by replicas or by an autoscaler', () => {
    expect(pod.metadata.labels).toMatchObject(selector);
    const budget = ofKind('PodDisruptionBudget').find((manifest) => manifest.metadata.name === name)!;
    expect(budget.spec.selector.matchLabels).toEqual(selector);
    const scaler = ofKind('HorizontalPodAutoscaler').find((manifest) => manifest.spec.scaleTargetRef.name === name);
    expect(scaler === undefined).toBe(replicas !== undefined);
    expect(replicas ?? scaler!.spec.minReplicas).toBeGreaterThan(1);
  });
});

test('every service has probes and few privileges', () => {
  const { pod, container } = deployments[0]!;
  expect([container.startupProbe, container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet)).toEqual(
    ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })),
  );
  expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

test('services and the ingress refer to existing ports', () => {
  const byName = new Map(ofKind('Service').map((manifest) => [manifest.metadata.name, manifest.spec]));
  for (const { selector, ports } of byName.values()) {
    const target = deployments.find((deployment) => JSON.stringify(deployment.selector) === JSON.stringify(selector))!;
    for (const { targetPort } of ports) expect(portOf(target.container, targetPort)).toBeDefined();
  }
  for (const { spec } of ofKind('Ingress'))
    for (const { http } of spec.rules)
      for (const { backend } of http.paths)
        expect(byName.get(backend.service.name).ports.map((port: { name: string }) => port.name)).toContain(backend.service.port.name);
});

test('every address of a stream goes to a push service, with long timeouts, and all others to the query APIs', () => {
  type Path = { path: string; pathType: string; backend: { service: { name: string } } };
  const ingresses = ofKind('Ingress')
    .filter(({ metadata }) => metadata.name !== 'query-api-grpc')
    .map(({ metadata, spec }) => ({ metadata, rule: spec.rules[0] as { host: string; http: { paths: Path[] } } }));
  expect(new Set(ingresses.map(({ rule }) => rule.host)).size).toBe(1);
  const rules = ingresses.flatMap(({ rule }) => rule.http.paths);
  // The longest prefix of whole segments decides.
  const serviceOf = (path: string): string | undefined =>
    rules
      .filter(({ path: prefix }) => `${path.replace(/\/$/, '')}/`.startsWith(`${prefix.replace(/\/$/, '')}/`))
      .sort((a, b) => b.path.length - a.path.length)[0]?.backend.service.name;
  for (const path of [...socketPaths, EVENTS_PATH, SNAPSHOT_PATH]) expect([path, serviceOf(path)]).toEqual([path, 'push']);
  for (const path of ['/', '/v2/all', '/stream', '/v2/streams', '/ws2']) expect([path, serviceOf(path)]).toEqual([path, 'query-api']);
  for (const { pathType } of rules) expect(pathType).toBe('Prefix');
  const { annotations } = ingresses.find(({ metadata }) => metadata.name === 'push')!.metadata;
  const timeouts = Object.entries(annotations!).filter(([name]) => name.endsWith('-timeout'));
  expect(timeouts).toHaveLength(2);
  for (const [, seconds] of timeouts) expect(Number(seconds) * 1000).toBeGreaterThan(10 * limits.pushPingMs);
});

test('callers behind the ingress are told apart, and links lead to it', () => {
  expect(settings['SQUITTER_TRUSTED_PROXY']).toMatch(/^\d/);
  const { host } = ofKind('Ingress').find(({ metadata }) => metadata.name === 'query-api')!.spec.rules[0];
  expect(settings['SQUITTER_BASE_URL']).toBe(`https://${host}`);
});

test('calls over HTTP/2 have a host of their own, whose ingress speaks gRPC to the query APIs', () => {
  const { metadata, spec } = ofKind('Ingress').find((manifest) => manifest.metadata.name === 'query-api-grpc')!;
  expect(metadata.annotations!['nginx.ingress.kubernetes.io/backend-protocol']).toBe('GRPC');
  const others = ofKind('Ingress').filter(({ metadata: { name } }) => name !== 'query-api-grpc');
  for (const other of others) expect(other.spec.rules[0].host).not.toBe(spec.rules[0].host);
  expect(spec.rules[0].http.paths).toEqual([
    { path: '/', pathType: 'Prefix', backend: { service: { name: 'query-api', port: { name: 'grpc' } } } },
  ]);
});

test('folds of two versions never run at the same time; of the other services one always runs', () => {
  const kinds = ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.strategy.type as string]);
  expect(Object.fromEntries(kinds)).toEqual({
    fold: 'Recreate',
    flights: 'RollingUpdate',
    project: 'RollingUpdate',
    export: 'RollingUpdate',
    ingest: 'RollingUpdate',
    push: 'RollingUpdate',
    'query-api': 'RollingUpdate',
  });
});

test('no more folds than partitions', () => {
  const scaler = ofKind('HorizontalPodAutoscaler').find((manifest) => manifest.metadata.name === 'fold')!;
  expect(scaler.spec.maxReplicas).toBe(FRAME_PARTITIONS_CLUSTER);
});

test('the autoscaler of the folds uses the metric of prometheus-adapter', () => {
  const adapter = parse(text('extras/prometheus-adapter.yaml')) as { rules: { external: { seriesQuery: string; name: { as: string } }[] } };
  const [rule] = adapter.rules.external;
  const scaler = ofKind('HorizontalPodAutoscaler').find((manifest) => manifest.metadata.name === 'fold')!;
  expect(scaler.spec.metrics[0].external.metric.name).toBe(rule!.name.as);
  expect(rule!.seriesQuery).toContain('squitter_fold_lag_seconds{');
});

test('the network policy allows the connections of services', () => {
  const policies = new Map(ofKind('NetworkPolicy').map((manifest) => [manifest.metadata.name, manifest.spec]));
  const ports = (rule: { ports: { port: number }[] }): number[] => rule.ports.map(({ port }) => port);
  expect(ports(policies.get('default').ingress[0]).sort()).toEqual(deployments.map(({ container }) => portOf(container, 'http')).sort());
  expect(ports(policies.get('feeders').ingress[0])).toEqual([
    portOf(deployments.find(({ name }) => name === 'ingest')!.container, 'feeders'),
  ]);
  const queryApi = deployments.find(({ name }) => name === 'query-api')!.container;
  expect(ports(policies.get('rest').ingress[0])).toEqual([portOf(queryApi, 'http'), portOf(queryApi, 'grpc')]);
  expect(ports(policies.get('streams').ingress[0])).toEqual([portOf(deployments.find(({ name }) => name === 'push')!.container, 'push')]);
  const out = ports(policies.get('default').egress[0]);
  const needed = [
    ...Object.values(settings)
      .join(',')
      .matchAll(/:(\d{2,5})\b/g),
  ].map((match) => Number(match[1]));
  expect(needed.length).toBeGreaterThan(2);
  for (const port of needed) expect(out).toContain(port);
});

test('the folder of the daily files is named where it is mounted, and only there', () => {
  for (const { name, container } of deployments) {
    const folders = [settings['SQUITTER_BULK_DIR'], variableOf(container, 'SQUITTER_BULK_DIR')].filter((folder) => (folder ?? '') !== '');
    const mounted = container.volumeMounts.filter((mount: Yaml) => mount.name === 'bulk').map(({ mountPath }: Yaml) => mountPath);
    expect([name, folders]).toEqual([name, mounted]);
  }
});

test('with the volume of extras/bulk-volume, query APIs serve the folder of the export service, read only', () => {
  expect(component.kind).toBe('Component');
  const listed = ['kustomization.yaml', ...component.resources, ...component.patches.map(({ path }) => path)];
  expect(listed.sort()).toEqual(readdirSync(join(folder, BULK_VOLUME)).sort());
  expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
  const [writer, reader] = (['export', 'query-api'] as const).map((service) => {
    const { spec } = shared.find(({ metadata }) => metadata.name === service)!;
    const { containers, volumes } = spec.template.spec;
    const [container] = containers;
    const environment = { ...settings, SQUITTER_BULK_DIR: variableOf(container, 'SQUITTER_BULK_DIR') };
    expect(readOptions(services[service].options as OptionTable, [], environment).problems).toEqual([]);
    expect(container.env.length).toBeGreaterThan(2);
    return {
      replicas: spec.replicas as number | undefined,
      folder: environment.SQUITTER_BULK_DIR,
      mount: named(container.volumeMounts, 'bulk'),
      volume: named(volumes, 'bulk'),
    };
  });
  expect(writer!.volume).toEqual({ name: 'bulk', persistentVolumeClaim: { claimName: claim.metadata.name } });
  expect(reader!.volume).toEqual({ name: 'bulk', persistentVolumeClaim: { claimName: claim.metadata.name, readOnly: true } });
  expect([writer!.folder, reader!.folder]).toEqual([writer!.mount.mountPath, reader!.mount.mountPath]);
  expect([writer!.mount.readOnly, reader!.mount.readOnly]).toEqual([undefined, true]);
  // The lock of the folder does not reach other pods.
  expect(writer!.replicas).toBe(1);
});

describe('the example secret', () => {
  const secret = parse(text('extras/secret.example.yaml')) as Manifest;

  test('has every secret of the services under the right name, without contradictions', () => {
    const known = serviceNames.flatMap((service) => Object.values(services[service].options as OptionTable));
    for (const { secret: isSecret, env } of known) if (isSecret === true) expect(secret.stringData).toHaveProperty([env!]);
    for (const name of serviceNames) {
      const { env } = named(deployments, name).container;
      const own = Object.fromEntries(env.map((variable: Yaml) => [variable.name, variable.value]));
      const { options, problems } = readOptions(services[name].options as OptionTable, [], { ...settings, ...own, ...secret.stringData });
      expect([...problems, ...problemsOf(options)]).toEqual([]);
    }
    for (const { container } of [...deployments, job])
      expect(container.envFrom).toEqual([
        { configMapRef: { name: 'squitter' } },
        { secretRef: { name: secret.metadata.name, optional: true } },
      ]);
  });
});

test('a job creates the topics, with three replicas', () => {
  const [name, ...words] = job.container.args;
  expect(name).toBe(topicsCommand.name);
  const { options, problems } = readOptions(topicsCommand.options as OptionTable, words, settings);
  expect(problems).toEqual([]);
  expect(options).toMatchObject({ create: true, copies: 3 });
  expect(job.container.image).toBe(deployments[0]!.container.image);
  expect(job.container.securityContext).toEqual(deployments[0]!.container.securityContext);
});
