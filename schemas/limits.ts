// Every limit of the service, named, in one table. Code that hits one counts it; nothing is unbounded.

export const limits = {
  // ingest
  frameBatchBytesMax: 64 * 1024,
  frameBatchAgeMsMax: 50,
  /** Bytes of packed frames waiting for the log; beyond it frames are dropped and counted as `backlog`. */
  ingestBacklogBytesMax: 64 * 1024 * 1024,
  /** Bytes of an unfinished frame or line that a parser keeps. */
  parserPendingBytesMax: 4096,
  /** A line of AVR or CSV; longer ones are skipped. */
  lineBytesMax: 256,
  /** Bytes after which the format of an input must be clear. */
  detectBytesMax: 1024,
  /** Bytes without a frame that a connection may send before it is closed. */
  garbageBytesMax: 64 * 1024,
  /** Every frame gives a connection this much of that budget back. */
  garbageRepaidPerFrameBytes: 1024,
  garbageSampleBytes: 32,
  feederConnectionsMax: 1024,
  receiversPerBatchMax: 65_536,
  /** Receivers known at a time: feeders, and those whose frames feeders pass on. */
  receiversMax: 65_536,
  /** Receivers whose frames one connection may pass on. */
  receiversPerFeederMax: 4096,
  /** A connection that sends nothing for so long is closed: readsb sends a heartbeat every 60 s. */
  feederIdleMsMax: 180_000,
  feederStatusMs: 30_000,
  /** A partition without frames for so long gets a heartbeat. */
  heartbeatIdleMs: 200,
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
