// Callers of a cluster on real Kafka and Redis: limits that two query APIs and a push service share over every way in, what holds while Redis is away,
// an owner who revokes a key, and a process with another secret.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status as grpcStatus } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendPart } from '../../pipeline/feeders/feeder-writer.ts';
import { newSecretText } from '../../pipeline/runtime/installation-secret.ts';
import { keyOf } from '../../query-api/access/key.ts';
import { feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { tierLimits } from '../../schemas/tiers.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRedis } from '../local/redis.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { testSecret } from '../support/secret.ts';
import { freePort, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import {
  type AskSocket,
  type AskTurn,
  type CallerHeaders,
  eventsFrom,
  type HeldStream,
  snapshotFrom,
  waysInto,
  webSocketTo,
} from '../support/ways-in.ts';

const CLIENTS = 64;
const HOP = 'a-secret-that-is-in-no-log';
const FEEDERS = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(16));
const REVOKED = 'e'.repeat(16);
const HOUR_MS = 3_600_000;

describeWithKafka(
  'callers of a cluster',
  () => {
    const brokers = sharedKafka();
    const registry = sharedRegistry();
    const folder = temporaryFolder();
    const cleanups: (() => unknown)[] = [];
    let redis: LocalProgram;
    let cluster: TestCluster;
    let processes: ServiceProcess[] = [];
    let stranger: ServiceProcess;
    /** With the process that each leads to. */
    let turns: (readonly [ServiceProcess, AskTurn])[] = [];
    let sockets: AskSocket[] = [];
    const feeders = [...FEEDERS];
    let addresses = 0;

    /** Documentation addresses, each new; a proxy that is trusted reports them. */
    const newAddress = (): CallerHeaders => {
      addresses += 1;
      return { 'x-forwarded-for': `192.0.2.${addresses}` };
    };
    const keyHolder = (feeder: string): CallerHeaders => ({
      ...newAddress(),
      authorization: `Bearer ${keyOf({ feeder, generation: 1 }, testSecret)}`,
    });
    const addContributor = async (feeder: string): Promise<void> => {
      const { log, codecs } = await cluster.cluster();
      const receiver = {
        ...{ partition: 0, timeMs: Date.now(), frames: 0, messages: 0, duplicates: 0, positions: 0, disagreements: 0, cleanDf17: 0 },
        ...{ aircraft: 0, rangeNm: new Array<number>(16).fill(0), signalDecidb: null, lateMs: 0, heardMs: 0 },
        contributorUntilMs: Date.now() + HOUR_MS,
      };
      const value = codecs.FeederRecord.encode(feederRecord({ receiver }));
      await log.append('feeders', 0, [{ key: receiverKey(feeder, 0), value, timestampMs: Date.now() }]);
      const target = await cluster.cluster();
      const [timeMs, id] = [Date.now(), feeder];
      await appendPart(target, 'keys', { id, part: { generation: 1, previousEndsMs: 0, revokedBelow: 0 }, timeMs });
      await appendPart(target, 'claim', { id, part: { name: '', showRange: false, claimedAtMs: timeMs }, timeMs });
    };
    const readiness = async (process: ServiceProcess): Promise<string> => (await process.get('/readyz')).text();
    const isShared = async (process: ServiceProcess) => sumOf(await process.metrics(), 'squitter_access_shared');
    /** `step` for a new caller, while Redis responds in time: on a busy machine it may not, and then it is done again. */
    const whileShared = async <Found>(step: () => Promise<Found>): Promise<Found> => {
      const state = async (): Promise<string> => {
        const samples = (await Promise.all(processes.map((one) => one.metrics()))).flat();
        return `${sumOf(samples, 'squitter_access_shared')} of ${processes.length}, ${sumOf(samples, 'squitter_access_timeouts_total')} timeouts`;
      };
      const { found } = await until(async () => {
        const before = await state();
        if (!before.startsWith(`${processes.length} `)) return null;
        const done = { found: await step() };
        return before === (await state()) ? done : null;
      }, 'Redis responds in time');
      return found;
    };
    /** Turns that the clients of a caller get at once, by process. */
    const turnsOf = async (clients: number, caller: () => CallerHeaders): Promise<readonly number[]> => {
      const asked = Array.from({ length: clients }, async (_, i) => {
        const [process, ask] = turns[i % turns.length]!;
        return (await ask(caller())) ? process : null;
      });
      const given = await Promise.all(asked);
      return processes.map((one) => given.filter((process) => process === one).length);
    };
    const turnsInAll = async (clients: number, caller: () => CallerHeaders): Promise<number> =>
      (await turnsOf(clients, caller)).reduce((sum, count) => sum + count, 0);
    const held = async (asked: readonly Promise<HeldStream | null>[]): Promise<HeldStream[]> => {
      const streams = (await Promise.all(asked)).filter((stream) => stream !== null);
      for (const stream of streams) cleanups.push(stream.end);
      return streams;
    };

    beforeAll(async () => {
      [redis, cluster] = await Promise.all([
        startRedis(),
        TestCluster.create({ brokers: brokers(), registry: registry(), prefix: 'access.', partitions: 2 }),
      ]);
      cleanups.push(
        () => redis.stop(),
        () => cluster.close(),
      );
      const env = { ...process.env, SQUITTER_ACCESS: 'tiers', SQUITTER_PUSH_SECRET: HOP };
      const pushAddress = `127.0.0.1:${await freePort()}`;
      // Between two ticks of ten minutes the streams say nothing by themselves.
      const shared = ['--redis', redis.url, '--trusted-proxy', '127.0.0.1', '--push-tick', '600'];
      const push = cluster.launch('push', 'push', [...shared, '--push', pushAddress], env);
      const apis = [1, 2].map((number) =>
        cluster.launch('query-api', `query-api-${number}`, [...shared, '--mcp-trial', '--push-upstream', pushAddress], env),
      );
      processes = [...apis, push];
      const ingest = cluster.launch('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
      cluster.launch('fold', 'fold');
      for (const id of [...FEEDERS, REVOKED]) await addContributor(id);
      const feeder = new PacedFeeder(simulatedSlices(20, Number.POSITIVE_INFINITY, 1));
      feeder.target = await ingest.listenPort();
      feeder.start();
      cleanups.push(() => feeder.stop());
      await Promise.all(processes.map((one) => one.untilReady()));
      const secretFile = join(folder.path, 'secret');
      writeFileSync(secretFile, newSecretText());
      stranger = cluster.launch('query-api', 'stranger', ['--secret-file', secretFile], env);
      const ways = apis.map(waysInto);
      cleanups.push(...ways.map(({ close }) => close));
      turns = ways.flatMap((of, i) => of.turns.map((ask) => [apis[i]!, ask] as const));
      turns.push([push, snapshotFrom(pushAddress)]);
      // The last two are handed over to the push service.
      const byEvents = apis.map(({ url }) => eventsFrom(new URL(url).host));
      sockets = [webSocketTo(pushAddress), ...ways.map(({ watch }) => watch), ...byEvents];
    }, KAFKA_START_MS_MAX);
    afterAll(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
      folder.remove();
    });

    it('says for whom there are limits, and that processes share them', async () => {
      for (const one of processes) {
        expect(one.output()).toContain('"access":"tiers: everybody has limits; processes share limits through Redis"');
        expect(await isShared(one)).toBe(1);
        expect(await readiness(one)).not.toContain('alone');
      }
    });

    it(`gives ${CLIENTS} clients at once the turns and sockets of one caller, over all ways in together`, async () => {
      const given = async (caller: () => CallerHeaders) => {
        const count = await turnsInAll(CLIENTS, caller);
        const asked = Array.from({ length: CLIENTS }, (_, i) => sockets[i % sockets.length]!(caller()));
        return { turns: count, sockets: (await held(asked)).length };
      };
      const byAddress = async () => {
        const address = newAddress();
        return given(() => address);
      };
      const byKey = async () => {
        const feeder = feeders.shift()!;
        return given(() => keyHolder(feeder));
      };
      expect(await whileShared(byAddress)).toEqual({ turns: 1, sockets: tierLimits.trial.socketsMax });
      expect(await whileShared(byKey)).toEqual({ turns: 1, sockets: tierLimits.contributor.socketsMax });
      // Others have turns of their own, over every way in.
      expect(await turnsInAll(turns.length, newAddress)).toBe(turns.length);
    });

    it('gives one turn per process while Redis is frozen or dead, and warns; then processes share limits again', async () => {
      for (const stop of [() => redis.pause(), () => redis.kill()]) {
        await stop();
        const address = newAddress();
        expect(await turnsOf(CLIENTS, () => address)).toEqual(processes.map(() => 1));
        for (const one of processes) {
          expect(await readiness(one)).toContain('limits hold for this process alone, because Redis does not respond');
          expect(await isShared(one)).toBe(0);
        }
      }
      await redis.restart();
      const again = async () => {
        const address = newAddress();
        return turnsInAll(CLIENTS, () => address);
      };
      expect(await whileShared(again)).toBe(1);
    });

    it('ends the streams of a key in every process when its owner, who came in at one, revokes it at another', async () => {
      const streams = await held(sockets.slice(0, processes.length).map((ask) => ask(keyHolder(REVOKED))));
      expect(streams).toHaveLength(processes.length);
      const act = (i: number, name: string, headers: CallerHeaders, proof?: string) => {
        const { url } = processes[i]!;
        const all = { origin: url, 'content-type': 'application/json', ...newAddress(), ...headers };
        return fetch(`${url}/feeders/${name}`, { method: 'POST', headers: all, body: JSON.stringify({ proof }) });
      };
      const opened = await act(0, 'open', {}, keyOf({ feeder: REVOKED, generation: 1 }, testSecret));
      expect(opened.status).toBe(200);
      const revokedMs = performance.now();
      const revoked = await act(1, 'revoke', { cookie: opened.headers.get('set-cookie')!.split(';')[0]! });
      expect([revoked.status, await revoked.json()]).toEqual([
        200,
        expect.objectContaining({ key: keyOf({ feeder: REVOKED, generation: 2 }, testSecret) }),
      ]);
      expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([
        4403,
        ...processes.slice(1).map(() => grpcStatus.PERMISSION_DENIED),
      ]);
      process.stdout.write(`streams of a revoked key ended after ${Math.round(performance.now() - revokedMs)} ms\n`);
      await expect(turns[0]![1](keyHolder(REVOKED))).rejects.toThrow(': 403');
    });

    it('ends a process with another secret', async () => {
      expect(await stranger.ended, stranger.output()).toBe(1);
      expect(stranger.output()).toContain('"code":"secret.differs"');
    });

    it('stops while Redis is frozen', async () => {
      redis.pause();
      const stopped = processes.map(async (one) => [one.name, await one.stop()]);
      expect(await Promise.all(stopped)).toEqual(processes.map(({ name }) => [name, 0]));
    });
  },
  'redis-server',
);
