// The export service of a cluster: a closed day goes from Kafka over ClickHouse to its files, scheduled on a real Redis; and the log alone gives the same bytes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { startRedis } from '../local/redis.ts';
import { READY_MS_MAX, TestCluster } from '../support/cluster.ts';
import { historyEngine, startHistoryStore } from '../support/history-store.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { appendPositions } from '../support/position-log.ts';
import { localPrograms } from '../support/requirements.ts';
import { squitter, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const PARTITIONS = 2;
const RECORDS = 20;
const ROWS = 200;
const DAY_MS = 86_400_000;
const engine = historyEngine();
const redisServer = localPrograms('redis-server');

describeWithKafka(`the export service of a cluster ${engine.reason}`, () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const cleanups: (() => unknown)[] = [];
  let tries = 0;
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it.skipIf(!engine.met || !redisServer.met)(
    'publishes a closed day, which query APIs serve, and a rebuild from Kafka is the same',
    async () => {
      const folder = temporaryFolder();
      cleanups.push(folder.remove);
      const store = await startHistoryStore({ tables: false });
      cleanups.push(store.stop);
      const redis = await startRedis();
      cleanups.push(() => redis.stop());
      // A second try would find the topics of the first.
      tries += 1;
      const prefix = `export.${tries}.`;
      const options = { brokers: brokers(), registry: registry(), prefix, partitions: PARTITIONS, retention: 'forever' as const };
      const cluster = await TestCluster.create(options);
      cleanups.push(() => cluster.close());
      const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
      const { log, codecs } = await cluster.cluster();
      const startMs = Date.parse(`${day}T12:00:00Z`);
      for (let partition = 0; partition < PARTITIONS; partition += 1)
        await appendPositions({ log, codecs }, { partition, records: RECORDS, rows: ROWS, startMs });
      const { url, user, password } = store.address;
      const env = { ...process.env, SQUITTER_CLICKHOUSE_PASSWORD: password };
      const history = ['--clickhouse', url, '--clickhouse-username', user];
      await cluster.start('project', 'project-0', history, env);
      const stored = async (): Promise<number> =>
        Number((await store.client.rows<{ rows: string }>('SELECT count() AS rows FROM positions').catch(() => []))[0]?.rows ?? 0);
      // A look before that finds an unfinished day, which is tried again minutes later.
      await until(async () => (await stored()) === PARTITIONS * RECORDS * ROWS, 'the stored rows');
      const out = join(folder.path, 'bulk');
      const exporter = cluster.launch('export', 'export-0', [...history, '--out', out, '--redis', redis.url], env);
      const manifestFile = join(out, `manifest-${day}.json`);
      await until(() => existsSync(manifestFile), 'the published day');
      await exporter.untilReady();
      const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as DailyManifest;
      expect(manifest.files.map(({ rows }) => rows)).toEqual([PARTITIONS * RECORDS * ROWS, 0]);
      expect(readdirSync(out).filter((name) => name.endsWith('.parquet'))).toHaveLength(2);
      const kafka = ['--brokers', brokers().join(','), '--registry', registry()];
      const rebuilt = await squitter(['export', '--day', day, '--rebuild', ...kafka, '--out', out], {
        env: { SQUITTER_KAFKA_PREFIX: prefix },
      });
      // A query API with the same folder serves them.
      const api = cluster.launch('query-api', 'query-api-0', ['--bulk-dir', out, '--redis', redis.url]);
      const get = (path: string): Promise<Response | null> => api.get(path).catch(() => null);
      await until(async () => (await get('/bulk/index.json'))?.ok, 'the list of days', READY_MS_MAX);
      expect(await (await api.get('/bulk/index.json')).json()).toMatchObject({ latest: day, days: [{ day }] });
      const file = Buffer.from(await (await api.get('/bulk/positions-latest.parquet')).arrayBuffer());
      expect(file.equals(readFileSync(join(out, `positions-${day}.parquet`)))).toBe(true);
      expect(rebuilt.stdout, rebuilt.stderr).toContain(`${day}: the same as published\n`);
      expect(rebuilt.stdout).toContain(manifest.files[0]!.sha256);
    },
  );
});
