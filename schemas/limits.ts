// Every limit of the service, named, in one table. Code that hits one counts it; nothing is unbounded.

export const limits = {
  // ingest
  frameBatchBytesMax: 64 * 1024,
  frameBatchAgeMsMax: 50,
  /** Bytes of packed frames waiting for the log; beyond it frames are dropped and counted as `backlog`. */
  ingestBacklogBytesMax: 64 * 1024 * 1024,
  /** Bytes of an unfinished frame or line that a parser keeps. */
  parserPendingBytesMax: 4096,
  /** Bytes without a frame that a connection may send before it is closed. */
  garbageBytesMax: 64 * 1024,
  garbageSampleBytes: 32,
  feederConnectionsMax: 1024,
  receiversPerBatchMax: 65_536,
  reconnectDelayMsMin: 500,
  reconnectDelayMsMax: 30_000,
  // log
  readBytesMax: 4 * 1024 * 1024,
  readRecordsMax: 10_000,
  // fold
  aircraftPerPartitionMax: 65_536,
  positionRowsPerBatchMax: 10_000,
  snapshotChunkBytesMax: 900_000,
  // query API
  urlBytesMax: 8 * 1024,
  headerBytesMax: 16 * 1024,
  listItemsMax: 1000,
  listCharactersMax: 8000,
  snapshotAgeMsMax: 60_000,
  shutdownMsMax: 15_000,
} as const;
