// The contract of the LimitStore port. Every adapter runs it, and names what it cannot do. Time comes from a clock that the test sets.
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { LimitStore } from '../../query-api/access/limit-store.ts';
import { limits } from '../../schemas/limits/index.ts';

export interface LimitStoreAdapter {
  readonly name: string;
  /** A store on the state of `root`, which is new for every test. It is ready. */
  open(root: string, nowMs: () => number, addressesMax?: number): Promise<LimitStore>;
  /** Lets time pass for what is stored in `root` and has a clock of its own. */
  elapse(root: string, ms: number): Promise<void>;
  /** Runs of the property test, and the steps of its clock: real time passes between the steps too. */
  readonly propertyRuns: number;
  readonly stepMs: number;
  /** Null: stores of several processes share limits. Otherwise why they do not. */
  readonly alone: string | null;
}

const DAY_MS = 86_400_000;
const NOON_MS = Date.parse('2026-03-02T12:00:00Z');
const FAST_MS = 20_000;
const SLOW_MS = 300_000;

export const feeder = (number: number): string => `feeder/${number.toString(16).padStart(16, '0')}`;
export const address = (number: number): string => `address/${(0x9e37_79b9 * (number + 1)).toString(16).padStart(16, '0').slice(-16)}`;

interface Request {
  readonly kind: 'visit' | 'take' | 'giveBack' | 'spend';
  readonly caller: string;
  readonly bytes: number;
}

/** Callers keep their intervals here: another one may have a turn of its own. */
const intervalOf = (caller: string): number => (caller === feeder(1) || caller === address(1) ? FAST_MS : SLOW_MS);

const anyStep = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom('visit' as const, 'take' as const, 'giveBack' as const, 'spend' as const),
      caller: fc.constantFrom(feeder(1), feeder(2), address(1), address(2)),
      bytes: fc.nat(1_000_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('elapse' as const), steps: fc.nat(50), days: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('elapse' as const), steps: fc.nat(1), days: fc.constantFrom(1, 30, 89, 90) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** The results of a request. Each request is a visit first; a turn is given back as if it were the last. */
async function performed(store: LimitStore, { kind, caller, bytes }: Request, nowMs: number): Promise<unknown[]> {
  const intervalMs = intervalOf(caller);
  const visit = await store.visit(caller, nowMs);
  if (kind === 'take') return [visit, (await store.takeTurn(caller, intervalMs, nowMs)) === 0];
  if (kind === 'spend') return [visit, store.spend(caller, bytes, nowMs)];
  if (kind === 'giveBack' && (await store.takeTurn(caller, intervalMs, nowMs)) === 0) store.giveBack(caller, intervalMs, nowMs, nowMs);
  return [visit];
}

/** The rules, written down once more. */
class PlainLimits {
  readonly #callers = new Map<string, { trialMs: number; seenMs: number; turnMs: number; bytes: number; day: string }>();

  performed({ kind, caller, bytes }: Request, nowMs: number): unknown[] {
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const known = this.#callers.get(caller) ?? { trialMs: nowMs, seenMs: nowMs, turnMs: Number.NEGATIVE_INFINITY, bytes: 0, day };
    this.#callers.set(caller, known);
    if (nowMs - known.seenMs >= 90 * DAY_MS) known.trialMs = nowMs;
    if (known.day !== day) Object.assign(known, { day, bytes: 0 });
    known.seenMs = nowMs;
    const visit = { trialMs: known.trialMs, bytes: known.bytes };
    const isDue = nowMs >= known.turnMs + 0.9 * intervalOf(caller);
    if (kind === 'take' && isDue) known.turnMs = nowMs;
    // A turn that is taken and given back leaves none behind.
    if (kind === 'giveBack' && isDue) known.turnMs = Number.NEGATIVE_INFINITY;
    if (kind === 'spend') known.bytes += bytes;
    if (kind === 'take') return [visit, isDue];
    return kind === 'spend' ? [visit, known.bytes] : [visit];
  }
}

let standsMade = 0;

export function limitStoreContract(adapter: LimitStoreAdapter): void {
  const { alone } = adapter;

  describe(`LimitStore: ${adapter.name}`, () => {
    const open: LimitStore[] = [];
    afterEach(async () => {
      await Promise.all(open.splice(0).map((store) => store.close()));
    });

    async function stand(addressesMax?: number) {
      standsMade += 1;
      const root = `limits-${process.pid}-${standsMade}`;
      const clock = { ms: NOON_MS };
      const store = async (): Promise<LimitStore> => {
        const made = await adapter.open(root, () => clock.ms, addressesMax);
        open.push(made);
        return made;
      };
      const elapse = async (ms: number): Promise<void> => {
        clock.ms += ms;
        await adapter.elapse(root, ms);
      };
      /** Closes the store and opens another one on the same state. */
      const restarted = async (closing: LimitStore): Promise<LimitStore> => {
        open.splice(open.indexOf(closing), 1);
        await closing.close();
        return store();
      };
      return { clock, elapse, store, restarted, first: await store() };
    }

    it('counts from the last turn when the interval changes; gives a turn back, unless it is not the last one any more', async () => {
      const { clock, elapse, first } = await stand();
      const takenMs = clock.ms;
      const takes = await Promise.all([first.takeTurn(feeder(1), FAST_MS, takenMs), first.takeTurn(feeder(1), FAST_MS, takenMs)]);
      expect(takes.map((waitMs) => waitMs === 0)).toEqual([true, false]);
      first.giveBack(feeder(1), FAST_MS, takenMs, clock.ms);
      expect(await first.takeTurn(feeder(1), FAST_MS, clock.ms)).toBe(0);
      await elapse(FAST_MS);
      expect(await first.takeTurn(feeder(1), SLOW_MS, clock.ms)).toBeGreaterThan(SLOW_MS / 2);
      first.giveBack(feeder(1), FAST_MS, takenMs, clock.ms);
      expect(await first.takeTurn(feeder(1), FAST_MS, clock.ms)).toBe(0);
      first.giveBack(feeder(1), FAST_MS, takenMs, clock.ms);
      expect(await first.takeTurn(feeder(1), FAST_MS, clock.ms)).toBeGreaterThan(0);
    });

    it('leases as many sockets as a caller may have, and says what it has used, which takes nothing', async () => {
      const { clock, elapse, first } = await stand();
      const unused = { waitMs: 0, bytes: 0, sockets: 0 };
      for (let i = 0; i < 3; i += 1) expect(await first.usage(feeder(1), FAST_MS, clock.ms)).toEqual(unused);
      const lease = (id: string, caller = feeder(1)) => first.lease(caller, id, 3, clock.ms);
      expect(await Promise.all(['a', 'b', 'c', 'd'].map((id) => lease(id)))).toEqual([true, true, true, false]);
      expect([await lease('a'), await lease('e', feeder(2))]).toEqual([true, true]);
      first.release(feeder(1), 'b');
      expect([await lease('d'), await lease('b')]).toEqual([true, false]);
      expect(await first.takeTurn(feeder(1), FAST_MS, clock.ms)).toBe(0);
      first.spend(feeder(1), 100, clock.ms);
      const { waitMs, ...used } = await first.usage(feeder(1), FAST_MS, clock.ms);
      expect(waitMs).toBeGreaterThan(0.85 * FAST_MS);
      expect(waitMs).toBeLessThanOrEqual(0.9 * FAST_MS);
      expect(used).toEqual({ bytes: 100, sockets: 3 });
      first.release(feeder(1), 'a');
      await elapse(0.9 * FAST_MS);
      expect(await first.usage(feeder(1), FAST_MS, clock.ms)).toEqual({ waitMs: 0, bytes: 100, sockets: 2 });
      expect(await first.usage(feeder(2), FAST_MS, clock.ms)).toEqual({ ...unused, sockets: 1 });
    });

    it('counts bytes and sockets of the pages of an address by themselves', async () => {
      const { clock, first, restarted } = await stand();
      const page = address(1).replace('address', 'page');
      expect([first.spend(address(1), 5, clock.ms), first.spend(page, 100, clock.ms)]).toEqual([5, 100]);
      expect(await first.lease(page, 'a', 1, clock.ms)).toBe(true);
      expect(await first.lease(page, 'b', 1, clock.ms)).toBe(false);
      expect(await first.lease(address(1), 'b', 1, clock.ms)).toBe(true);
      const second = await restarted(first);
      await second.visit(page, clock.ms);
      expect([second.spend(page, 1, clock.ms), second.stats().feeders]).toEqual([101, 0]);
    });

    it('gives no trial to addresses beyond the bound, limits them all the same, and displaces no other caller', async () => {
      const { clock, elapse, first, restarted } = await stand(3);
      const known = [address(1), address(2), address(3), feeder(1)];
      for (const caller of known) {
        expect((await first.visit(caller, clock.ms)).trialMs).toBe(NOON_MS);
        expect(await first.takeTurn(caller, SLOW_MS, clock.ms)).toBe(0);
      }
      for (let i = 10; i < 200; i += 1) {
        expect((await first.visit(address(i), clock.ms)).trialMs).toBeNull();
        expect(await first.takeTurn(address(i), SLOW_MS, clock.ms)).toBe(0);
        expect(await first.takeTurn(address(i), SLOW_MS, clock.ms)).toBeGreaterThan(0);
      }
      expect(first.spend(address(10), 5, clock.ms)).toBe(5);
      expect(first.spend(address(10), 5, clock.ms)).toBe(10);
      // A feeder is no address.
      expect((await first.visit(feeder(2), clock.ms)).trialMs).toBe(NOON_MS);
      await elapse(1000);
      const second = await restarted(first);
      for (const caller of known) {
        expect((await second.visit(caller, clock.ms)).trialMs).toBe(NOON_MS);
        expect(await second.takeTurn(caller, SLOW_MS, clock.ms)).toBeGreaterThan(0);
      }
      expect((await second.visit(address(10), clock.ms)).trialMs).toBeNull();
      expect(await second.takeTurn(address(10), SLOW_MS, clock.ms)).toBeGreaterThan(0);
      expect(second.stats()).toMatchObject({ addresses: 3 });
      // Unseen callers make room.
      await elapse(limits.trialAgainMs);
      for (const caller of [address(10), address(11), address(12)]) expect((await second.visit(caller, clock.ms)).trialMs).toBe(clock.ms);
      expect((await second.visit(address(13), clock.ms)).trialMs).toBeNull();
    });

    it('forgets a caller, and refuses what is no principal', async () => {
      const { clock, elapse, first, restarted } = await stand();
      for (const wrong of ['192.0.2.1', 'feeder/12', 'feeder/000000000000000G', 'address/00000000000000AA', 'feeder/000000000000000:'])
        expect(() => first.visit(wrong, clock.ms)).toThrow('not a principal');
      for (const caller of [feeder(1), feeder(2)]) await first.visit(caller, clock.ms);
      first.spend(feeder(1), 100, clock.ms);
      await elapse(1000);
      await first.forget(feeder(1));
      const second = await restarted(first);
      expect(await second.visit(feeder(1), clock.ms)).toEqual({ trialMs: clock.ms, bytes: 0 });
      expect((await second.visit(feeder(2), clock.ms)).trialMs).toBe(NOON_MS);
    });

    it('is what a plain model is, for any order of requests, restarts and times', { timeout: 240_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 60 }), async (steps) => {
          const { clock, elapse, first, restarted } = await stand();
          let store = first;
          const model = new PlainLimits();
          for (const step of steps) {
            if (step.kind === 'elapse') await elapse(step.steps * adapter.stepMs + step.days * DAY_MS);
            else if (step.kind === 'restart') store = await restarted(store);
            else expect(await performed(store, step, clock.ms)).toEqual(model.performed(step, clock.ms));
          }
          open.splice(open.indexOf(store), 1);
          await store.close();
        }),
        { numRuns: adapter.propertyRuns },
      );
    });

    if (alone !== null) return;

    it('gives one turn, one trial and one sum of bytes in several processes', async () => {
      const { clock, elapse, first, store } = await stand();
      const stores = [first, await store(), await store()];
      const beginMs = clock.ms;
      for (let round = 0; round < 3; round += 1) {
        const takes = Array.from({ length: 64 }, (_, i) => stores[i % 3]!.takeTurn(feeder(1), FAST_MS, clock.ms));
        expect((await Promise.all(takes)).filter((waitMs) => waitMs === 0).length).toBe(1);
        for (const one of stores) expect((await one.visit(feeder(1), clock.ms)).trialMs).toBe(beginMs);
        await elapse(FAST_MS);
      }
      for (const one of stores) one.spend(feeder(1), 100, clock.ms);
      const sums = async (): Promise<number[]> => {
        clock.ms += 2 * limits.sharedLimitsKnownMs;
        return Promise.all(stores.map(async (one) => (await one.visit(feeder(1), clock.ms)).bytes));
      };
      await expect.poll(sums, { timeout: 240_000 }).toEqual([300, 300, 300]);
      const leases = stores.map((one, i) => one.lease(feeder(1), `socket ${i}`, 2, clock.ms));
      expect((await Promise.all(leases)).filter((isLeased) => isLeased).length).toBe(2);
      expect(await first.takeTurn(feeder(1), FAST_MS, clock.ms)).toBe(0);
      for (const one of stores) {
        const { waitMs, bytes, sockets } = await one.usage(feeder(1), FAST_MS, clock.ms);
        expect([waitMs > 0.85 * FAST_MS, bytes, sockets]).toEqual([true, 300, 2]);
      }
    });
  });
}
