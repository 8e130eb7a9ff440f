// Limits of ingest and of simulated traffic.

export const ingestLimits = {
  // ingest
  frameBatchBytesMax: 64 * 1024,
  frameBatchAgeMsMax: 50,
  /** Bytes of packed frames waiting for the log; further frames are dropped and counted as `backlog`. */
  ingestBacklogBytesMax: 64 * 1024 * 1024,
  /** How long a stopping ingest waits for a log that accepts nothing. */
  ingestDrainMsMax: 5000,
  /** Batches in one append, buffers of 64 KB that are kept for the next batches, and the delays between attempts to append. */
  ingestBatchesPerAppendMax: 16,
  ingestSpareBuffersMax: 64,
  ingestRetryMsMin: 100,
  ingestRetryMsMax: 5000,
  /** How long a stop waits for the check of the newest time in the log, which may be unavailable. */
  logTimeStopMsMax: 1000,
  /** Bytes of an unfinished message or line that a parser keeps. */
  parserPendingBytesMax: 4096,
  /** Length of an AVR or CSV line; longer lines are skipped. */
  lineBytesMax: 256,
  /** Bytes within which the format of an input must be detected. */
  detectBytesMax: 1024,
  /** Garbage budget of a connection: it is closed when the budget is used up. */
  garbageBytesMax: 64 * 1024,
  /** Bytes that each frame gives back to the garbage budget. */
  garbageRepaidPerFrameBytes: 1024,
  garbageSampleBytes: 32,
  /** Feeder connections at a time; fewer if the system's limit of descriptors is low. */
  feederConnectionsMax: 1024,
  /** Feeder connections of one address, which may be a whole site; and its share of the connections where those are few. */
  feederConnectionsPerAddressMax: 64,
  feederConnectionsPerAddressRatio: 1 / 4,
  /** When this share of the connections is in use, new connections replace those without a frame for `feederSilentMsMax`. */
  feederConnectionsScarceRatio: 0.9,
  feederSilentMsMax: 30_000,
  /** Log lines of one kind about feeders per minute; further lines are summed. */
  feederLinesMax: 10,
  /** Receivers known at a time: feeders, and receivers whose frames feeders pass on. */
  receiversMax: 65_536,
  /** Receivers whose frames one connection may pass on. */
  receiversPerFeederMax: 4096,
  /** A connection that sends nothing for this long is closed: readsb sends a heartbeat every 60 s. */
  feederIdleMsMax: 180_000,
  feederStatusMs: 30_000,
  /** Without a new status a feeder counts as connected for this long, and callers from its address count as it. */
  feederConnectedMs: 90_000,
  feederAddressMs: 86_400_000,
  /** Feeders in memory; the ones heard of longest ago make room. */
  feedersKnownMax: 50_000,
  /** How often an ingest reports its status. */
  ingestStatusMs: 10_000,
  /** Feeder events waiting for the log; further events are dropped and counted. */
  feederEventsPendingMax: 10_000,
  /** Operators' commands at a time, bytes of one request, and how long one may take. */
  operatorClientsMax: 8,
  operatorRequestBytesMax: 4096,
  operatorMsMax: 10_000,
  /** Length of the reason of a ban, which the feeder's people read. */
  banReasonCharactersMax: 200,
  /** A partition without frames for this long gets a heartbeat. */
  heartbeatIdleMs: 200,
  /** How long a connection to a receiver may take, and the delays between attempts. */
  feedConnectMsMax: 10_000,
  reconnectDelayMsMin: 500,
  reconnectDelayMsMax: 30_000,
  // simulation
  simulatedAircraftMax: 60_000,
  /** The same for `start`, where one process sends, folds and shows all of them. */
  simulatedAircraftOfStartMax: 30_000,
  /** Bytes that a simulated receiver keeps for a slow service; further frames are lost. */
  simulatedBacklogBytesMax: 16 * 1024 * 1024,
} as const;
