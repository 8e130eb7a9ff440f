// The access layer of all ways in: who calls, whether it is the caller's turn, and what it was sent today.
import { randomBytes } from 'node:crypto';
import type { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import type { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import { isPrivateAddress, plainAddress } from '../../pipeline/runtime/plain-address.ts';
import { after } from '../../pipeline/runtime/waiting.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type LimitedTier, type Pace, paceOf, type Tier, tierLimits } from '../../schemas/tiers.ts';
import { QueryError } from '../queries/errors.ts';
import { Bursts } from './bursts.ts';
import { type Caller, type CallerHeaders, OPERATOR, type Origin, plainCaller } from './caller.ts';
import { type KeyParts, readKey } from './key.ts';
import { LimitError } from './limit-error.ts';
import type { LimitStore } from './limit-store.ts';
import { type AccessRules, Operators } from './operators.ts';
import { isOfPage } from './pages.ts';
import { lightQuotas, msToMidnight, pageQuota, type Quota, rateHeaders, secondsOf, slowPageQuota, tierQuotas } from './quota.ts';
import { type Report, reasonOf, unlimitedReport } from './report.ts';

/** The cost of a request. `turn`: one of its turns. `light`: one a second, ten at once, per caller.
 * `bytes`: what it is sent, and its protocol counts the turns. `none`: nothing, in every tier. */
export type Cost = 'turn' | 'light' | 'bytes' | 'none';

export interface AccessOptions {
  readonly rules: AccessRules;
  readonly secret: InstallationSecret;
  readonly ids: FeederIds;
  readonly feeders: FeederTable;
  readonly store: LimitStore;
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  /** Ms since the Unix epoch. */
  readonly nowMs: () => number;
}

/** An admitted request. */
export interface Admission {
  /** `RateLimit-Policy` and `RateLimit` (IETF draft, version 10) of a counted request; empty for others. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request failed: it costs nothing. */
  giveBack(): void;
}

/** Sockets that a caller opened, until `close`. */
export interface Lease {
  /** The caller that they count for: the second stream of a page counts for its tier. */
  readonly caller: Caller;
  close(): void;
}

const BEARER = /^Bearer +(\S+)$/i;
const FREE: Admission = { headers: {}, giveBack() {} };
const openLease = (caller: Caller): Lease => ({ caller, close() {} });

/** The port of all protocols. A result is a promise only where processes share their limits. */
export interface CallerAccess {
  identify(connection: string, headers: CallerHeaders, url?: string): Caller | Promise<Caller>;
  admit(caller: Caller, cost: Cost): Admission | Promise<Admission>;
  spend(caller: Caller, bytes: number): number | null;
  open(caller: Caller): Lease | Promise<Lease>;
  /** The tier of the caller of an open socket now. Errors: `access.revoked_key`, `access.old_key`, `access.banned`, `access.budget`. */
  check(caller: Caller): Tier;
  /** The class of an open stream, for the tier that `check` found. */
  pace(caller: Caller, tier: Tier): Pace;
  /** The content of `/v2/me`. */
  report(caller: Caller): Report | Promise<Report>;
}

/** Without limits: every caller is anonymous, distinguished by its address. */
export const unlimitedAccess: CallerAccess = {
  identify: (connection) => plainCaller(plainAddress(connection)),
  admit: () => FREE,
  spend: () => null,
  open: openLease,
  check: ({ tier }) => tier,
  pace: ({ isPage }, tier) => (isPage ? 'page' : paceOf(tier)),
  report: unlimitedReport,
};

export class Access implements CallerAccess {
  /** Requests and sockets that were refused, by code of the error and tier. */
  readonly refused = new Map<string, number>();
  readonly operators: Operators;
  private readonly options: AccessOptions;
  private readonly wrongKeys: Bursts;
  private readonly light: Bursts;
  private readonly pageRequests: Bursts;
  private readonly slowPageRequests: Bursts;
  private lastLease = 0;
  private readonly process = randomBytes(6).toString('base64url');

  /** Error: `access.bad_network`. */
  constructor(options: AccessOptions) {
    this.options = options;
    this.operators = new Operators(options.rules, options.nowMs);
    this.wrongKeys = new Bursts(limits.wrongKeysPerMinuteMax, limits.wrongKeysPerMinuteMax / 60);
    this.light = new Bursts(limits.lightRequestsBurst, limits.lightRequestsPerS);
    this.pageRequests = new Bursts(limits.pageRequestsBurst, limits.pageRequestsPerS);
    this.slowPageRequests = new Bursts(1, 1000 / limits.pageSlowMs);
  }

  /**
   * The caller of a request or connection. `connection` is the address of its other end; `url` is the path and query, where pages may ask. Errors:
   * `access.wrong_key`, `access.old_key`, `access.revoked_key`, `access.banned`, `access.many_wrong_keys`.
   */
  identify(connection: string, headers: CallerHeaders, url = ''): Caller | Promise<Caller> {
    const address = this.operators.addressOf(connection, headers);
    const { authorization } = headers;
    const isPage = isOfPage(this.options.rules, this.options.baseUrl, url, headers);
    if (authorization === undefined && this.operators.isOperator(address, headers)) return isPage ? operatorOnPage : operator;
    const addressHash = this.options.ids.ofAddress(address);
    const find = () => this.knownKey(BEARER.exec(String(authorization))?.[1] ?? '');
    const key = authorization === undefined ? null : this.proven(addressHash, 'access.wrong_key', find);
    return this.visitor({ addressHash, isPrivate: isPrivateAddress(address), key }, isPage);
  }

  /** Takes what a request costs. Errors: `access.rate`, `access.budget`. */
  admit(caller: Caller, cost: Cost): Admission | Promise<Admission> {
    if (caller.tier === 'anonymous' || cost === 'none' || cost === 'bytes') return FREE;
    const { principal, tier, isPage } = caller;
    const { store, nowMs } = this.options;
    const timeMs = nowMs();
    if (cost === 'light') {
      const waitMs = this.light.spend(principal, timeMs);
      if (waitMs > 0) throw this.rateRefusal(caller, lightQuotas[tier], waitMs, timeMs);
      return FREE;
    }
    if (isPage) return this.admitPage(caller, timeMs);
    const quota = tierQuotas[tier];
    if (store.spend(principal, 0, timeMs) >= quota.dayBytesMax) throw this.budgetRefusal(caller, tier, timeMs);
    return after(store.takeTurn(principal, quota.windowMs, timeMs), (waitMs) => this.admission(caller, quota, waitMs, timeMs));
  }

  /** Counts bytes that were sent. Returns what is left of the day; null without a limit, or for a page, which continues more slowly. */
  spend(caller: Caller, bytes: number): number | null {
    if (caller.tier === 'anonymous') return null;
    const { store, nowMs } = this.options;
    const spent = store.spend(spenderOf(caller), bytes, nowMs());
    return caller.isPage ? null : tierLimits[caller.tier].dayBytesMax - spent;
  }

  /** A socket or a watch. Errors: `access.too_many_sockets`, `access.budget`. */
  open(caller: Caller): Lease | Promise<Lease> {
    const { principal, tier, isPage } = caller;
    if (tier === 'anonymous') return openLease(caller);
    const { store, nowMs } = this.options;
    const timeMs = nowMs();
    const socketsMax = isPage ? limits.pageSocketsMax : tierLimits[tier].socketsMax;
    if (!isPage && store.spend(principal, 0, timeMs) >= tierLimits[tier].dayBytesMax) throw this.budgetRefusal(caller, tier, timeMs);
    this.lastLease += 1;
    const id = `${this.process}${this.lastLease}`;
    const holder = spenderOf(caller);
    return after(store.lease(holder, id, socketsMax, timeMs), (isLeased) => {
      if (isLeased) return { caller, close: () => store.release(holder, id) };
      if (isPage) return this.open({ ...caller, isPage: false });
      throw this.refusal('access.too_many_sockets', tier, { limit: socketsMax, hint: hintOf(caller) });
    });
  }

  check(caller: Caller): Tier {
    const { tier, principal, isPage, origin, trialEndMs } = caller;
    if (tier === 'anonymous' || origin === null) return tier;
    const { store, nowMs } = this.options;
    const timeMs = nowMs();
    const now = this.tierOf(this.feedersOf(origin), trialEndMs, timeMs);
    if (!isPage && store.spend(principal, 0, timeMs) >= tierLimits[now].dayBytesMax) throw this.budgetRefusal(caller, now, timeMs);
    return now;
  }

  pace(caller: Caller, tier: Tier): Pace {
    if (!caller.isPage) return paceOf(tier);
    return tier !== 'anonymous' && this.isSlowPage(caller, this.options.nowMs()) ? 'normal' : 'page';
  }

  report(caller: Caller): Report | Promise<Report> {
    const { principal, tier } = caller;
    if (tier === 'anonymous') return unlimitedReport(caller);
    const { store, nowMs } = this.options;
    const timeMs = nowMs();
    const { requestMs, socketsMax, dayBytesMax } = tierLimits[tier];
    return after(store.usage(principal, requestMs, timeMs), (usage) => ({
      ...{ caller, reason: reasonOf(caller), hint: hintOf(caller) },
      limits: { ...usage, requestMs, socketsMax, dayBytesMax, resetMs: msToMidnight(timeMs) },
    }));
  }

  /**
   * The result of `find` for a key or UUID of the caller. Null is a wrong one: an address may try a few a minute.
   * Errors: `wrong`, `access.many_wrong_keys`.
   */
  proven<T>(addressHash: string, wrong: 'access.wrong_key' | 'access.wrong_proof', find: () => T | null): T {
    const timeMs = this.options.nowMs();
    const waitMs = this.wrongKeys.wait(addressHash, timeMs);
    if (waitMs > 0) throw this.refusal('access.many_wrong_keys', NO_TIER, { seconds: secondsOf(waitMs) }, secondsOf(waitMs));
    const found = find();
    if (found !== null) return found;
    this.wrongKeys.spend(addressHash, timeMs);
    throw this.refusal(wrong, NO_TIER);
  }

  /** The content of a key. A feeder without an owner has none. */
  knownKey(text: string): KeyParts | null {
    const { secret, feeders } = this.options;
    const key = readKey(text, secret);
    return key !== null && key.generation <= (feeders.byId(key.feeder)?.keys?.generation ?? 0) ? key : null;
  }

  /** The caller that a feeder is by its key. Errors: `access.banned`, `access.revoked_key`, `access.old_key`. */
  byKey(key: KeyParts): Caller | Promise<Caller> {
    return this.visitor({ addressHash: '', isPrivate: true, key });
  }

  /** Turns that a feeder took today, UTC, and bytes that it was sent. */
  today({ principal }: Caller): { readonly requests: number; readonly bytes: number } {
    const { store, nowMs } = this.options;
    return { requests: Math.max(0, store.spend(turnsOf(principal), 0, nowMs())), bytes: store.spend(principal, 0, nowMs()) };
  }

  /** The feeders that a caller is now. Errors: `access.banned`, `access.revoked_key`, `access.old_key`. */
  private feedersOf({ addressHash, isPrivate, key }: Origin): readonly string[] {
    const { feeders, nowMs } = this.options;
    const timeMs = nowMs();
    if (key !== null) {
      this.checkKey(key, timeMs);
      return [key.feeder];
    }
    if (isPrivate) return [];
    const ids = feeders.byAddressHash(addressHash, timeMs).map(({ id }) => id);
    for (const id of ['', ...ids]) this.checkBan(id, addressHash);
    return ids;
  }

  private checkKey({ feeder, generation }: KeyParts, timeMs: number): void {
    const { feeders } = this.options;
    this.checkBan(feeder, null);
    const keys = feeders.byId(feeder)?.keys ?? null;
    // Null: the operator had everything about the feeder deleted.
    if (keys === null || generation < keys.revokedBelow) throw this.refusal('access.revoked_key', NO_TIER);
    const isPrevious = generation === keys.generation - 1 && timeMs < keys.previousEndsMs;
    if (generation !== keys.generation && !isPrevious) throw this.refusal('access.old_key', NO_TIER);
  }

  private checkBan(feeder: string, addressHash: string | null): void {
    const ban = this.options.feeders.banOf(feeder, addressHash);
    if (ban !== null) throw this.refusal('access.banned', NO_TIER, { reason: ban.reason });
  }

  private visitor(origin: Origin, isPage = false): Caller | Promise<Caller> {
    const { rules, store, nowMs } = this.options;
    const ids = this.feedersOf(origin);
    const [id] = ids;
    // Two feeders with one address are one caller.
    const principal = ids.length === 1 ? `feeder/${id}` : `address/${origin.addressHash}`;
    const isShared = ids.length > 1 || (origin.isPrivate && ids.length === 0);
    const caller = { principal, isFeeder: ids.length > 0, isShared, isPage, origin };
    if (rules.profile === 'open') return { ...caller, tier: 'anonymous', trialEndMs: null };
    const timeMs = nowMs();
    return after(store.visit(principal, timeMs), ({ trialMs }) => {
      const trialEndMs = trialMs === null ? null : trialMs + limits.trialMs;
      return { ...caller, tier: this.tierOf(ids, trialEndMs, timeMs), trialEndMs };
    });
  }

  private tierOf(ids: readonly string[], trialEndMs: number | null, timeMs: number): LimitedTier {
    const { feeders } = this.options;
    if (ids.some((id) => timeMs < (feeders.byId(id)?.contributorUntilMs ?? 0))) return 'contributor';
    return trialEndMs !== null && timeMs < trialEndMs ? 'trial' : 'free';
  }

  private admission(caller: Caller, quota: Quota, waitMs: number, timeMs: number): Admission {
    if (waitMs > 0) throw this.rateRefusal(caller, quota, waitMs, timeMs);
    const { store, nowMs } = this.options;
    this.countTurn(caller, 1);
    return {
      headers: this.rateHeaders(caller, quota, 0, quota.windowMs, timeMs),
      giveBack: () => {
        store.giveBack(caller.principal, quota.windowMs, timeMs, nowMs());
        this.countTurn(caller, -1);
      },
    };
  }

  /** For the owners of feeders: limits do not go by it. */
  private countTurn({ principal }: Caller, turns: 1 | -1): void {
    const { store, nowMs } = this.options;
    if (principal.startsWith('feeder/')) store.spend(turnsOf(principal), turns, nowMs());
  }

  /** Never refused for its bytes: beyond those it may ask less often. */
  private admitPage(caller: Caller, timeMs: number): Admission {
    const isSlow = this.isSlowPage(caller, timeMs);
    const quota = isSlow ? slowPageQuota : pageQuota;
    const bursts = isSlow ? this.slowPageRequests : this.pageRequests;
    const name = spenderOf(caller);
    const waitMs = bursts.spend(name, timeMs);
    if (waitMs > 0) throw this.rateRefusal(caller, quota, waitMs, timeMs);
    const { count, fullInMs } = bursts.left(name, timeMs);
    return {
      headers: this.rateHeaders(caller, quota, count, fullInMs, timeMs),
      giveBack: () => bursts.giveBack(name),
    };
  }

  /** The page was sent the bytes of its day. */
  private isSlowPage(caller: Caller, timeMs: number): boolean {
    return this.options.store.spend(spenderOf(caller), 0, timeMs) >= limits.pageDayBytesMax;
  }

  private rateHeaders(caller: Caller, quota: Quota, requests: number, resetMs: number, timeMs: number): Admission['headers'] {
    return rateHeaders(quota, requests, resetMs, this.options.store.spend(spenderOf(caller), 0, timeMs), timeMs);
  }

  private rateRefusal(caller: Caller, quota: Quota, waitMs: number, timeMs: number): LimitError {
    return this.limitError('access.rate', caller, quota, { interval: quota.windowMs / quota.requests / 1000 }, waitMs, timeMs);
  }

  private budgetRefusal(caller: Caller, tier: LimitedTier, timeMs: number): LimitError {
    const quota = tierQuotas[tier];
    return this.limitError('access.budget', caller, quota, { bytes: quota.dayBytesMax }, msToMidnight(timeMs), timeMs);
  }

  private limitError(
    code: 'access.rate' | 'access.budget',
    caller: Caller,
    quota: Quota,
    details: Readonly<Record<string, number>>,
    waitMs: number,
    timeMs: number,
  ): LimitError {
    this.count(code, caller.isPage ? 'page' : caller.tier);
    const { baseUrl } = this.options;
    const retryAfterS = secondsOf(waitMs);
    const members = {
      ...{ retry_after: retryAfterS, websocket_url: `${baseUrl.replace(/^http/, 'ws')}/ws/`, bulk_url: `${baseUrl}/bulk/` },
      'violated-policies': [code === 'access.rate' ? 'rate' : 'data'],
    };
    const headers = this.rateHeaders(caller, quota, 0, waitMs, timeMs);
    return new LimitError(code, { ...details, seconds: retryAfterS, hint: hintOf(caller) }, { retryAfterS, headers, members });
  }

  private count(code: QueryError['code'], tier: Tier | 'page' | typeof NO_TIER): void {
    const key = `${code} ${tier}`;
    this.refused.set(key, (this.refused.get(key) ?? 0) + 1);
  }

  private refusal(
    code: QueryError['code'],
    tier: Tier | typeof NO_TIER,
    details: Record<string, string | number> = {},
    retryAfterS?: number,
  ): QueryError {
    this.count(code, tier);
    return new QueryError(code, details, retryAfterS === undefined ? {} : { retryAfterS });
  }
}

/** Label of refusals before there is a caller. */
export const NO_TIER = 'none';
const operator = plainCaller(OPERATOR);
const operatorOnPage: Caller = { ...operator, isPage: true };

/** By what bytes and streams of a caller count. */
function spenderOf({ principal, isPage, origin }: Caller): string {
  return isPage && origin !== null ? `page/${origin.addressHash}` : principal;
}

/** Many people may share what looks like one caller. */
function hintOf({ isShared }: Caller): string {
  return isShared ? ' (a gateway or proxy may stand between: then all behind it are one caller)' : '';
}

/** The name under which the store counts the turns of a feeder. */
function turnsOf(principal: string): string {
  return principal.replace('feeder/', 'turns/');
}
