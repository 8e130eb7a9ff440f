// Tiers over time against a plain model: random feeds, clocks, claims, bans, requests and restarts of two processes over one log of feeder records.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import { FeederRows } from '../../pipeline/fold/feeder-rows.ts';
import { Access } from '../../query-api/access/access.ts';
import type { Caller } from '../../query-api/access/caller.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { keyOf } from '../../query-api/access/key.ts';
import { type FeederRecord, feederKey, feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { testIds, testSecret } from '../support/secret.ts';
import { temporaryFolder } from '../support/service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 5, 12);
const FEEDER = testIds.ofUuid('01234567-89ab-cdef-0123-456789abcdef');
const ADDRESSES = ['198.51.100.7', '192.0.2.1'] as const;
const HOME = testIds.addressHash(ADDRESSES[0])!;
const INTERVAL_MS = { trial: 20_000, free: 300_000, contributor: 20_000 };

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('feed' as const), frames: fc.constantFrom(0, 1, 9, 40, 99, 100, 500) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1000, 17_999, 18_000, 20_000, 270_000, MINUTE_MS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(DAY_MS - MINUTE_MS, DAY_MS, 3 * DAY_MS, 90 * DAY_MS) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      process: fc.nat(1),
      address: fc.constantFrom(...ADDRESSES),
      generation: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('rotate' as const, 'rotate' as const, 'revoke' as const, 'ban' as const, 'unban' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Ask = Extract<Step, { kind: 'ask' }>;

/** The rules, written down once more. */
class Model {
  nowMs = START_MS;
  private feeds: { minute: number; frames: number }[] = [];
  private contributorUntilMs = 0;
  private connectedMs = Number.NEGATIVE_INFINITY;
  private generation = 0;
  private rotatedMs = Number.NEGATIVE_INFINITY;
  private revokedBelow = 0;
  private isBanned = false;
  private readonly seen = new Map<string, { trialMs: number; seenMs: number; turnMs: number }>();

  /** A minute with so many clean frames at its start. */
  feed(frames: number): void {
    const minute = Math.floor(this.nowMs / MINUTE_MS);
    this.feeds.push({ minute, frames });
    this.connectedMs = this.nowMs;
    const recent = this.feeds.filter((feed) => feed.minute > minute - 10).reduce((sum, feed) => sum + feed.frames, 0);
    const tickMs = (minute + 1) * MINUTE_MS;
    if (frames > 0 && (recent >= 100 || this.contributorUntilMs > tickMs)) this.contributorUntilMs = minute * MINUTE_MS + DAY_MS;
    this.nowMs = tickMs;
  }

  rotate(): void {
    this.generation += 1;
    this.rotatedMs = this.nowMs;
  }

  revoke(): void {
    if (this.generation === 0) return;
    this.generation += 1;
    this.revokedBelow = this.generation;
    this.rotatedMs = Number.NEGATIVE_INFINITY;
  }

  ban(isBanned: boolean): void {
    this.isBanned = isBanned;
  }

  /** The tier and whether it was its turn, or the code of the error. */
  ask({ address, generation }: Ask): string {
    const isHome = address === ADDRESSES[0];
    const isConnected = this.nowMs < this.connectedMs + DAY_MS;
    if (generation !== null) {
      if (generation > this.generation) return 'access.wrong_key';
      if (this.isBanned) return 'access.banned';
      if (generation < this.revokedBelow) return 'access.revoked_key';
      const isPrevious = generation === this.generation - 1 && this.nowMs < this.rotatedMs + 7 * DAY_MS;
      if (generation !== this.generation && !isPrevious) return 'access.old_key';
    } else if (isHome && this.isBanned) return 'access.banned';
    const isFeeder = generation !== null || (isHome && isConnected);
    const caller = isFeeder ? 'feeder' : address;
    const known = this.seen.get(caller) ?? { trialMs: this.nowMs, seenMs: this.nowMs, turnMs: Number.NEGATIVE_INFINITY };
    this.seen.set(caller, known);
    if (this.nowMs - known.seenMs >= 90 * DAY_MS) known.trialMs = this.nowMs;
    known.seenMs = this.nowMs;
    const isTrial = this.nowMs < known.trialMs + 3 * DAY_MS;
    const isContributor = isFeeder && this.nowMs < this.contributorUntilMs;
    const tier = isContributor ? 'contributor' : isTrial ? 'trial' : 'free';
    const isDue = this.nowMs >= known.turnMs + 0.9 * INTERVAL_MS[tier];
    if (isDue) known.turnMs = this.nowMs;
    return `${tier} ${isDue}`;
  }
}

/** Two processes with the access layer, and what writes the records: an ingest, a partition of the fold, an owner and an operator. */
class Installation {
  private nowMs = START_MS;
  private readonly folder = temporaryFolder();
  private store = this.openStore();
  /** Compacted. */
  private readonly topic = new Map<string, FeederRecord>();
  private processes = [this.start(), this.start()];
  private readonly rows = new FeederRows();
  private frames = 0;
  private cleanMs = 0;
  private lastTickMs = START_MS;
  private generation = 0;

  constructor() {
    this.rows.add(1, FEEDER);
  }

  wait(ms: number): void {
    this.nowMs += ms;
  }

  feed(frames: number): void {
    const minuteMs = this.nowMs - (this.nowMs % MINUTE_MS);
    const status = {
      timeMs: this.nowMs,
      connectedMs: 0,
      state: 'connected' as const,
      format: 'beast',
      frames: 1,
      bytes: 1,
      garbageBytes: 0,
    };
    this.write(feederKey('status', FEEDER), { status: { ...status, addressHash: HOME } });
    // The minutes before end without frames.
    this.tick(minuteMs);
    this.frames += frames;
    if (frames > 0) this.cleanMs = minuteMs;
    this.nowMs = minuteMs + MINUTE_MS;
    this.tick(this.nowMs);
  }

  rotate(): void {
    this.generation += 1;
    this.write(feederKey('keys', FEEDER), {
      keys: { generation: this.generation, previousEndsMs: this.nowMs + 7 * DAY_MS, revokedBelow: this.revokedBelow },
    });
  }

  revoke(): void {
    if (this.generation === 0) return;
    this.generation += 1;
    this.write(feederKey('keys', FEEDER), { keys: { generation: this.generation, previousEndsMs: 0, revokedBelow: this.generation } });
  }

  ban(isBanned: boolean): void {
    const ban = { sinceMs: this.nowMs, reason: 'test', addressHash: HOME };
    this.write(feederKey('ban', FEEDER), isBanned ? { ban } : null);
  }

  async ask({ process, address, generation }: Ask): Promise<string> {
    const { access } = this.processes[process]!;
    const key = generation === null ? {} : { authorization: `Bearer ${keyOf({ feeder: FEEDER, generation }, testSecret)}` };
    let caller: Caller;
    try {
      caller = await access.identify(address, { host: 'planes.example', ...key });
    } catch (error) {
      return (error as SquitterError).code;
    }
    try {
      await access.admit(caller, 'turn');
      return `${caller.tier} true`;
    } catch (error) {
      expect(error).toBeInstanceOf(SquitterError);
      expect((error as SquitterError).code).toBe('access.rate');
      return `${caller.tier} false`;
    }
  }

  /** What it knows comes from the log and from the saved limits. */
  async restart(): Promise<void> {
    await this.store.close();
    this.store = this.openStore();
    this.processes = [this.start(), this.start()];
  }

  async close(): Promise<void> {
    await this.store.close();
    this.folder.remove();
  }

  private get revokedBelow(): number {
    return this.topic.get(feederKey('keys', FEEDER))?.keys?.revokedBelow ?? 0;
  }

  private openStore(): EmbeddedLimitStore {
    return new EmbeddedLimitStore({ folder: this.folder.path, nowMs: () => this.nowMs });
  }

  private start(): { readonly feeders: FeederTable; readonly access: Access } {
    const feeders = new FeederTable();
    for (const [key, value] of this.topic) feeders.take(key, value);
    const rules = { profile: 'tiers' as const, unlimited: [], trustedProxies: [], pages: 'people' as const };
    const secrets = { secret: testSecret, ids: testIds };
    return { feeders, access: new Access({ rules, ...secrets, feeders, store: this.store, baseUrl: '', nowMs: () => this.nowMs }) };
  }

  private tick(tickMs: number): void {
    if (tickMs <= this.lastTickMs) return;
    const none = { positions: 0, corroborated: 0, disagreements: 0, cleanSquares: 0 };
    const now = { ...none, frames: this.frames, clean: this.frames, cleanMs: this.cleanMs };
    const due = this.rows.closeTick(
      this.lastTickMs,
      tickMs,
      () => now,
      () => null,
    );
    this.lastTickMs = tickMs;
    if (due.length === 0) return;
    const counts = { frames: this.frames, messages: 0, duplicates: 0, positions: 0, disagreements: 0, cleanDf17: this.frames };
    const receiver = { partition: 0, timeMs: tickMs, heardMs: this.cleanMs, lateMs: 0, ...counts, ...this.rows.recordOf(1) };
    this.write(receiverKey(FEEDER, 0), { receiver });
  }

  private write(key: string, parts: Partial<FeederRecord> | null): void {
    const record = parts === null ? null : feederRecord(parts);
    if (record === null) this.topic.delete(key);
    else this.topic.set(key, record);
    for (const { feeders } of this.processes ?? []) feeders.take(key, record);
  }
}

it('are those of a plain model', { timeout: 240_000 }, async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const model = new Model();
      const installation = new Installation();
      for (const next of steps) {
        if (next.kind === 'ask') {
          const expected = model.ask(next);
          seen.add(expected);
          expect(await installation.ask(next)).toBe(expected);
        } else if (next.kind === 'restart') await installation.restart();
        else if (next.kind === 'wait') {
          model.nowMs += next.ms;
          installation.wait(next.ms);
        } else if (next.kind === 'feed') {
          model.feed(next.frames);
          installation.feed(next.frames);
        } else if (next.kind === 'ban' || next.kind === 'unban') {
          model.ban(next.kind === 'ban');
          installation.ban(next.kind === 'ban');
        } else {
          model[next.kind]();
          installation[next.kind]();
        }
      }
      await installation.close();
    }),
    { numRuns: 100 },
  );
  // The steps reach every outcome.
  const tiers = Object.keys(INTERVAL_MS).flatMap((tier) => [`${tier} true`, `${tier} false`]);
  expect([...seen].sort()).toEqual([...tiers, 'access.banned', 'access.old_key', 'access.revoked_key', 'access.wrong_key'].sort());
});
