// Limits of the fold, and of the tools that check it.

export const foldLimits = {
  // fold
  aircraftPerPartitionMax: 65_536,
  /** Threads that fold in the embedded profile, and partitions of its log; and how many threads are started unless requested. */
  foldThreadsMax: 32,
  foldThreadsByDefaultMax: 8,
  /** Parts of frame records that wait for the end of their second when the number of partitions changes. */
  changePartsMax: 512,
  /** Partitions fold in turns of this time, so that heartbeats are sent. Shorter ones are slower: the state of each is loaded into the CPU's caches again. */
  foldTurnMsMax: 100,
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
  /** Aircraft that the report keeps by name, and those that its text shows. */
  verifyNamesMax: 100,
  verifyNamesShownMax: 8,
  /** The newest values of each input from which a computed value may follow: four inputs have 20,736 combinations. */
  verifyInputsMax: 12,
  /** How late a frame is sent after a stall of this machine: frames that were to be sent within moments would be aircraft that jump. */
  verifyLateMsMax: 100,
  // replay, audit, log
  /** How long a tool waits for a connection or a response. */
  toolConnectMsMax: 5000,
  replaySpeedMax: 10_000,
  /** How far a record's frames may be from its time: live batches span 50 ms, those of files more. */
  replayRecordMsMax: 10_000,
  /** How far ahead of the clock frames may be without a message that they are in the future. */
  replayAheadUsMax: 60_000_000,
  /** Differences of one kind that an audit shows, and its threads. */
  auditDifferencesMax: 5,
  auditThreadsMax: 64,
  /** Lines of one kind that `squitter log` shows. */
  logLinesShownMax: 50,
} as const;
