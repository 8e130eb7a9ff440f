// Limits of moments of the past.

export const pastLimits = {
  /** Frames that one partition folds for one moment: several times those between two snapshots, and as many as a snapshot is written after. */
  pastFramesMax: 12_000_000,
  /** Requests in progress: one uses all cores, the others wait; some tens of seconds of work. */
  pastRequestsMax: 8,
  /** How long a request may take. */
  pastRequestMsMax: 30_000,
  /** Moments whose folds stay in memory, 15 to 30 MB each at 15,000 aircraft: later seconds continue from them. */
  pastMomentsMax: 3,
  /** From this distance on a moment is folded from its own snapshot. */
  pastContinuedMsMax: 15_000,
  /** Aircraft that a moment from stored positions may have: several times those of the world. 56 bytes each in memory. */
  pastAircraftMax: 100_000,
  /** Flights under way to and from one airport: several times those of the largest. */
  pastBoardFlightsMax: 5000,
  /** The threads end after this long without a request, and give their memory back. */
  pastIdleMsMax: 120_000,
} as const;
