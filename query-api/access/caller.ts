// A caller: its principal, by which limits count, and its tier. Every protocol finds the caller through `Access`.
import type { Tier } from '../../schemas/tiers.ts';
import type { KeyParts } from './key.ts';

export interface Caller {
  readonly tier: Tier;
  /** Unit of limits: `operator`, `feeder/ID`, or `address/HASH` with a keyed hash. */
  readonly principal: string;
  /** It came with a key, or from the address of a feeder. */
  readonly isFeeder: boolean;
  /** Several people may be this caller: its address is a private one, or that of several feeders. */
  readonly isShared: boolean;
  /** A page for people asks: requests and streams count as those of pages. */
  readonly isPage: boolean;
  /** When its trial ends or ended, ms since the epoch; null without one. */
  readonly trialEndMs: number | null;
  /** From which its feeders are found again while its socket is open; null for the operator. */
  readonly origin: Origin | null;
}

/** Credentials of a caller. */
export interface Origin {
  /** Keyed hash of its address. */
  readonly addressHash: string;
  /** Many hosts may have its address: it is no feeder's. */
  readonly isPrivate: boolean;
  readonly key: KeyParts | null;
}

/** The principal of the operator. */
export const OPERATOR = 'operator';

/** Headers, or metadata of another protocol, by lower-case name. */
export type CallerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A caller that is no feeder. */
export function plainCaller(principal: string, tier: Tier = 'anonymous'): Caller {
  return { tier, principal, isFeeder: false, isShared: false, isPage: false, trialEndMs: null, origin: null };
}
