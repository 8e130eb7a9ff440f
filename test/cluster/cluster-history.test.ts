// The history of a cluster on real Kafka, ClickHouse and Redis: project stages and the store are killed while positions arrive, and every row is in the store
// once. The export service publishes that day, query APIs serve it, and the log alone gives the same bytes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { positionProjection } from '../../pipeline/project/position-projection.ts';
import { sinkGroup } from '../../pipeline/project/sink.ts';
import { auditedTables, auditHistory } from '../../pipeline/tools/audit/history.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRedis } from '../local/redis.ts';
import { type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { appendPositions } from '../support/positions.ts';
import { squitter, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const PARTITIONS = 3;
const ROWS = 500;
/** Ten for the figures of a release. */
const KILLS = Number(process.env['SQUITTER_HISTORY_KILLS'] ?? 2);
const STEP_MS_MAX = 120_000;
const PREFIX = 'history.';
const DAY = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
const engine = historyEngine();

describeWithKafka(
  `the history of a cluster ${engine.reason}`,
  () => {
    const brokers = sharedKafka();
    const registry = sharedRegistry();
    const folder = temporaryFolder();
    const out = join(folder.path, 'bulk');
    let cluster: TestCluster;
    let store: TestHistoryStore;
    let redis: LocalProgram;
    let records = 0;
    beforeAll(async () => {
      if (!engine.met) return;
      [store, redis] = await Promise.all([startHistoryStore({ tables: false }), startRedis()]);
      const options = { brokers: brokers(), registry: registry(), prefix: PREFIX, partitions: PARTITIONS, retention: 'forever' as const };
      cluster = await TestCluster.create(options);
    }, KAFKA_START_MS_MAX);
    afterAll(async () => {
      await cluster?.close();
      await Promise.all([store?.stop(), redis?.stop()]);
      folder.remove();
    });
    const launch = (service: 'project' | 'export', name: string, ...flags: string[]): ServiceProcess => {
      const { url, user, password } = store.address;
      const env = { ...process.env, SQUITTER_CLICKHOUSE_PASSWORD: password };
      return cluster.launch(service, name, ['--clickhouse', url, '--clickhouse-username', user, ...flags], env);
    };
    /** The sum; 0 while the store or the table is not there. */
    const stored = async (sql = 'SELECT count() AS n FROM positions'): Promise<number> =>
      Number((await store.client.rows<{ n: string }>(sql).catch(() => []))[0]?.n ?? 0);

    it.skipIf(!engine.met)(
      `equals the log over ${KILLS} kills of a project stage and of the store`,
      { timeout: (KILLS + 3) * STEP_MS_MAX },
      async () => {
        const { log, codecs } = await cluster.cluster();
        const append = async (count: number): Promise<void> => {
          const shared = { records: count, rows: ROWS, startMs: Date.parse(`${DAY}T12:00:00Z`) + 1000 * records, first: records };
          for (let partition = 0; partition < PARTITIONS; partition += 1) await appendPositions({ log, codecs }, { ...shared, partition });
          records += count;
        };
        const stages = [launch('project', 'project-0'), launch('project', 'project-1')];
        for (let kill = 0; kill < KILLS; kill += 1) {
          await append(10);
          // Somewhere in its first inserts since the last kill.
          const before = await stored();
          const what = `rows after kill ${kill}: ${stages.map((stage) => stage.output()).join('')}`;
          await until(async () => (await stored()) > before, what, STEP_MS_MAX);
          await append(5);
          if (kill % 2 === 1) process.kill(store.child.pid()!, 'SIGKILL');
          await stages.shift()!.kill();
          stages.push(launch('project', `project-${kill + 2}`));
        }
        const group = sinkGroup(positionProjection(codecs.PositionBatch));
        const isDone = async (partition: number): Promise<boolean> => {
          const { next } = await log.bounds('positions', partition);
          // Behind the last record is a control record.
          return ((await log.committed(group, 'positions', partition)) ?? 0) >= next - 1;
        };
        await until(async () => (await Promise.all([0, 1, 2].map(isDone))).every(Boolean), 'every record is in the store', STEP_MS_MAX);
        const [table] = auditedTables(codecs);
        const audits = await auditHistory(
          { log, client: store.client, onProgress: () => {}, signal: new AbortController().signal },
          table!,
        );
        const each = { expected: records * ROWS, stored: records * ROWS, differences: [], waiting: 0 };
        expect(audits).toMatchObject([each, each, each]);
        for (const counts of ['aircraft_days', 'density_hours'])
          expect([counts, await stored(`SELECT sum(positions) AS n FROM ${counts}`)]).toEqual([counts, PARTITIONS * records * ROWS]);
        for (const stage of stages) expect(await stage.stop(), stage.output()).toBe(0);
      },
    );

    it.skipIf(!engine.met)(
      'is published day by day, and a rebuild from Kafka has the same bytes',
      { timeout: 2 * STEP_MS_MAX },
      async () => {
        const exporter = launch('export', 'export-0', '--out', out, '--redis', redis.url);
        const manifestFile = join(out, `manifest-${DAY}.json`);
        await until(() => existsSync(manifestFile), 'the published day');
        await exporter.untilReady();
        const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as DailyManifest;
        expect(manifest.files.map(({ rows }) => rows)).toEqual([PARTITIONS * records * ROWS, 0]);
        expect(readdirSync(out).filter((name) => name.endsWith('.parquet'))).toHaveLength(2);
        const kafka = ['--brokers', brokers().join(','), '--registry', registry()];
        const rebuilt = await squitter(['export', '--day', DAY, '--rebuild', ...kafka, '--out', out], {
          env: { SQUITTER_KAFKA_PREFIX: PREFIX },
        });
        expect(rebuilt.stdout, rebuilt.stderr).toContain(`${DAY}: the same as published\n`);
        expect(rebuilt.stdout).toContain(manifest.files[0]!.sha256);
        // A query API with the same folder serves them.
        const api = cluster.launch('query-api', 'query-api', ['--bulk-dir', out, '--redis', redis.url]);
        const get = (path: string): Promise<Response | null> => api.get(path).catch(() => null);
        await until(async () => (await get('/bulk/index.json'))?.ok, 'the list of days');
        expect(await (await api.get('/bulk/index.json')).json()).toMatchObject({ latest: DAY, days: [{ day: DAY }] });
        const file = Buffer.from(await (await api.get('/bulk/positions-latest.parquet')).arrayBuffer());
        expect(file.equals(readFileSync(join(out, `positions-${DAY}.parquet`)))).toBe(true);
      },
    );
  },
  'redis-server',
);
