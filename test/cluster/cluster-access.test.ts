// Callers of a cluster on real Kafka and Redis: limits that two query APIs and a push service share over every way in, an owner who revokes a key,
// operators' commands, and a process with another secret. What holds while Redis is away: limit-store-redis.test.ts.
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FeederReport } from '../../infra/services/access/feeder-report.ts';
import { appendPart } from '../../pipeline/feeders/feeder-writer.ts';
import { newSecretText } from '../../pipeline/runtime/installation-secret.ts';
import { keyOf } from '../../query-api/access/key.ts';
import { feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { EVENTS_PATH, SNAPSHOT_PATH } from '../../schemas/push.ts';
import { tierLimits } from '../../schemas/tiers.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRedis } from '../local/redis.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { beastUuidMessage, PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { recordClient } from '../support/grpc.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { TEST_SECRET_FILE, testIds, testSecret } from '../support/secret.ts';
import { freePort, type Run, squitter, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

type CallerHeaders = Readonly<Record<string, string>>;

/** An open stream. */
interface HeldStream {
  /** Why the service ended it: a close code, or a status of gRPC. Null for another end. */
  readonly ended: Promise<number | null>;
  end(): void;
}

/** False: it was refused because of a limit. Every other outcome is an error. */
type AskTurn = (caller: CallerHeaders) => Promise<boolean>;
/** Null: it was refused because of a limit. */
type AskSocket = (caller: CallerHeaders) => Promise<HeldStream | null>;

const WORLD = { case: 'box' as const, value: { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 } };
const TOOL_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'network_stats', arguments: {} } });
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Ways in of a query API, and what ends its clients. */
function waysInto(api: ServiceProcess): { turns: AskTurn[]; watch: AskSocket } {
  const records = recordClient(/"grpc":"([^"]+)"/.exec(api.output())![1]!);
  const tool: AskTurn = async (caller) => {
    const response = await fetch(`${api.url}/mcp`, { method: 'POST', headers: { ...caller, ...JSON_HEADERS }, body: TOOL_CALL });
    const { result } = (await response.json()) as { result?: { _meta: { code?: string; retry_after?: number } } };
    const { code = null, retry_after: retryAfterS = 0 } = result?._meta ?? {};
    return isGiven('/mcp', retryAfterS > 0 ? code : response.status, 200, 'rate');
  };
  const codeOf = (error: unknown): number => ConnectError.from(error).code;
  const grpc: AskTurn = async (caller) => {
    const code = await records.networkStats({}, { headers: caller }).then(() => null, codeOf);
    return isGiven('gRPC', code, null, Code.ResourceExhausted);
  };
  const watch: AskSocket = async (caller) => {
    const ending = new AbortController();
    const states = records.watchAircraft({ target: WORLD }, { headers: caller, signal: ending.signal })[Symbol.asyncIterator]();
    const code = await states.next().then(() => null, codeOf);
    if (!isGiven('WatchAircraft', code, null, Code.ResourceExhausted)) return null;
    const untilEnd = async (): Promise<null> => ((await states.next()).done ? null : untilEnd());
    return { ended: untilEnd().catch(codeOf), end: () => ending.abort() };
  };
  // All other routes take their turns as this one does: query-api/http/callers.test.ts.
  return { turns: [over(`${api.url}/v2/all`), grpc, tool], watch };
}

/** Events, from a push service or through a query API that hands connections over. */
const eventsFrom =
  (address: string): AskSocket =>
  async (caller) => {
    const ending = new AbortController();
    const response = await fetch(`http://${address}${EVENTS_PATH}`, { headers: caller, signal: ending.signal });
    if (!isGiven(EVENTS_PATH, response.status, 200, 429)) return null;
    return {
      ended: response.text().then(
        () => null,
        () => null,
      ),
      end: () => ending.abort(),
    };
  };

/** A WebSocket of a push service. */
const webSocketTo =
  (address: string): AskSocket =>
  async (caller) => {
    const socket = new WebSocket(`ws://${address}/ws/`, { headers: caller });
    const ended = new Promise<number>((resolve) => socket.once('close', resolve));
    const status = await new Promise<number | undefined>((resolve, reject) => {
      socket.once('open', () => resolve(101));
      socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      socket.on('error', reject);
    });
    return isGiven('/ws/', status, 101, 429) ? { ended, end: () => socket.terminate() } : null;
  };

const over =
  (url: string): AskTurn =>
  async (caller) => {
    const response = await fetch(url, { headers: caller });
    await response.arrayBuffer();
    return isGiven(url, response.status, 200, 429);
  };

function isGiven(what: string, outcome: unknown, given: unknown, refused: unknown): boolean {
  if (outcome !== given && outcome !== refused) throw new Error(`${what}: ${String(outcome)}`);
  return outcome === given;
}

const CLIENTS = 64;
const HOP = 'a-secret-that-is-in-no-log';
const FEEDERS = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(16));
const REVOKED = 'e'.repeat(16);
const HOUR_MS = 3_600_000;
const UUID = '01234567-89ab-cdef-0123-456789abcdef';

describeWithKafka(
  'callers of a cluster',
  () => {
    const brokers = sharedKafka();
    const registry = sharedRegistry();
    const folder = temporaryFolder();
    const otherSecret = join(folder.path, 'secret');
    const cleanups: (() => unknown)[] = [];
    let redis: LocalProgram;
    let cluster: TestCluster;
    let processes: ServiceProcess[] = [];
    let stranger: ServiceProcess;
    let feedersPort = 0;
    let turns: AskTurn[] = [];
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
      const opened = await cluster.cluster();
      const timeMs = Date.now();
      const receiver = {
        ...{ partition: 0, timeMs, frames: 0, messages: 0, duplicates: 0, positions: 0, disagreements: 0, cleanDf17: 0, aircraft: 0 },
        ...{ rangeNm: new Array<number>(16).fill(0), signalDecidb: null, lateMs: 0, heardMs: 0, contributorUntilMs: timeMs + HOUR_MS },
      };
      const value = opened.codecs.FeederRecord.encode(feederRecord({ receiver }));
      await opened.log.append('feeders', 0, [{ key: receiverKey(feeder, 0), value, timestampMs: timeMs }]);
      await addKey(feeder);
      await appendPart(opened, 'claim', { id: feeder, part: { name: '', showRange: false, claimedAtMs: timeMs }, timeMs });
    };
    const addKey = async (id: string): Promise<void> => {
      const part = { generation: 1, previousEndsMs: 0, revokedBelow: 0 };
      await appendPart(await cluster.cluster(), 'keys', { id, part, timeMs: Date.now() });
    };
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
    /** Turns that the clients of a caller get at once, at all processes together. */
    const turnsOf = async (clients: number, caller: () => CallerHeaders): Promise<number> => {
      const given = await Promise.all(Array.from({ length: clients }, (_, i) => turns[i % turns.length]!(caller())));
      return given.filter(Boolean).length;
    };
    const held = async (opening: readonly Promise<HeldStream | null>[]): Promise<HeldStream[]> => {
      const streams = (await Promise.all(opening)).filter((stream) => stream !== null);
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
      feedersPort = await ingest.listenPort();
      feeder.target = feedersPort;
      feeder.start();
      cleanups.push(() => feeder.stop());
      await Promise.all(processes.map((one) => one.untilReady()));
      writeFileSync(otherSecret, newSecretText());
      stranger = cluster.launch('query-api', 'stranger', ['--secret-file', otherSecret], env);
      const ways = apis.map(waysInto);
      turns = [...ways.flatMap((each) => each.turns), over(`http://${pushAddress}${SNAPSHOT_PATH}`)];
      // The last two are handed over to the push service.
      const byEvents = apis.map(({ url }) => eventsFrom(new URL(url).host));
      sockets = [webSocketTo(pushAddress), ...ways.map(({ watch }) => watch), ...byEvents];
    }, KAFKA_START_MS_MAX);
    afterAll(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
      folder.remove();
    });

    it(`gives ${CLIENTS} clients at once the turns and sockets of one caller, over all ways in together`, async () => {
      const given = async (caller: () => CallerHeaders) => {
        const count = await turnsOf(CLIENTS, caller);
        const opening = Array.from({ length: CLIENTS }, (_, i) => sockets[i % sockets.length]!(caller()));
        return { turns: count, sockets: (await held(opening)).length };
      };
      const address = async () => {
        const headers = newAddress();
        return given(() => headers);
      };
      const key = async () => {
        const feeder = feeders.shift()!;
        return given(() => keyHolder(feeder));
      };
      expect(await whileShared(address)).toEqual({ turns: 1, sockets: tierLimits.trial.socketsMax });
      expect(await whileShared(key)).toEqual({ turns: 1, sockets: tierLimits.contributor.socketsMax });
      // Others have turns of their own, over every way in.
      expect(await turnsOf(turns.length, newAddress)).toBe(turns.length);
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
      const revoked = await act(1, 'revoke', { cookie: opened.headers.get('set-cookie')!.split(';')[0]! });
      expect([revoked.status, await revoked.json()]).toEqual([
        200,
        expect.objectContaining({ key: keyOf({ feeder: REVOKED, generation: 2 }, testSecret) }),
      ]);
      expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([4403, ...processes.slice(1).map(() => Code.PermissionDenied)]);
      await expect(turns[0]!(keyHolder(REVOKED))).rejects.toThrow(': 403');
    });

    it("shows, bans and unbans a feeder of a running ingest by operators' commands; another secret reads and writes nothing", async () => {
      const command = (words: readonly string[], secretFile = TEST_SECRET_FILE): Promise<Run> => {
        const where = ['--brokers', brokers().join(','), '--registry', registry(), '--secret-file', secretFile];
        return squitter([...words, ...where], { env: { SQUITTER_KAFKA_PREFIX: 'access.' } });
      };
      const reportFrom = async (...words: string[]): Promise<FeederReport> => {
        const run = await command([...words, '--json']);
        expect([run.code, run.stderr]).toEqual([0, '']);
        return JSON.parse(run.stdout) as FeederReport;
      };
      const feed = (): Socket => {
        const socket = connect(feedersPort, '127.0.0.1').on('error', () => {});
        cleanups.push(() => socket.destroy());
        socket.write(beastUuidMessage(UUID));
        for (const { bytes } of simulatedSlices(10, 1, 1)) socket.write(bytes);
        return socket;
      };
      const id = testIds.ofUuid(UUID);
      await addKey(id);
      const first = feed();
      await until(async () => (await command(['feeders', 'list'])).stdout.includes(`${id}  connected`), 'the feeder in the list');
      const other = await command(['feeders', 'ban', UUID], otherSecret);
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('[secret.differs]')]);
      expect(await reportFrom('keys', 'revoke', UUID)).toMatchObject({ id, key: { generation: 2, revoked_below: 2 }, ban: null });
      expect(await reportFrom('feeders', 'ban', UUID, '--reason', 'noise')).toMatchObject({
        ban: { reason: 'noise', with_address: false },
      });
      await until(() => first.destroyed, 'the end of its connection');
      const again = feed();
      await until(() => again.destroyed, 'the end of the next one');
      expect(await reportFrom('feeders', 'unban', id)).toMatchObject({ ban: null });
      const last = feed();
      await until(async () => (await reportFrom('feeders', 'show', id)).connected, 'its connection');
      expect(last.destroyed).toBe(false);
    });

    it('a process with another secret has ended; the others stop while Redis is frozen', async () => {
      expect(await stranger.ended, stranger.output()).toBe(1);
      expect(stranger.output()).toContain('"code":"secret.differs"');
      redis.pause();
      const stopped = processes.map(async (one) => [one.name, await one.stop()]);
      expect(await Promise.all(stopped)).toEqual(processes.map(({ name }) => [name, 0]));
    });
  },
  'redis-server',
);
