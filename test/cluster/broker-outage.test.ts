// Brokers that freeze, die and come back: no service keeps serving stale data, none floods its log, and all recover by themselves.
import { afterEach, expect, it } from 'vitest';
import type { ServiceProcess } from '../support/cluster.ts';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, ownKafka, sharedRegistry } from '../support/kafka.ts';

const PARTITIONS = 4;
const SEED = 1;
/** Per process, during outage and recovery. */
const LINES_MAX = 40;

async function readiness(service: ServiceProcess): Promise<string> {
  return service.get('/readyz').then(
    async (response) => `${response.status} ${await response.text()}`,
    (error: Error) => error.message,
  );
}

describeWithKafka('the only broker, frozen and then killed', () => {
  const kafka = ownKafka();
  const registry = sharedRegistry();
  let fed: FedCluster | null = null;
  afterEach(() => fed?.close());

  it('shows in readiness and lag, and in a few log lines', { timeout: 300_000 }, async () => {
    fed = await FedCluster.start({ brokers: kafka().brokers, registry: registry(), prefix: '', partitions: PARTITIONS });
    const fold = await fed.startFold();
    const api = await fed.cluster.start('query-api', 'query-api');
    const { ingest } = fed;
    await fed.until('positions come', () => fed!.watcher.seen.size > 100);
    const lagOf = async (): Promise<number> => (await fold.metrics()).filter(({ name }) => name === 'squitter_fold_lag_seconds').length;
    expect(await lagOf()).toBe(PARTITIONS);
    const linesBefore = [ingest, api, fold.process].map((service) => service.output().split('\n').length);

    const isHonest = async (): Promise<boolean> =>
      /^503 .*unknown: Kafka has not responded for \d{2,} s/.test(await readiness(fold.process)) &&
      /^503 .*frames have been queued for Kafka for \d{2,} s/.test(await readiness(ingest)) &&
      /^200 .*"warnings":\["Kafka has not responded for \d{2,} s/.test(await readiness(api)) &&
      (await lagOf()) === 0;
    kafka().node(0).pause();
    await fed.until('a frozen broker is noticed', isHonest);
    await kafka().node(0).kill();
    for (let look = 0; look < 5; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await isHonest()).toBe(true);
    }
    const ages = (await fold.metrics()).filter(({ name }) => name === 'squitter_fold_lag_age_seconds');
    expect(ages.map(({ value }) => value > 10)).toEqual(Array(PARTITIONS).fill(true));
    expect((await api.metrics()).find(({ name }) => name === 'squitter_kafka_response_age_seconds')!.value).toBeGreaterThan(10);

    const { process: before } = fold;
    await kafka().node(0).restart();
    await fed.until('all are ready again', async () =>
      (await Promise.all([fold.process, ingest, api].map((service) => service.isReady()))).every(Boolean),
    );
    expect(await lagOf()).toBe(PARTITIONS);
    const lines = [ingest, api, before].map((service, i) => service.output().split('\n').length - linesBefore[i]!);
    process.stdout.write(`log lines: ${lines.join(', ')}; the fold ended ${fold.ends.join(', ')}\n`);
    for (const count of lines) expect(count, lines.join(', ')).toBeLessThan(LINES_MAX);
    await fed.prove(SEED);
    expect(await api.stop(), api.output()).toBe(0);
  });
});
