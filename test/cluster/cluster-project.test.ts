// kill -9 of project stages while positions arrive and while the store is killed: on a real broker, every row is in the store once.
import { afterEach, expect, it } from 'vitest';
import { positionProjection } from '../../pipeline/project/position-projection.ts';
import { sinkGroup } from '../../pipeline/project/sink.ts';
import { auditedTables, auditHistory } from '../../pipeline/tools/audit/history.ts';
import { type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { appendPositions, LEAP_DAY_END_MS } from '../support/position-log.ts';
import { until } from '../support/until.ts';

const PARTITIONS = 3;
const ROWS = 500;
/** Ten for the figures of a release. */
const KILLS = Number(process.env['SQUITTER_HISTORY_KILLS'] ?? 4);
/** Waiting for rows after a kill ends after this time. So does the wait for the last record, and the start and the audit take less than it each. */
const STEP_MS_MAX = 120_000;
const engine = historyEngine();

describeWithKafka(`the project stages of a cluster ${engine.reason}`, () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  let cluster: TestCluster | null = null;
  let store: TestHistoryStore | null = null;
  let tries = 0;
  afterEach(async () => {
    await cluster?.close();
    await store?.stop();
  });

  it.skipIf(!engine.met)(
    `over ${KILLS} kills of a stage and two of the store, the store equals the log`,
    { timeout: (KILLS + 3) * STEP_MS_MAX },
    async () => {
      store = await startHistoryStore({ tables: false });
      // A second try would find the topics of the first.
      tries += 1;
      const options = {
        brokers: brokers(),
        registry: registry(),
        prefix: `project.${tries}.`,
        partitions: PARTITIONS,
        retention: 'forever' as const,
      };
      cluster = await TestCluster.create(options);
      const { log, codecs } = await cluster.cluster();
      const { url, user, password } = store.address;
      const env = { ...process.env, SQUITTER_CLICKHOUSE_PASSWORD: password };
      const launch = (name: string): ServiceProcess =>
        cluster!.launch('project', name, ['--clickhouse', url, '--clickhouse-username', user], env);

      const stages = [launch('project-0'), launch('project-1')];
      let records = 0;
      const append = async (count: number): Promise<void> => {
        const shared = { records: count, rows: ROWS, startMs: LEAP_DAY_END_MS - 20_000 + 1000 * records, first: records };
        for (let partition = 0; partition < PARTITIONS; partition += 1) await appendPositions({ log, codecs }, { ...shared, partition });
        records += count;
      };
      const rows = async (): Promise<number> =>
        Number((await store!.client.rows<{ rows: string }>('SELECT count() AS rows FROM positions').catch(() => []))[0]?.rows ?? 0);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await append(10);
        // Somewhere in its first inserts since the last kill.
        const before = await rows();
        await until(
          async () => (await rows()) > before,
          `rows after kill ${kill}: ${stages.map((stage) => stage.output()).join('')}`,
          STEP_MS_MAX,
        );
        await append(5);
        if (kill % 2 === 1 && kill < 4) process.kill(store.child.pid()!, 'SIGKILL');
        await stages.shift()!.kill();
        stages.push(launch(`project-${kill + 2}`));
      }
      const group = sinkGroup(positionProjection(codecs.PositionBatch));
      const isDone = async (partition: number): Promise<boolean> => {
        const { next } = await log.bounds('positions', partition);
        // Behind the last record is a control record.
        return ((await log.committed(group, 'positions', partition)) ?? 0) >= next - 1;
      };
      await until(async () => (await Promise.all([0, 1, 2].map(isDone))).every(Boolean), 'every record is in the store', STEP_MS_MAX);
      const [table] = auditedTables(codecs);
      const audits = await auditHistory({ log, client: store.client, onProgress: () => {}, signal: new AbortController().signal }, table!);
      const each = { expected: records * ROWS, stored: records * ROWS, differences: [], waiting: 0 };
      expect(audits).toMatchObject([each, each, each]);
      for (const counts of ['aircraft_days', 'density_hours']) {
        const [counted] = await store.client.rows<{ rows: string }>(`SELECT sum(positions) AS rows FROM ${counts}`);
        expect(Number(counted!.rows), counts).toBe(PARTITIONS * records * ROWS);
      }
      for (const stage of stages) expect(await stage.stop(), stage.output()).toBe(0);
    },
  );
});
