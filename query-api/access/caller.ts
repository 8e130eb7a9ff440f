// Callers: who asks, the principal that limits count by, and its tier. Every protocol finds the caller through `Access`.
import type { Tier } from '../../schemas/tiers.ts';

export interface Caller {
  readonly tier: Tier;
  /** Unit of limits: `operator`, `feeder/ID`, or `address/HASH` with a keyed hash. */
  readonly principal: string;
  /** Id of the feeder that it is, by its key or its address; null for others, and for an address that several feeders share. */
  readonly feeder: string | null;
  /** Of its key; null without one. */
  readonly generation: number | null;
  /** It came with a key, or from the address of a feeder. */
  readonly isFeeder: boolean;
  /** Several people may be this caller: its address is a private one, or that of several feeders. */
  readonly isShared: boolean;
  /** When its trial ends or ended, ms since the epoch; null without one. */
  readonly trialEndMs: number | null;
}

/** The principal of the operator. */
export const OPERATOR = 'operator';

/** Headers, or metadata of another protocol, by lower-case name. */
export type CallerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A caller that is no feeder. */
export function plainCaller(principal: string, tier: Tier = 'anonymous'): Caller {
  return { tier, principal, feeder: null, generation: null, isFeeder: false, isShared: false, trialEndMs: null };
}
