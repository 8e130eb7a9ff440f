// The entries of the cluster as an operator starts them: by environment variables, over TLS with passwords from files; and their errors.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceName } from '../../infra/cluster/configuration.ts';
import { openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { readAll, record, valuesOf, whole } from '../contract/event-log-support.ts';
import { type Certificates, makeCertificates } from '../local/certificates.ts';
import { startSecureKafka } from '../local/kafka.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRedis } from '../local/redis.ts';
import { ServiceProcess } from '../support/cluster.ts';
import { startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { TEST_SECRET_FILE } from '../support/secret.ts';
import { freePort, READY_MS_MAX, squitter, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const SECRET = 'a very secret word';

describeWithKafka('an entry on a listener without authentication', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();

  it('explains what to do when it logs in and the listener has no authentication', async () => {
    const env = (mechanism: string) => ({
      ...{ SQUITTER_KAFKA_SASL: mechanism, SQUITTER_KAFKA_USERNAME: 'me', SQUITTER_KAFKA_PASSWORD: SECRET },
    });
    const there = ['--brokers', brokers().join(',')];
    const topics = await squitter(['topics', ...there], { env: env('plain') });
    expect([topics.code, topics.stderr]).toEqual([
      1,
      expect.stringMatching(/^squitter: .*remove SQUITTER_KAFKA_SASL.*connect\.failed\]\n$/),
    ]);
    const check = await squitter(['config', 'check', 'fold', '--connect', ...there, '--registry', registry()], {
      env: env('scram-sha-512'),
    });
    expect(check.stdout).toMatch(/^not reached: Kafka .*remove SQUITTER_KAFKA_SASL/m);
  });

  it('reports whom it waits for, Kafka or the registry, and stops on a signal', async () => {
    const there = ['--brokers', brokers().join(','), '--kafka-prefix', 'waits.'];
    expect((await squitter(['topics', '--create', '--copies', '1', ...there])).code).toBe(0);
    for (const [flags, reason] of [
      [['--brokers', '127.0.0.1:1'], 'connecting to Kafka'],
      [there, 'waiting for the schema registry at http://127.0.0.1:1'],
    ] as const) {
      const fold = new ServiceProcess('fold', 'fold', [...flags, '--registry', 'http://127.0.0.1:1']);
      const ready = async (): Promise<string> => {
        const response = await fold.get('/readyz').catch(() => null);
        return response === null ? '' : `${response.status} ${await response.text()}`;
      };
      await until(async () => (await ready()).includes(reason), reason, READY_MS_MAX);
      expect(await ready()).toMatch(/^503 \{"status":"not ready"/);
      expect(await fold.stop(), fold.output()).toBe(0);
    }
  });
});

describeWithKafka(
  'services over TLS, with passwords from files',
  () => {
    const registry = sharedRegistry();
    const folder = temporaryFolder();
    let kafka: Awaited<ReturnType<typeof startSecureKafka>>;
    let redis: LocalProgram;
    let history: TestHistoryStore;
    let certificates: Certificates;
    let env: Record<string, string>;
    let password: string;

    beforeAll(async () => {
      certificates = makeCertificates(folder.path);
      [kafka, redis, history] = await Promise.all([
        startSecureKafka(),
        startRedis({ password: SECRET, tls: certificates }),
        startHistoryStore({ tables: false }),
      ]);
      const { brokers, tls, sasl } = kafka.withPassword('scram-sha-512');
      password = sasl!.password;
      const file = (name: string, text: string): string => {
        const path = join(folder.path, name);
        writeFileSync(path, `${text}\n`);
        return path;
      };
      env = {
        SQUITTER_KAFKA_BROKERS: brokers.join(','),
        SQUITTER_KAFKA_TLS: 'true',
        SQUITTER_KAFKA_CA_FILE: (tls as { caFile: string }).caFile,
        SQUITTER_KAFKA_SASL: sasl!.mechanism,
        SQUITTER_KAFKA_USERNAME: sasl!.username,
        SQUITTER_KAFKA_PASSWORD_FILE: file('kafka.password', password),
        SQUITTER_REGISTRY_URL: registry(),
        SQUITTER_SECRET_FILE: TEST_SECRET_FILE,
        SQUITTER_REDIS_URL: redis.url.replace(/\/\/.*@/, '//'),
        SQUITTER_REDIS_PASSWORD_FILE: file('redis.password', SECRET),
        SQUITTER_REDIS_CA_FILE: certificates.caFile,
        SQUITTER_CLICKHOUSE_URL: history.address.url,
        SQUITTER_CLICKHOUSE_USERNAME: history.address.user,
        SQUITTER_CLICKHOUSE_PASSWORD_FILE: file('clickhouse.password', history.address.password),
      };
    }, KAFKA_START_MS_MAX);
    afterAll(async () => {
      await Promise.all([kafka?.stop(), redis?.stop(), history?.stop()]);
      folder.remove();
    });

    // SCRAM-SHA-512 is that of the services below.
    it.each(['plain', 'scram-sha-256', 'certificate'] as const)(
      'carry the log of a client with %s; a refused one gets the reason at once, without a password in it',
      async (how) => {
        const right = how === 'certificate' ? kafka.withCertificate : kafka.withPassword(how);
        const namePrefix = `${how}.`;
        await ensureTopics(right, { create: true, replicationFactor: 1, framePartitions: 1, namePrefix });
        const log = await openKafkaLog({ connection: right, namePrefix });
        await log.append('frames', 0, [record(null, 'over TLS', Date.now())]);
        expect(valuesOf(await readAll(log, whole('frames')))).toEqual(['over TLS']);
        await log.commit({ group: 'g', topic: 'frames', partition: 0, fromOffset: 0, nextOffset: 1, outputs: [] });
        await log.close();
        const { caFile } = right.tls as { caFile: string };
        const wrong = how === 'certificate' ? { ...right, tls: { caFile } } : { ...right, sasl: { ...right.sasl!, password: 'hunter2' } };
        const logged: unknown[] = [];
        for (const connection of [wrong, { ...right, tls: true }]) {
          const failure = await openKafkaLog({ connection, namePrefix, onMessage: (...what) => logged.push(what) }).catch(
            (error: unknown) => error,
          );
          expect(failure).toMatchObject({ code: 'connect.failed' });
          expect(inspect(failure, { depth: 9 }) + JSON.stringify(logged)).not.toMatch(new RegExp(`hunter2|${password}`));
        }
      },
    );

    it('config check connects to everything, and reports failed connections', async () => {
      // Tests of `start` run without history and with one thread that folds; a variable of another profile is a problem.
      const right = await squitter(['config', 'check', '--connect'], {
        env: { ...env, SQUITTER_BULK_DIR: folder.path, SQUITTER_NO_HISTORY: undefined, SQUITTER_FOLD_THREADS: undefined },
      });
      expect(right.stdout).toMatch(/^reached: Kafka 127\.0\.0\.1:\d+: 1 broker/m);
      expect(right.stdout).toMatch(/^reached: registry http/m);
      expect(right.stdout).toMatch(/^reached: Redis rediss:.*: version \d/m);
      expect(right.stdout).toMatch(/^reached: ClickHouse http:.*: version \d/m);
      expect(right.stdout).toMatch(/config: no problems\n$/);
      expect(right.code).toBe(0);
      const wrong = await squitter(['config', 'check', 'query-api', '--connect', '--registry', 'http://127.0.0.1:1'], {
        env: {
          ...env,
          SQUITTER_KAFKA_PASSWORD_FILE: env['SQUITTER_REDIS_PASSWORD_FILE']!,
          SQUITTER_REDIS_CA_FILE: env['SQUITTER_KAFKA_CA_FILE']!,
        },
      });
      expect(wrong.stdout.match(/^not reached: (Kafka|registry|Redis) .*: \S.*$/gm)).toHaveLength(3);
      expect(wrong.code).toBe(1);
      for (const { stdout, stderr } of [right, wrong])
        for (const secret of [SECRET, password]) expect(stdout + stderr).not.toContain(secret);
    });

    it('the whole path works with environment variables alone; so do the tools', async () => {
      expect((await squitter(['topics', '--create', '--copies', '1'], { env })).code).toBe(0);
      const listen = `127.0.0.1:${await freePort()}`;
      const processes: ServiceProcess[] = [];
      const start = async (service: ServiceName, more: Record<string, string> = {}): Promise<ServiceProcess> => {
        const started = new ServiceProcess(service, service, [], { ...env, ...more });
        processes.push(started);
        await started.untilReady();
        return started;
      };
      try {
        const ingest = await start('ingest', { SQUITTER_LISTEN: listen });
        const fold = await start('fold');
        const api = await start('query-api');
        const feed = await squitter(['simulate', '--aircraft', '50', '--to', listen, '--minutes', '0.1']);
        expect(feed.code, feed.stderr).toBe(0);
        const shown = async () => (await api.json<{ aircraft_count: number }>('/v2/stats')).aircraft_count;
        await until(async () => (await shown()) > 20, 'aircraft are shown', READY_MS_MAX);
        await until(async () => (await api.metric('squitter_access_shared')) === 1, 'limits are shared over TLS', READY_MS_MAX);
        expect(await api.metric('squitter_redis_up')).toBe(1);
        for (const service of [api, ingest, fold]) expect(await service.stop(), service.output()).toBe(0);

        const audit = await squitter(['audit'], { env });
        expect(audit.stdout, audit.stderr).toMatch(/^audit: equal: [1-9]\d+ frames, [1-9]\d* positions, 12 partitions\n/m);
        const lines = processes.map((service) => service.output());
        for (const secret of [SECRET, password]) expect(lines.join('\n')).not.toContain(secret);
      } finally {
        await Promise.all(processes.map((service) => service.kill()));
      }
    });

    it('a recording can be replayed to the brokers, and from there to a service', async () => {
      const file = join(folder.path, 'traffic.beast');
      await squitter(['simulate', '--aircraft', '20', '--minutes', '0.2', '--out', file]);
      const startMs = Date.now();
      const [since, end] = [0, 60_000].map((ms) => new Date(startMs + ms).toISOString()) as [string, string];
      const replay = await squitter(['replay', file, '--brokers', env['SQUITTER_KAFKA_BROKERS']!, '--speed', 'max', '--start', since], {
        env,
      });
      expect(replay.code, replay.stderr).toBe(0);
      const feeder = createServer((socket) => socket.resume());
      await once(feeder.listen(0, '127.0.0.1'), 'listening');
      const to = `127.0.0.1:${(feeder.address() as AddressInfo).port}`;
      const stretch = ['--from-brokers', env['SQUITTER_KAFKA_BROKERS']!, '--since', since, '--until', end];
      const again = await squitter(['replay', ...stretch, '--to', to, '--speed', 'max'], { env });
      feeder.close();
      // The last line says how many frames there were.
      expect(replay.stderr).toMatch(/^replay: [1-9]\d+ frames$/m);
      expect(again.stderr.trim().split('\n').at(-1)).toBe(replay.stderr.trim().split('\n').at(-1));
    });
  },
  'openssl',
  'redis-server',
);
