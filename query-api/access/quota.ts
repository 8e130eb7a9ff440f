// How often a caller may ask, and how much it is sent in a day; and the headers that say so (`RateLimit`, IETF draft, version 10).
import { limits } from '../../schemas/limits/index.ts';
import { type LimitedTier, type TierLimits, tierLimits } from '../../schemas/tiers.ts';

const DAY_MS = 86_400_000;
const MS_PER_S = 1000;

export interface Quota {
  readonly requests: number;
  /** In which there are so many. */
  readonly windowMs: number;
  readonly dayBytesMax: number;
  /** The header `RateLimit-Policy`. */
  readonly policy: string;
}

function quotaOf(requests: number, windowMs: number, dayBytesMax: number): Quota {
  const rate = `"rate";q=${requests};w=${windowMs / MS_PER_S}`;
  const policy = `${rate}, "data";q=${dayBytesMax};w=${DAY_MS / MS_PER_S};qu="content-bytes"`;
  return { requests, windowMs, dayBytesMax, policy };
}

const bucketOf = (burst: number, perS: number, dayBytesMax: number): Quota => quotaOf(burst, (MS_PER_S * burst) / perS, dayBytesMax);
const { lightRequestsBurst, lightRequestsPerS, pageRequestsBurst, pageRequestsPerS, pageDayBytesMax, pageSlowMs } = limits;
const { trial, free, contributor } = tierLimits;
const byTier = (make: (limits: TierLimits) => Quota): Readonly<Record<LimitedTier, Quota>> => ({
  ...{ trial: make(trial), free: make(free), contributor: make(contributor) },
});

export const tierQuotas = byTier(({ requestMs, dayBytesMax }) => quotaOf(1, requestMs, dayBytesMax));
export const lightQuotas = byTier(({ dayBytesMax }) => bucketOf(lightRequestsBurst, lightRequestsPerS, dayBytesMax));
export const pageQuota = bucketOf(pageRequestsBurst, pageRequestsPerS, pageDayBytesMax);
/** For a page that was sent the bytes of its day. */
export const slowPageQuota = quotaOf(1, pageSlowMs, pageDayBytesMax);

/** `requests` that are left; `resetMs` until there are more, or all; `bytes` that were sent today. */
export function rateHeaders({ policy, dayBytesMax }: Quota, requests: number, resetMs: number, bytes: number, timeMs: number) {
  const rate = `"rate";r=${requests};t=${secondsOf(resetMs)}`;
  const data = `"data";r=${Math.max(0, dayBytesMax - bytes)};t=${secondsOf(msToMidnight(timeMs))}`;
  return { 'ratelimit-policy': policy, ratelimit: `${rate}, ${data}` };
}

/** A delay in whole seconds, at least one. */
export function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / MS_PER_S));
}

/** Until 00:00 UTC. */
export function msToMidnight(timeMs: number): number {
  return DAY_MS - (timeMs % DAY_MS);
}
