// Limits of the fold, and of the tools that check it.

export const foldLimits = {
  // fold
  aircraftPerPartitionMax: 65_536,
  /** Receivers that a partition's fold distinguishes; further ones count as one. */
  receiversPerPartitionMax: 65_535,
  /** Receivers of a partition whose coverage is reported: those with the most samples. Their data fit in a progress record. */
  receiverCoveragesMax: 1000,
  /** How late a receiver may be relative to the earliest: frames are dated back by at most this. */
  receiverLatenessMsMax: 6000,
  positionRowsPerBatchMax: 10_000,
  /** Positions waiting for a tick. Reached only if event time stands still, and counted. */
  positionRowsPendingMax: 1_000_000,
  snapshotChunkBytesMax: 900_000,
  /** Records that are searched for the kept snapshot before a moment: hundreds of snapshots that are not whole, each of a writer that was killed. */
  keptSearchedMax: 2048,
  /** Dead letters of a partition waiting for its next tick; more are written with a snapshot. */
  deadLettersWaitingMax: 1000,
  deadLettersWaitingBytesMax: 4 * 1024 * 1024,
  // verify
  /** One aircraft.json, or one line of a position port or a recording. */
  verifyResponseBytesMax: 64 * 1024 * 1024,
  /** Responses waiting until the clock here has passed them. */
  verifyResponsesWaitingMax: 100_000,
  /** Values of one field and positions of one aircraft kept for a comparison. */
  verifyHistoryMax: 512,
  /** Differences of one field and kind that the report shows. */
  verifyCasesMax: 3,
  /** Aircraft that the report names. */
  verifyNamesMax: 100,
} as const;
