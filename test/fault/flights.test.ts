// Take-off times survive kill -9 of the embedded service, and of a cluster's stage that owns the partitions; two query APIs show the same.
import { afterEach, describe, expect, it } from 'vitest';
import { openData } from '../../pipeline/log/open-data.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { PacedFeeder } from '../support/feeder.ts';
import { auditFlights } from '../support/flights-audit.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { trafficWithTakeOffs } from '../support/take-offs.ts';
import { until } from '../support/until.ts';

const FEED_S = 45;

const reached = (what: string, condition: () => Promise<boolean>): Promise<boolean> => until(condition, what);

interface Flight {
  readonly hex: string;
  readonly departed_at?: number;
  readonly origin?: { readonly icao?: string };
}

async function departed(api: { get(path: string): Promise<Response> }): Promise<Map<string, number>> {
  const response = await api.get('/v2/flights?limit=1000');
  const { flights = [] } = (await response.json()) as { flights?: Flight[] };
  return new Map(flights.flatMap(({ hex, departed_at }) => (departed_at === undefined ? [] : [[hex, departed_at] as const])));
}

describe('kill -9 of the whole embedded service', () => {
  const folder = temporaryFolder();
  let service: RunningService | null = null;
  afterEach(async () => {
    await service?.kill().catch(() => {});
    folder.remove();
  });

  it('keeps take-off times, and writes every flight once', async () => {
    const { slices, count } = trafficWithTakeOffs(FEED_S);
    expect(count).toBeGreaterThan(0);
    const feeder = new PacedFeeder(slices);
    let running = await startService(folder.path, ['--no-simulation']);
    service = running;
    feeder.target = running.listenPort;
    feeder.start();
    let before = new Map<string, number>();
    await reached('take-offs are shown', async () => {
      before = await departed(running);
      return before.size > 0;
    });
    await running.kill();
    running = await startService(folder.path, ['--no-simulation']);
    service = running;
    feeder.target = running.listenPort;
    let after = new Map<string, number>();
    await reached('they are shown again', async () => {
      after = await departed(running);
      return [...before.keys()].every((hex) => after.has(hex));
    });
    for (const [hex, departedAt] of before) expect([hex, after.get(hex)]).toEqual([hex, departedAt]);
    await feeder.stop();
    expect(await running.stop(), running.output()).toBe(0);
    service = null;
    const { log, codecs } = await openData(folder.path, 'read');
    const audit = await auditFlights(log, codecs);
    await log.close();
    expect(audit.takeoffs).toBeGreaterThanOrEqual(before.size);
    expect(audit.records).toBeGreaterThan(100);
  });
});

describeWithKafka('flights stages on a real broker', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  let cluster: TestCluster | null = null;
  let feeder: PacedFeeder | null = null;
  afterEach(async () => {
    await feeder?.stop();
    await cluster?.close();
  });

  it('kill -9 of the owner of the partitions: the other continues exactly there, and both query APIs show the same', {
    timeout: 300_000,
  }, async () => {
    const { slices } = trafficWithTakeOffs(2 * FEED_S);
    const started = await TestCluster.create({ brokers: brokers(), registry: registry(), prefix: 'flights.', partitions: 4 });
    cluster = started;
    const ingest = await started.start('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
    const fold = await started.start('fold', 'fold');
    const first = await started.start('flights', 'flights-1');
    const apis = [started.launch('query-api', 'query-api-1'), started.launch('query-api', 'query-api-2')];
    feeder = new PacedFeeder(slices);
    feeder.target = await ingest.listenPort();
    feeder.start();
    await reached('a query API shows take-offs', async () => (await departed(apis[0]!).catch(() => new Map())).size > 1);
    const second = await started.start('flights', 'flights-2');
    const partitionsOf = async (stage: ServiceProcess): Promise<number> => sumOf(await stage.metrics(), 'squitter_flights_partitions');
    await reached('they share the partitions', async () => (await partitionsOf(first)) === 2 && (await partitionsOf(second)) === 2);
    const before = await departed(apis[0]!);
    await first.kill();
    await reached('the other has them all', async () => (await partitionsOf(second)) === 4);
    await feeder.stop();
    expect(await ingest.stop(), ingest.output()).toBe(0);
    await reached('everything is read', async () => {
      const samples = await second.metrics();
      return samples.some(({ name }) => name === 'squitter_flights_lag_records') && sumOf(samples, 'squitter_flights_lag_records') === 0;
    });
    await reached('both show the same', async () => {
      const [one, other] = await Promise.all(apis.map(departed));
      return JSON.stringify([...one!].sort()) === JSON.stringify([...other!].sort()) && one!.size > 0;
    });
    const after = await departed(apis[1]!);
    // The feed goes on, so some may have landed and be gone.
    const kept = [...before].filter(([hex]) => after.has(hex));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.map(([hex]) => [hex, after.get(hex)])).toEqual(kept);
    for (const service of [fold, second, ...apis]) expect(await service.stop(), service.output()).toBe(0);
    const { log, codecs } = await started.cluster();
    const audit = await auditFlights(log, codecs);
    expect(audit.takeoffs).toBeGreaterThanOrEqual(before.size);
    expect(audit.records).toBeGreaterThan(200);
  });
});
