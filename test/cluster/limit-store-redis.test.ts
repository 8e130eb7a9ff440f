// The LimitStore on a real Redis against the contract; and limits while Redis is frozen, dead and back.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisLimitStore, type RedisLimitStoreOptions } from '../../query-api/access/redis-limit-store.ts';
import { address, feeder, limitStoreContract } from '../contract/limit-store.contract.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRedis } from '../local/redis.ts';
import { localPrograms } from '../support/requirements.ts';

const needed = localPrograms('redis-server');
/** A busy machine may stall for seconds, which is no outage. */
const PATIENT_MS = 60_000;
const INTERVAL_MS = 20_000;
const NOON_MS = Date.parse('2026-03-02T12:00:00Z');

describe.skipIf(!needed.met)(`LimitStore on Redis ${needed.met ? '' : needed.reason}`, () => {
  let redis: LocalProgram;
  let client: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    client = new Redis(redis.url, { retryStrategy: () => 50 });
    client.on('error', () => {});
  });
  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });

  async function open(options: Partial<RedisLimitStoreOptions> & { readonly prefix: string }): Promise<RedisLimitStore> {
    const store = new RedisLimitStore({ client, nowMs: () => NOON_MS, responseMsMax: PATIENT_MS, ...options });
    await shared(store);
    return store;
  }
  const shared = (store: RedisLimitStore) => expect.poll(() => store.problem(), { timeout: 240_000 }).toBeNull();

  limitStoreContract({
    name: 'Redis',
    open: (root, nowMs, addressesMax) => open({ prefix: root, nowMs, ...(addressesMax === undefined ? {} : { addressesMax }) }),
    async elapse(root, ms) {
      const keys = await client.keys(`${root}:*`);
      for (const key of keys) await client.pexpire(key, (await client.pttl(key)) - ms);
    },
    propertyRuns: 15,
    stepMs: 6000,
    alone: null,
  });

  it('gives every key the prefix and a lifetime', async () => {
    const before = new Set(await client.keys('*'));
    const store = await open({ prefix: 'lifetimes' });
    await store.visit(feeder(1), NOON_MS);
    await store.visit(address(1), NOON_MS);
    await store.takeTurn(feeder(1), INTERVAL_MS, NOON_MS);
    await store.lease(feeder(1), 'socket', 1, NOON_MS);
    store.spend(feeder(1), 100, NOON_MS);
    await store.close();
    const keys = (await client.keys('*')).filter((key) => !before.has(key));
    expect(keys.length).toBeGreaterThan(3);
    for (const key of keys) expect([key.split(':')[0], (await client.pttl(key)) > 0]).toEqual(['lifetimes', true]);
  });

  it('takes a stall of its own process for no outage', async () => {
    const store = await open({ prefix: 'stall', responseMsMax: 100 });
    await store.visit(feeder(1), NOON_MS);
    const turn = store.takeTurn(feeder(1), INTERVAL_MS, NOON_MS);
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
    expect(await turn).toBe(0);
    expect(store.stats()).toMatchObject({ isShared: true, timeouts: 0 });
    await store.close();
  });

  /** Three processes, each with its own store. */
  async function scene(prefix: string, responseMsMax = PATIENT_MS) {
    const clock = { ms: NOON_MS };
    const make = () => open({ prefix, nowMs: () => clock.ms, responseMsMax });
    const stores = [await make(), await make(), await make()];
    /** Turns of 64 requests at once, and what each store says meanwhile. */
    const alone = async (intervals: number): Promise<void> => {
      for (let interval = 0; interval < intervals; interval += 1) {
        for (const store of stores) {
          const takes = Array.from({ length: 64 }, () => store.takeTurn(feeder(1), INTERVAL_MS, clock.ms));
          expect((await Promise.all(takes)).filter((waitMs) => waitMs === 0).length).toBe(1);
          expect(store.problem()).toContain('for this process alone');
          expect(store.stats()).toMatchObject({ isShared: false });
          store.spend(feeder(1), 10, clock.ms);
        }
        clock.ms += INTERVAL_MS;
      }
    };
    const sumIs = async (bytes: number): Promise<void> => {
      const sums = async (): Promise<number[]> => {
        clock.ms += 2000;
        return Promise.all(stores.map(async (store) => (await store.visit(feeder(1), clock.ms)).bytes));
      };
      await expect.poll(sums, { timeout: 240_000 }).toEqual(stores.map(() => bytes));
    };
    return { clock, stores, alone, sumIs, close: () => Promise.all(stores.map((store) => store.close())) };
  }

  it('lets each process go on alone while Redis is frozen, and shares again afterwards', async () => {
    const { clock, stores, alone, sumIs, close } = await scene('frozen', 250);
    redis.pause();
    await alone(1);
    expect(stores[0]!.problem()).toContain('no reply within 250 ms');
    // It is known to be away: nothing waits.
    for (const [i, isLeased] of [true, true, true, false].entries())
      expect(stores[0]!.lease(feeder(1), `socket ${i}`, 3, clock.ms)).toBe(isLeased);
    await alone(2);
    redis.resume();
    await Promise.all(stores.map(shared));
    await sumIs(90);
    await close();
  });

  it('lets each process go on alone while Redis is dead, and what they learn alone is known to all afterwards', async () => {
    const { clock, stores, alone, sumIs, close } = await scene('dead');
    const { trialMs } = await stores[0]!.visit(feeder(1), clock.ms);
    await stores[2]!.visit(feeder(5), clock.ms);
    await redis.kill();
    await alone(3);
    await stores[1]!.visit(address(7), clock.ms);
    const aloneMs = clock.ms;
    await stores[2]!.forget(feeder(5));
    await redis.restart();
    await Promise.all(stores.map(shared));
    await sumIs(90);
    expect((await stores[2]!.visit(feeder(1), clock.ms)).trialMs).toBe(trialMs);
    await expect.poll(() => client.zscore('dead:seen:feeder', feeder(5).slice(-16)), { timeout: 240_000 }).toBeNull();
    // A trial that began meanwhile.
    for (const store of stores.slice(1)) expect((await store.visit(address(7), clock.ms)).trialMs).toBe(aloneMs);
    await close();
  });

  it('begins without Redis', async () => {
    await redis.kill();
    const store = new RedisLimitStore({ client, nowMs: () => NOON_MS, prefix: 'begin' });
    expect(store.takeTurn(feeder(1), INTERVAL_MS, NOON_MS)).toBe(0);
    expect(store.takeTurn(feeder(1), INTERVAL_MS, NOON_MS + 1)).toBeGreaterThan(0);
    expect(store.problem()).toContain('for this process alone');
    await expect.poll(() => store.problem(), { timeout: 240_000 }).toContain('ECONNREFUSED');
    await redis.restart();
    await shared(store);
    await store.close();
  });

  it('says so when Redis refuses to write, and does not lose what is spent', async () => {
    const store = await open({ prefix: 'full' });
    const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
    await client.config('SET', 'maxmemory', String(Math.round(used / 2)));
    store.spend(feeder(1), 1000, NOON_MS);
    expect(await store.takeTurn(feeder(1), INTERVAL_MS, NOON_MS)).toBe(0);
    expect(store.problem()).toContain('OOM');
    await client.config('SET', 'maxmemory', '0');
    await shared(store);
    const sum = async (): Promise<string | null> => {
      const [key] = await client.keys('full:bytes:*');
      return key === undefined ? null : client.get(key);
    };
    await expect.poll(sum, { timeout: 240_000 }).toBe('1000');
    await store.close();
  });

  it('renews leases, and frees those of a process that is gone', async () => {
    const clock = { ms: NOON_MS };
    const leaseMs = 3000;
    // A process that was killed renews nothing.
    const gone = await open({ prefix: 'leases', nowMs: () => clock.ms, leaseMs: 3_000_000 });
    expect(await gone.lease(feeder(1), 'gone', 2, clock.ms)).toBe(true);
    await client.zadd(`leases:sockets:${feeder(1)}`, clock.ms + leaseMs, 'gone');
    const living = await open({ prefix: 'leases', nowMs: () => clock.ms, leaseMs });
    expect(await living.lease(feeder(1), 'living', 2, clock.ms)).toBe(true);
    expect(await living.lease(feeder(1), 'next', 2, clock.ms)).toBe(false);
    clock.ms += leaseMs;
    const renewed = async (): Promise<number> => Number(await client.zscore(`leases:sockets:${feeder(1)}`, 'living'));
    await expect.poll(renewed, { timeout: 240_000 }).toBe(clock.ms + leaseMs);
    expect(await living.lease(feeder(1), 'next', 2, clock.ms)).toBe(true);
    expect(await living.lease(feeder(1), 'one more', 2, clock.ms)).toBe(false);
    await living.close();
    expect(await client.zcard(`leases:sockets:${feeder(1)}`)).toBe(0);
    await gone.close();
  });
});
