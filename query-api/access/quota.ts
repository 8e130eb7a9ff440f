// How often a caller may ask, and how much it is sent in a day; and the headers that say so (`RateLimit`, IETF draft, version 10).
import { limits } from '../../schemas/limits.ts';
import { type LimitedTier, tierLimits } from '../../schemas/tiers.ts';

const DAY_MS = 86_400_000;
const MS_PER_S = 1000;

export interface Quota {
  readonly requests: number;
  /** In which there are so many. */
  readonly windowMs: number;
  readonly dayBytesMax: number;
}

export const pageQuota: Quota = {
  requests: limits.pageRequestsBurst,
  windowMs: (MS_PER_S * limits.pageRequestsBurst) / limits.pageRequestsPerS,
  dayBytesMax: limits.pageDayBytesMax,
};
/** Of a page that was sent the bytes of its day. */
export const slowPageQuota: Quota = { ...pageQuota, requests: 1, windowMs: limits.pageSlowMs };

export function tierQuota(tier: LimitedTier): Quota {
  const { requestMs, dayBytesMax } = tierLimits[tier];
  return { requests: 1, windowMs: requestMs, dayBytesMax };
}

export function lightQuota(tier: LimitedTier): Quota {
  const { lightRequestsBurst, lightRequestsPerS } = limits;
  const { dayBytesMax } = tierLimits[tier];
  return { requests: lightRequestsBurst, windowMs: (MS_PER_S * lightRequestsBurst) / lightRequestsPerS, dayBytesMax };
}

/** What is left of a quota. `resetMs`: until there are requests again, or all of them. */
export interface Left {
  readonly requests: number;
  readonly resetMs: number;
  readonly bytes: number;
}

export function rateHeaders({ requests, windowMs, dayBytesMax }: Quota, left: Left, timeMs: number): Readonly<Record<string, string>> {
  const dayS = DAY_MS / MS_PER_S;
  return {
    'ratelimit-policy': `"rate";q=${requests};w=${windowMs / MS_PER_S}, "data";q=${dayBytesMax};w=${dayS};qu="content-bytes"`,
    ratelimit: `"rate";r=${left.requests};t=${secondsOf(left.resetMs)}, "data";r=${Math.max(0, left.bytes)};t=${secondsOf(msToMidnight(timeMs))}`,
  };
}

/** Whole seconds, at least one. */
export function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / MS_PER_S));
}

/** Until 00:00 UTC. */
export function msToMidnight(timeMs: number): number {
  return DAY_MS - (timeMs % DAY_MS);
}
