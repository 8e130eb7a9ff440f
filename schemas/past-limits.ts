// Limits of moments of the past, with the reason for each number. The others: limits.ts.

export const pastLimits = {
  /** Frames that one partition folds for one moment: a minute and more, and as many as a snapshot is written after. */
  framesMax: 12_000_000,
  /** Requests in progress: one uses all cores, the others wait; some tens of seconds of work. */
  requestsMax: 8,
  /** How long a request may take. */
  pastRequestMsMax: 30_000,
  /** Moments whose folds stay in memory, 15 to 30 MB each at 15,000 aircraft: later seconds of the same minute go on from them. */
  momentsMax: 3,
  /** From this distance on a moment is folded from its own snapshot. */
  continuedMsMax: 60_000,
  /** Aircraft that a moment from stored positions may have: several times those of the world. 56 bytes each in memory. */
  storedAircraftMax: 100_000,
  /** Flights under way to and from one airport: several times those of the largest. */
  boardFlightsMax: 5000,
  /** The threads end after this long without a request, and give their memory back. */
  idleMsMax: 120_000,
} as const;
