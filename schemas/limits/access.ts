// Limits of callers, and of the owners of feeders.

export const accessLimits = {
  // callers
  /** How long a trial lasts, from the first use; and how long a caller must be unseen to get another one. Unseen callers are dropped. */
  trialMs: 3 * 86_400_000,
  trialAgainMs: 90 * 86_400_000,
  /** Share of its interval by which a turn may come early, so that a client on an exact timer is never refused. */
  turnEarlyShare: 0.1,
  /** Addresses whose trials are known; as many feeders as `feedersKnownMax`. Further callers have no trial and share this many rows of turns and bytes. */
  addressesKnownMax: 1_000_000,
  /** Addresses of which it is known whether they are in a list of networks. */
  networkChecksMax: 10_000,
  callersSharingMax: 65_536,
  /** How often changed counts are saved or shared, and how many in one transaction, about 5 ms; rows looked at each time for callers to drop. */
  callersSaveMs: 1000,
  callersSavedTogetherMax: 500,
  callersLookedAtMax: 1000,
  /** Address space for the saved counts; not memory, not disk. */
  callersMapBytes: 1024 ** 3,
  /** How long an operation waits for Redis. After that, limits hold for each process alone until Redis responds. */
  sharedLimitsMsMax: 250,
  /** How long a process does not ask again what other processes know of a caller. */
  sharedLimitsKnownMs: 1000,
  /** Sockets of a process that does not renew their leases for this long are free. */
  socketLeaseMs: 30_000,
  // owners of feeders
  /** How long a session at the dashboard lasts, and how long the key before a rotation stays valid. */
  feederSessionMs: 30 * 86_400_000,
  feederKeyOverlapMs: 7 * 86_400_000,
  /** Characters of a feeder's name, and bytes of a request that changes something. */
  feederNameCharactersMax: 40,
  feederActBytesMax: 1024,
  /** How long an act of an owner or operator waits until this process has read what it wrote. */
  feederActMsMax: 5000,
} as const;
