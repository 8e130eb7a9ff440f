// The metrics of each cluster service match METRICS.md.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type ServiceName, serviceNames } from '../../infra/cluster/configuration.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { FRAME_PARTITIONS_CLUSTER } from '../../schemas/topics.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { type DocumentedMetric, documentedMetrics, servedMetrics } from '../support/metrics.ts';
import { projectDir } from '../support/requirements.ts';
import { freePort, temporaryFolder } from '../support/service.ts';

const READY_MS_MAX = 40_000;

const isServedBy = (name: ServiceName, { service }: DocumentedMetric): boolean =>
  service.startsWith('every service') || service.replace(' of the cluster', '').split(', ').includes(name);

describeWithKafka('the services of the cluster', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const children: ChildProcess[] = [];
  const said: string[] = [];
  const bulk = temporaryFolder();
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    bulk.remove();
  });

  async function start(name: ServiceName): Promise<string> {
    const http = `127.0.0.1:${await freePort()}`;
    const env = {
      ...process.env,
      SQUITTER_KAFKA_BROKERS: brokers().join(','),
      SQUITTER_REGISTRY_URL: registry(),
      SQUITTER_HTTP: http,
      ...(name === 'push' ? { SQUITTER_PUSH: `127.0.0.1:${await freePort()}` } : {}),
      ...(name === 'ingest' ? { SQUITTER_LISTEN: `127.0.0.1:${await freePort()}` } : {}),
      // No store is there, either.
      ...(name === 'project' || name === 'export' ? { SQUITTER_CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}` } : {}),
      ...(name === 'export' ? { SQUITTER_BULK_DIR: bulk.path } : {}),
      // No Redis is there: the service runs anyway.
      ...(name === 'query-api'
        ? {
            SQUITTER_REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
            SQUITTER_GRPC: '127.0.0.1:0',
            SQUITTER_PUSH_UPSTREAM: '127.0.0.1:1',
            SQUITTER_PUSH_SECRET: 'x'.repeat(16),
          }
        : {}),
    };
    const child = spawn(process.execPath, [join(projectDir, `dist/infra/cluster/${name}.js`)], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    return `http://${http}/metrics`;
  }

  /** The metrics as soon as all documented ones are present; else those of the last attempt. */
  async function metricsOf(url: string, wanted: readonly DocumentedMetric[]): Promise<ReturnType<typeof servedMetrics>> {
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      const text = await fetch(url).then(
        (response) => response.text(),
        () => '',
      );
      const served = servedMetrics(text);
      if (served.length >= wanted.length || performance.now() > deadline) return served;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  test('serve their metrics of METRICS.md', async () => {
    await ensureTopics(
      { brokers: brokers(), clientId: 'test' },
      { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS_CLUSTER },
    );
    const documented = documentedMetrics();
    for (const name of serviceNames) {
      const wanted = documented.filter((metric) => isServedBy(name, metric));
      const served = await metricsOf(await start(name), wanted);
      const row = ({ name: metric, type, help }: { name: string; type: string; help: string }): string => `${metric} ${type} ${help}`;
      expect(served.map(row).sort(), said.join('')).toEqual(wanted.map(row).sort());
      for (const { name: metric, labels, samples } of served)
        if (samples > 0) expect([metric, labels]).toEqual([metric, documented.find((other) => other.name === metric)!.labels]);
    }
  }, 150_000);
});
