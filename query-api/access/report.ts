// The tier of a caller, and its reason: the content of `/v2/me`.
import { limits } from '../../schemas/limits/index.ts';
import { type Caller, OPERATOR } from './caller.ts';
import type { Usage } from './limit-store.ts';

const DAY_MS = 86_400_000;
const trialDays = limits.trialMs / DAY_MS;

/** Why a caller has its tier, in words for it. */
export const reasons = {
  operator: 'you are on the machine or in a network of the operator, who has no limits',
  open: 'this service has no limits for anybody',
  contributor: 'your feeder gives clean data: thank you',
  'feeder-quiet':
    'your feeder is known: with 100 clean DF 17 messages within 10 minutes it makes you a contributor, for a day after the last one',
  trial: `the first ${trialDays} days of a caller are a trial`,
  'trial-over': `the trial of ${trialDays} days is over, and no feeder has this key or address: feeders have more, see /contribute`,
  'no-trial': 'so many callers are known that a new one has no trial: feeders have more, see /contribute',
} as const;
export type Reason = keyof typeof reasons;

export interface Report {
  readonly caller: Caller;
  readonly reason: Reason;
  /** A hint for callers that may be many people; '' for others. */
  readonly hint: string;
  /** Its limits and its use; null without limits. */
  readonly limits:
    | (Usage & {
        readonly requestMs: number;
        readonly socketsMax: number;
        readonly dayBytesMax: number;
        /** Until bytes count from 0 again, ms. */
        readonly resetMs: number;
      })
    | null;
}

export function unlimitedReport(caller: Caller): Report {
  return { caller, reason: reasonOf(caller), hint: '', limits: null };
}

export function reasonOf({ principal, tier, isFeeder, trialEndMs }: Caller): Reason {
  if (principal === OPERATOR) return 'operator';
  if (tier === 'anonymous') return 'open';
  if (tier === 'contributor') return 'contributor';
  if (isFeeder) return 'feeder-quiet';
  if (tier === 'trial') return 'trial';
  return trialEndMs === null ? 'no-trial' : 'trial-over';
}
