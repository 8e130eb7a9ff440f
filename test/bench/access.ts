// The cost of admitting a request: its caller, turn and bytes, with the embedded LimitStore and in a plain Map; and the round trips to Redis.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../infra/local/redis.ts';
import { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import { Access } from '../../query-api/access/access.ts';
import type { Caller } from '../../query-api/access/caller.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import type { AccessProfile } from '../../query-api/access/operators.ts';
import { RedisLimitStore } from '../../query-api/access/redis-limit-store.ts';
import { testIds, testSecret } from '../support/secret.ts';
import { type Bench, costFigure } from './harness.ts';

const ADMISSIONS = 1_000_000;
const CALLERS = 10_000;
const INTERVAL_MS = 20_000;
const REQUEST_BYTES = 5000;
const SHARED_ADMISSIONS = 5000;

const principals = Array.from({ length: CALLERS }, (_, i) => {
  const hash = (Math.imul(i + 1, 0x9e37_79b1) >>> 0).toString(16).padStart(8, '0');
  return `address/${hash}${hash}`;
});

const addresses = Array.from({ length: CALLERS }, (_, i) => `198.18.${i >> 8}.${i & 255}`);

/** Callers in turns, one each ms: all of them come twice in their interval, and every other request is refused. */
const principalOf = (i: number): string => principals[i % CALLERS]!;

/** Median time of a call, µs. */
function medianUs(count: number, call: (i: number) => unknown): number {
  const times = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    const start = performance.now();
    call(i);
    times[i] = performance.now() - start;
  }
  return 1000 * times.sort()[count >> 1]!;
}

/** The ordinary way: an object per caller in a Map. */
class PlainLimiter {
  readonly #callers = new Map<string, { trialMs: number; lastMs: number; day: number; bytes: number }>();

  admit(principal: string, nowMs: number): number {
    let caller = this.#callers.get(principal);
    if (caller === undefined) {
      caller = { trialMs: nowMs, lastMs: 0, day: 0, bytes: 0 };
      this.#callers.set(principal, caller);
    }
    const waitMs = Math.max(0, caller.lastMs + 0.9 * INTERVAL_MS - nowMs);
    if (waitMs > 0) return waitMs;
    caller.lastMs = nowMs;
    const day = Math.floor(nowMs / 86_400_000);
    if (caller.day !== day) Object.assign(caller, { day, bytes: 0 });
    caller.bytes += REQUEST_BYTES;
    return 0;
  }
}

export const accessBench: Bench = {
  name: 'access',
  summary: `what a request's caller and limits cost in process, median of ${ADMISSIONS}`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
    const beginMs = Date.now();
    let nowMs = beginMs;
    const store = new EmbeddedLimitStore({ folder, nowMs: () => beginMs });
    const access = (profile: AccessProfile): Access => {
      const rules = { profile, unlimited: [], trustedProxies: [], pages: 'people' as const };
      const secrets = { secret: testSecret, ids: testIds };
      return new Access({ rules, ...secrets, feeders: new FeederTable(), store, baseUrl: '', nowMs: () => nowMs });
    };
    const [tiers, open] = [access('tiers'), access('open')];
    const headers = { host: 'planes.example' };
    const callers = addresses.map((address) => tiers.identify(address, headers) as Caller);
    const admit = (i: number): void => {
      // A caller comes again after 20 s, and is accepted.
      nowMs = beginMs + 2 * i;
      const caller = callers[i % CALLERS]!;
      tiers.admit(caller, 'turn');
      tiers.spend(caller, REQUEST_BYTES);
    };
    const refuse = (i: number): void => {
      try {
        tiers.admit(callers[i % CALLERS]!, 'turn');
      } catch {
        // It asks too often.
      }
    };
    const anonymous = open.identify(addresses[0]!, headers) as Caller;
    const admitAnonymous = (): void => {
      open.admit(anonymous, 'turn');
      open.spend(anonymous, REQUEST_BYTES);
    };
    const plain = new PlainLimiter();
    const reference = medianUs(ADMISSIONS, (i) => plain.admit(principalOf(i), beginMs + i));
    const input = `${CALLERS} addresses in turns; embedded; median by the clock, which takes some 0.1 µs of it; reference: an object per caller in a Map, nothing saved`;
    const figures = [
      costFigure('access-admit', 'µs', medianUs(ADMISSIONS, admit), reference, `admit and spend, accepted: ${input}`),
      costFigure(
        'access-refuse',
        'µs',
        medianUs(ADMISSIONS, refuse),
        reference,
        `a caller that asks too often, with the error that it is told: ${input}`,
      ),
      costFigure('access-admit-open', 'µs', medianUs(ADMISSIONS, admitAnonymous), reference, `the same with --access open: ${input}`),
      costFigure(
        'access-identify',
        'µs',
        medianUs(ADMISSIONS, (i) => tiers.identify(addresses[i % CALLERS]!, headers)),
        reference,
        `caller, tier and trial of a request, with the keyed hash of its address: ${input}`,
      ),
    ];
    await store.close();
    rmSync(folder, { recursive: true });
    return figures;
  },
};

export const accessRedisBench: Bench = {
  name: 'access-redis',
  summary: 'the limits of an accepted request in a real Redis on this machine: its round trips',
  async run() {
    const redis = await startRedis();
    const client = new Redis(redis.url);
    const store = new RedisLimitStore({ client, nowMs: Date.now });
    while (store.problem() !== null) await new Promise((resolve) => setTimeout(resolve, 10));
    const ours: number[] = [];
    const plain: number[] = [];
    for (let i = 0; i < SHARED_ADMISSIONS; i += 1) {
      const nowMs = Date.now();
      const start = performance.now();
      await store.visit(principalOf(i), nowMs);
      await store.takeTurn(principalOf(i), INTERVAL_MS, nowMs);
      const between = performance.now();
      await client.set(`plain:${principalOf(i)}`, '1', 'PX', INTERVAL_MS, 'NX');
      ours.push(between - start);
      plain.push(performance.now() - between);
    }
    await store.close();
    client.disconnect();
    await redis.stop();
    const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1]!;
    const input = `visit and take of new addresses, one after another: two round trips; median of ${SHARED_ADMISSIONS} by the clock; reference: one SET NX PX through ioredis`;
    return [costFigure('access-redis', 'ms', median(ours), median(plain), input)];
  },
};
