// The LimitStore of the cluster: limits that all processes share through Redis. What is in process decides while Redis does not respond, and is also the
// memory of this process: a caller whose turn has not come costs Redis nothing. Every key has a lifetime and the prefix.
import type { ChainableCommander, Redis } from 'ioredis';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type CallerRow, Callers, dayOf, HeldSockets, KNOWN_UNTIL, SHARED_COLUMNS, turnMs, UNSHARED } from './callers.ts';
import type { LimitStore, LimitStoreStats, Usage, Visit } from './limit-store.ts';
import { LEASE_SCRIPT, VISIT_SCRIPT } from './redis-limit-scripts.ts';

export interface RedisLimitStoreOptions {
  /** The store opens a connection of its own with the options of this client. */
  readonly client: Redis;
  /** The clock of the processes, for leases and for dropping unseen callers. */
  readonly nowMs: () => number;
  readonly prefix?: string;
  readonly addressesMax?: number;
  readonly responseMsMax?: number;
  readonly leaseMs?: number;
}

/** A day's bytes are kept until additions end. */
const BYTES_KEPT_MS = 2 * 86_400_000;
const PROBE_KEPT_MS = 60_000;
/** A lease is renewed this often. */
const RENEWALS_PER_LEASE = 3;

export class RedisLimitStore implements LimitStore {
  readonly #redis: Redis;
  readonly #nowMs: () => number;
  readonly #prefix: string;
  readonly #addressesMax: number;
  readonly #responseMsMax: number;
  readonly #leaseMs: number;
  readonly #callers: Callers;
  readonly #sockets = new HeldSockets();
  readonly #timers: readonly NodeJS.Timeout[];
  /** Principals to forget in Redis. */
  readonly #forgotten = new Set<string>();
  #alone: string | null = 'not connected yet';
  #isProbing = false;
  #sharing: Promise<void> | null = null;
  #commands = 0;
  #timeouts = 0;

  constructor(options: RedisLimitStoreOptions) {
    this.#nowMs = options.nowMs;
    this.#prefix = options.prefix ?? 'squitter-limits';
    this.#addressesMax = options.addressesMax ?? limits.addressesKnownMax;
    this.#responseMsMax = options.responseMsMax ?? limits.sharedLimitsMsMax;
    this.#leaseMs = options.leaseMs ?? limits.socketLeaseMs;
    this.#callers = new Callers({ addressesMax: this.#addressesMax, columns: SHARED_COLUMNS });
    // Commands are neither queued while there is no connection nor sent again over the next one: the process has decided by itself.
    const atOnce = { enableOfflineQueue: false, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false };
    this.#redis = options.client.duplicate({ ...atOnce, lazyConnect: false });
    this.#redis.on('error', ({ message }: Error) => {
      this.#alone = message;
    });
    this.#redis.on('close', () => this.#goAlone('the connection is closed'));
    this.#redis.on('ready', () => this.#probe());
    this.#timers = [
      setInterval(() => this.#tick(), limits.callersSaveMs).unref(),
      setInterval(() => void this.#renew(), this.#leaseMs / RENEWALS_PER_LEASE).unref(),
    ];
  }

  visit(principal: string, nowMs: number): Visit | Promise<Visit> {
    const at = this.#callers.rowOf(principal, nowMs);
    const visit = this.#callers.visit(at, nowMs);
    const isKnown = this.#alone !== null || this.#callers.sharesRow(at) || nowMs < this.#callers.get(at, KNOWN_UNTIL);
    return isKnown ? visit : this.#visitShared(principal, visit, nowMs);
  }

  async #visitShared(principal: string, visit: Visit, nowMs: number): Promise<Visit> {
    const [kind, member] = principal.split('/') as [string, string];
    const day = dayOf(nowMs);
    const name = this.#callers.nameOf(this.#callers.rowOf(principal, nowMs));
    const most = kind === 'feeder' ? limits.feedersKnownMax : this.#addressesMax;
    const keys = [this.#key('seen', kind), this.#key('trials', kind), this.#key('bytes', day, name)];
    // A trial that began while Redis was away, or that Redis has lost, continues.
    const values = [member, nowMs, limits.trialAgainMs, most, visit.trialMs ?? nowMs];
    const reply = await this.#reply(1, this.#redis.eval(VISIT_SCRIPT, keys.length, ...keys, ...values));
    if (reply === undefined) return visit;
    const [trialMs, bytes] = (reply as [string | null, string | null]).map((value) => (value === null ? null : Number(value)));
    // Looked up again: the caller may have been forgotten meanwhile, and its row be another's.
    const at = this.#callers.rowOf(principal, nowMs);
    this.#callers.setTrial(at, trialMs ?? null);
    this.#learnBytes(at, day, bytes ?? 0);
    this.#rememberUntil(at, nowMs + limits.sharedLimitsKnownMs);
    return this.#callers.visit(at, nowMs);
  }

  takeTurn(principal: string, intervalMs: number, nowMs: number): number | Promise<number> {
    const at = this.#callers.rowOf(principal, nowMs);
    const waitMs = this.#callers.waitMs(at, intervalMs, nowMs);
    if (waitMs > 0) return waitMs;
    return this.#alone === null ? this.#takeShared(principal, intervalMs, nowMs) : this.#callers.takeTurn(at, intervalMs, nowMs);
  }

  async #takeShared(principal: string, intervalMs: number, nowMs: number): Promise<number> {
    const key = this.#turnKey(this.#callers.rowOf(principal, nowMs), intervalMs);
    const lastsMs = turnMs(intervalMs);
    const sentMs = performance.now();
    const replies = this.#replies(this.#redis.pipeline().set(key, '1', 'PX', lastsMs, 'NX').pttl(key));
    const reply = await this.#reply(2, replies, ([set]) => {
      // Redis was frozen and took the turn late: it lasts as if it had been in time.
      if (set !== null) this.#send(1, this.#redis.pexpire(key, Math.round(lastsMs - (performance.now() - sentMs))));
    });
    const at = this.#callers.rowOf(principal, nowMs);
    if (reply === undefined) return this.#callers.takeTurn(at, intervalMs, nowMs);
    // The key may have lapsed between the two commands.
    const waitMs = reply[0] === null ? Math.max(1, Number(reply[1])) : 0;
    const untilMs = nowMs + (waitMs === 0 ? lastsMs : waitMs);
    // A turn that this process took meanwhile is known better: it may be given back.
    if (this.#callers.waitMs(at, intervalMs, nowMs) === 0) this.#callers.setTurn(at, untilMs - lastsMs);
    this.#rememberUntil(at, untilMs);
    return waitMs;
  }

  giveBack(principal: string, intervalMs: number, takenMs: number, nowMs: number): void {
    const at = this.#callers.rowOf(principal, nowMs);
    if (!this.#callers.giveBack(at, intervalMs, takenMs, nowMs)) return;
    this.#callers.set(at, KNOWN_UNTIL, nowMs);
    if (this.#alone === null) this.#send(1, this.#redis.del(this.#turnKey(at, intervalMs)));
  }

  spend(principal: string, bytes: number, nowMs: number): number {
    const at = this.#callers.rowOf(principal, nowMs);
    const unshared = this.#unsharedOf(at, dayOf(nowMs)) + bytes;
    const total = this.#callers.spend(at, bytes, nowMs);
    this.#callers.set(at, UNSHARED, unshared);
    return total;
  }

  lease(principal: string, id: string, socketsMax: number, nowMs: number): boolean | Promise<boolean> {
    if (this.#alone !== null) return this.#sockets.add(principal, id, socketsMax);
    return this.#leaseShared(principal, id, socketsMax, nowMs);
  }

  async #leaseShared(principal: string, id: string, socketsMax: number, nowMs: number): Promise<boolean> {
    const key = this.#key('sockets', principal);
    const reply = await this.#reply(1, this.#redis.eval(LEASE_SCRIPT, 1, key, id, nowMs, this.#leaseMs, socketsMax));
    if (reply === undefined) return this.#sockets.add(principal, id, socketsMax);
    return reply === 1 && this.#sockets.add(principal, id, Number.POSITIVE_INFINITY);
  }

  release(principal: string, id: string): void {
    this.#sockets.delete(principal, id);
    if (this.#alone === null) this.#send(1, this.#redis.zrem(this.#key('sockets', principal), id));
  }

  usage(principal: string, intervalMs: number, nowMs: number): Usage | Promise<Usage> {
    const at = this.#callers.rowOf(principal, nowMs);
    const own = this.#callers.usage(at, intervalMs, this.#sockets.count(principal), nowMs);
    return this.#alone === null ? this.#usageShared(principal, intervalMs, own, nowMs) : own;
  }

  async #usageShared(principal: string, intervalMs: number, own: Usage, nowMs: number): Promise<Usage> {
    const turn = this.#turnKey(this.#callers.rowOf(principal, nowMs), intervalMs);
    const pipeline = this.#redis.pipeline().pttl(turn).zcount(this.#key('sockets', principal), nowMs, '+inf');
    const reply = await this.#reply(2, this.#replies(pipeline));
    if (reply === undefined) return own;
    return { ...own, waitMs: Math.max(own.waitMs, Number(reply[0])), sockets: Number(reply[1]) };
  }

  async forget(principal: string): Promise<void> {
    const at = this.#callers.rowOf(principal, this.#nowMs());
    if (!this.#callers.sharesRow(at)) this.#callers.drop(at);
    this.#forgotten.add(principal);
    if (this.#alone === null) await this.#forgetShared();
  }

  problem(): string | null {
    return this.#alone === null ? null : `limits hold for this process alone, because Redis does not respond: ${this.#alone}`;
  }

  stats(): LimitStoreStats {
    return { ...this.#callers.stats(), isShared: this.#alone === null, commands: this.#commands, timeouts: this.#timeouts };
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#alone === null) {
      for (const [principal, id] of this.#sockets) this.release(principal, id);
      await settledWithin(this.#share(), this.#responseMsMax);
    }
    this.#redis.disconnect();
  }

  #tick(): void {
    this.#callers.dropUnseen(this.#nowMs(), limits.callersLookedAtMax);
    if (this.#alone === null) void this.#share();
    else this.#probe();
  }

  #goAlone(why: string): void {
    this.#alone ??= why;
  }

  /** Writes, because a Redis without memory, or a replica, responds to a ping. While it is frozen, one probe waits for it. */
  #probe(): void {
    if (this.#isProbing || this.#redis.status !== 'ready') return;
    this.#isProbing = true;
    this.#commands += 1;
    const back = (): void => {
      this.#alone = null;
      void this.#renew();
      void this.#share();
    };
    const probed = this.#redis.set(this.#key('probe'), '1', 'PX', PROBE_KEPT_MS).then(back, () => {});
    void probed.finally(() => {
      this.#isProbing = false;
    });
  }

  /** Adds the bytes that others do not know of yet, and forgets. After a running one. */
  async #share(): Promise<void> {
    while (this.#sharing !== null) await this.#sharing;
    this.#sharing = this.#shareChanged().finally(() => {
      this.#sharing = null;
    });
    await this.#sharing;
  }

  async #shareChanged(): Promise<void> {
    await this.#forgetShared();
    const day = dayOf(this.#nowMs());
    let rows: CallerRow[] = [];
    for (const at of this.#callers.takeChanged()) {
      if (this.#unsharedOf(at, day) === 0) continue;
      rows.push(at);
      if (rows.length < limits.callersSavedTogetherMax) continue;
      await this.#shareRows(rows, day);
      if (this.#alone !== null) return;
      rows = [];
    }
    if (rows.length > 0) await this.#shareRows(rows, day);
  }

  async #shareRows(rows: readonly CallerRow[], day: number): Promise<void> {
    const pipeline = this.#redis.pipeline();
    const sent = rows.map((at) => ({ at, name: this.#callers.nameOf(at), bytes: this.#unsharedOf(at, day) }));
    for (const { at, name, bytes } of sent) {
      const key = this.#key('bytes', day, name);
      pipeline.set(key, 0, 'PX', BYTES_KEPT_MS, 'NX').incrby(key, bytes);
      this.#callers.set(at, UNSHARED, 0);
    }
    const replies = this.#replies(pipeline);
    // Without a time limit for itself: what is sent must not be sent again while Redis may still do it.
    void this.#reply(2 * rows.length, replies);
    const totals = await replies.catch(() => null);
    for (const [i, { at, name, bytes }] of sent.entries()) {
      // The row may be another caller's by now, or of another day.
      if (this.#callers.nameOf(at) !== name || this.#callers.dayOf(at) !== day) continue;
      if (totals === null) this.#callers.set(at, UNSHARED, this.#unsharedOf(at, day) + bytes);
      else this.#learnBytes(at, day, Number(totals[2 * i + 1]));
    }
  }

  async #forgetShared(): Promise<void> {
    for (const principal of this.#forgotten) {
      const [kind, member] = principal.split('/') as [string, string];
      const pipeline = this.#redis.pipeline().zrem(this.#key('seen', kind), member).hdel(this.#key('trials', kind), member);
      const reply = await this.#reply(3, this.#replies(pipeline.del(this.#key('bytes', dayOf(this.#nowMs()), principal))));
      if (reply === undefined) return;
      this.#forgotten.delete(principal);
    }
  }

  /** Renews the leases of this process. */
  async #renew(): Promise<void> {
    const held = [...this.#sockets];
    for (let i = 0; i < held.length && this.#alone === null; i += limits.callersSavedTogetherMax) {
      const pipeline = this.#redis.pipeline();
      const untilMs = this.#nowMs() + this.#leaseMs;
      for (const [principal, id] of held.slice(i, i + limits.callersSavedTogetherMax)) {
        const key = this.#key('sockets', principal);
        if (this.#sockets.has(principal, id)) pipeline.zadd(key, untilMs, id).pexpire(key, this.#leaseMs);
      }
      await this.#reply(pipeline.length, this.#replies(pipeline));
    }
  }

  /** The reply; undefined if there is none in time, or an error: then this process is alone, and `late` gets a reply that comes yet. */
  #reply<T>(commands: number, reply: Promise<T>, late: (reply: T) => void = () => {}): Promise<T | undefined> {
    this.#commands += commands;
    return new Promise((resolve) => {
      let isOver = false;
      const end = (value: T | undefined): void => {
        isOver = true;
        clearTimeout(timer);
        resolve(value);
      };
      const giveUp = (why: string): void => {
        if (isOver) return;
        this.#goAlone(why);
        end(undefined);
      };
      // After a stall of this process the reply may be waiting in the socket: sockets are read before `setImmediate`.
      const timer = setTimeout(
        () =>
          setImmediate(() => {
            if (!isOver) this.#timeouts += 1;
            giveUp(`no reply within ${this.#responseMsMax} ms`);
          }),
        this.#responseMsMax,
      );
      reply.then(
        (value) => (isOver ? late(value) : end(value)),
        (error: Error) => giveUp(error.message),
      );
    });
  }

  /** Sends a command without waiting for its result. If it is lost, its key ends by itself. */
  #send(commands: number, sent: Promise<unknown>): void {
    this.#commands += commands;
    sent.catch(() => undefined);
  }

  /** Replies of a pipeline; rejects with the first error. */
  async #replies(pipeline: ChainableCommander): Promise<unknown[]> {
    const results = (await pipeline.exec()) ?? [];
    return results.map(([error, reply]) => {
      if (error !== null) throw error;
      return reply;
    });
  }

  #unsharedOf(at: CallerRow, day: number): number {
    return this.#callers.dayOf(at) === day ? this.#callers.get(at, UNSHARED) : 0;
  }

  /** `shared`: what Redis had. Bytes that are on the way to it may be missing there: within a day a sum only grows. */
  #learnBytes(at: CallerRow, day: number, shared: number): void {
    const unshared = this.#unsharedOf(at, day);
    this.#callers.setBytes(at, Math.max(this.#callers.bytesOn(day, at), shared + unshared), day);
    this.#callers.set(at, UNSHARED, unshared);
  }

  #rememberUntil(at: CallerRow, untilMs: number): void {
    this.#callers.set(at, KNOWN_UNTIL, Math.max(this.#callers.get(at, KNOWN_UNTIL), untilMs));
  }

  #turnKey(at: CallerRow, intervalMs: number): string {
    return this.#key('turn', intervalMs, this.#callers.nameOf(at));
  }

  #key(...parts: (string | number)[]): string {
    return [this.#prefix, ...parts].join(':');
  }
}
