// The report of a feeder for its owner, as JSON: `/v2/feeders/me`. Unknown members are absent.
import type { Feeder } from '../../pipeline/feeders/feeder.ts';
import type { FeederHistoryRow } from '../../schemas/feeder-history.ts';
import { type Tier, tierLimits } from '../../schemas/tiers.ts';
import type { Caller } from '../access/caller.ts';
import { HEALTH_MS, healthOf } from './health.ts';
import { greatestRanges, pointsOf, type SpanName, spans } from './series.ts';

const DAY_S = 86_400;

export interface ReportParts {
  readonly feeder: Feeder;
  /** For the owner's eyes; null where it is not shown, or there is none. */
  readonly key: string | null;
  /** The caller that the feeder is by its key; null while it has no key. */
  readonly caller: Caller | null;
  readonly today: { readonly requests: number; readonly bytes: number };
  /** Since `historyFrom`; or why there are none. */
  readonly history: readonly FeederHistoryRow[] | string;
  readonly span: SpanName;
  readonly nowMs: number;
  readonly feederAddress: string | null;
}

/** The oldest rows that a report needs. */
export function historyFrom(span: SpanName, nowMs: number): number {
  return nowMs - Math.max(spans[span].ms, HEALTH_MS);
}

export function feederReport(parts: ReportParts): object {
  const { feeder, key, caller, history, nowMs } = parts;
  const { id, claim, keys, status, counts, recent } = feeder;
  const rows = typeof history === 'string' ? [] : history;
  const { state, text, troubles } = healthOf(feeder, rows, nowMs, parts.feederAddress);
  const isConnected = nowMs < feeder.connectedUntilMs;
  return {
    now: seconds(nowMs),
    ...{ id, name: claim?.name ?? '', show_range: claim?.showRange ?? false },
    claimed_at: seconds(claim?.claimedAtMs ?? 0),
    ...(key === null ? {} : { key }),
    ...(keys !== null && nowMs < keys.previousEndsMs ? { previous_key_ends: seconds(keys.previousEndsMs) } : {}),
    health: { state, text, troubles },
    ...{ connected: isConnected, ...(isConnected && status !== null ? { connected_since: seconds(status.connectedMs) } : {}) },
    ...(status?.format == null ? {} : { format: status.format }),
    ...(feeder.lastSeenMs === 0 ? {} : { last_seen: seconds(feeder.lastSeenMs) }),
    ...(recent === null ? {} : { messages_per_second: rounded(recent.framesPerS) }),
    ...{ aircraft: counts.aircraft, ranges_nm: counts.rangeNm },
    ...(counts.signalDecidb === null ? {} : { signal_dbfs: counts.signalDecidb / 10 }),
    late_seconds: rounded(counts.lateMs / 1000),
    ...(caller === null ? {} : tierOf(caller, feeder)),
    today: parts.today,
    ...(typeof history === 'string' ? { history_problem: history } : { history: historyOf(rows, parts.span, nowMs) }),
  };
}

function tierOf({ tier, trialEndMs }: Caller, { contributorUntilMs }: Feeder): object {
  return {
    ...{ tier, tier_reason: reasons[tier] },
    ...(contributorUntilMs === 0 ? {} : { contributor_until: seconds(contributorUntilMs) }),
    ...(tier === 'trial' && trialEndMs !== null ? { trial_ends: seconds(trialEndMs) } : {}),
    ...(tier === 'anonymous' ? {} : { limits: limitsOf(tier) }),
  };
}

const BECOMES = '100 messages DF 17 without an error in 10 minutes make it a Contributor';
const reasons: Readonly<Record<Tier, string>> = {
  anonymous: 'This service has no limits.',
  contributor: 'It feeds. It stays a Contributor until 24 hours after its last DF 17 without an error.',
  trial: `It is in the 3 days of its trial. ${BECOMES}.`,
  free: `It does not feed enough: ${BECOMES}.`,
};

function limitsOf(tier: Exclude<Tier, 'anonymous'>): object {
  const { requestMs, pushMs, socketsMax, dayBytesMax } = tierLimits[tier];
  const requestS = requestMs / 1000;
  return {
    ...{ request_seconds: requestS, requests_a_day: DAY_S / requestS, push_seconds: pushMs / 1000 },
    ...{ sockets: socketsMax, bytes_a_day: dayBytesMax },
  };
}

function historyOf(all: readonly FeederHistoryRow[], span: SpanName, nowMs: number): object {
  const { ms, stepMs } = spans[span];
  const fromMs = nowMs - ms;
  const rows = all.filter(({ timeMs }) => timeMs >= fromMs);
  return {
    ...{ from: seconds(fromMs), to: seconds(nowMs), step_seconds: stepMs / 1000, ranges_nm: greatestRanges(rows) },
    points: pointsOf(rows, stepMs).map(({ timeMs, framesPerS, aircraft, signalDb, rangeNm }) => ({
      ...{ time: seconds(timeMs), messages_per_second: rounded(framesPerS), aircraft, range_nm: rangeNm },
      ...(signalDb === null ? {} : { signal_dbfs: rounded(signalDb) }),
    })),
  };
}

/** Unix seconds, 1 decimal. */
function seconds(ms: number): number {
  return rounded(ms / 1000);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
