// THE table of tiers: what a caller may do. Limits, contracts, pages and documentation take their numbers from here.

/** `anonymous`: the operator, and everybody where access is open. They have no limits. */
export const tiers = ['anonymous', 'trial', 'free', 'contributor'] as const;
export type Tier = (typeof tiers)[number];
export type LimitedTier = Exclude<Tier, 'anonymous'>;

/** Classes of streams: `page` for those of pages, `slow` for those of the tier free. */
export type Pace = 'page' | 'normal' | 'slow';

export const paceOf = (tier: Tier): Pace => (tier === 'free' ? 'slow' : 'normal');

/** Pages of this service send it with their requests. Pages of other sites cannot: no preflight allows it. */
export const PAGE_HEADER = 'x-squitter-page';
/** In the query of a stream, for what has no headers of its own; it counts only with an `Origin` or `Referer` of this service. */
export const PAGE_PARAMETER = 'page';

export interface TierLimits {
  /** Time between two requests, all protocols together. There is no burst. */
  readonly requestMs: number;
  /** Interval of the streams. */
  readonly pushMs: number;
  /** Sockets and watches at a time. */
  readonly socketsMax: number;
  /** Bytes of bodies and frames that are sent in a UTC day, all protocols together. */
  readonly dayBytesMax: number;
}

export const tierLimits: Readonly<Record<LimitedTier, TierLimits>> = {
  trial: { requestMs: 20_000, pushMs: 10_000, socketsMax: 1, dayBytesMax: 1_000_000_000 },
  free: { requestMs: 300_000, pushMs: 150_000, socketsMax: 1, dayBytesMax: 250_000_000 },
  contributor: { requestMs: 20_000, pushMs: 10_000, socketsMax: 3, dayBytesMax: 4_000_000_000 },
};
