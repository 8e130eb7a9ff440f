// Every limit of the service, named, in one table. Code that hits one counts it; nothing is unbounded.

export const limits = {
  // what services tell of themselves
  /** Statistics that could not be refreshed for so long are unknown, and a service that needs them is not ready. */
  statisticsAgeMsMax: 10_000,
  // log lines
  /** Lines of one kind are summed over this long, and so many kinds are told apart. */
  logLineIntervalMs: 60_000,
  logLineKindsMax: 200,
  // ingest
  frameBatchBytesMax: 64 * 1024,
  frameBatchAgeMsMax: 50,
  /** Bytes of packed frames waiting for the log; beyond it frames are dropped and counted as `backlog`. */
  ingestBacklogBytesMax: 64 * 1024 * 1024,
  /** How long an ingest that stops waits for a log that takes nothing. */
  ingestDrainMsMax: 5000,
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
  /** Feeder connections at a time; fewer where the system's limit of descriptors is low. */
  feederConnectionsMax: 1024,
  /** Those of one address, which may be a whole site or a proxy. */
  feederConnectionsPerAddressMax: 64,
  /** From this part of the connections on, those without a frame for so long give way to new ones. */
  feederConnectionsScarceRatio: 0.9,
  feederSilentMsMax: 30_000,
  /** Log lines of one kind about feeders that are written one by one in a minute. */
  feederLinesMax: 10,
  /** Receivers known at a time: feeders, and those whose frames feeders pass on. */
  receiversMax: 65_536,
  /** Receivers whose frames one connection may pass on. */
  receiversPerFeederMax: 4096,
  /** A connection that sends nothing for so long is closed: readsb sends a heartbeat every 60 s. */
  feederIdleMsMax: 180_000,
  feederStatusMs: 30_000,
  /** How often an ingest tells its own status. */
  ingestStatusMs: 10_000,
  /** Feeder events that wait for the log; beyond them events are dropped and counted. */
  feederEventsPendingMax: 10_000,
  /** A partition without frames for so long gets a heartbeat. */
  heartbeatIdleMs: 200,
  reconnectDelayMsMin: 500,
  reconnectDelayMsMax: 30_000,
  // simulation
  simulatedAircraftMax: 60_000,
  /** The same of `start`, where one process sends, folds and shows them all. */
  simulatedAircraftOfStartMax: 30_000,
  /** Bytes that a simulated receiver keeps for a service that is slow; beyond it its frames are lost. */
  simulatedBacklogBytesMax: 16 * 1024 * 1024,
  // log
  /** What is read at a time stays in the processor's own memory while it is summed and decoded. */
  readBytesMax: 1024 * 1024,
  readRecordsMax: 10_000,
  /** Records of one append are stored in batches of at most this size, or one record. */
  logBatchBytesMax: 1024 * 1024,
  /** Bytes and operations that one write transaction takes together. */
  logTransactionBytesMax: 8 * 1024 * 1024,
  logTransactionOperationsMax: 512,
  logSegmentBytesMax: 64 * 1024 * 1024,
  /** How often a follower looks for new records. */
  logFollowPollMs: 15,
  /** A power loss loses at most this and the time of one disk flush. */
  logSyncMs: 1000,
  /** Stored batches that one step of retention or compaction touches: the bound of the time it holds the write lock. */
  logMaintenanceEntriesMax: 256,
  /** A partition is compacted when this part of its bytes, and this many, were written since the last time. */
  logCleanDirtyRatioMin: 0.5,
  logCleanDirtyBytesMin: 16 * 1024 * 1024,
  /** A topic that keeps its newest records is compacted, too, when so many batches are old enough. */
  logCleanBatchesMin: 4096,
  /** Keys that one compaction remembers. */
  logCleanKeysMax: 1_000_000,
  /** How long a tombstone is kept after the first compaction that met it. */
  logTombstoneKeepMs: 86_400_000,
  /** Batches so old are merged and compressed: followers and restarts read what is newer. */
  logPackAgeMs: 120_000,
  /** How long one maintenance, every five seconds, may be at that: a tenth of a processor. */
  logPackMsMax: 500,
  /** Size retention of the embedded profile, all partitions of the topic together. */
  logFramesBytesMax: 20 * 1024 ** 3,
  logPositionsBytesMax: 10 * 1024 ** 3,
  logDeadletterBytesMax: 1024 ** 3,
  logFlightsEndedBytesMax: 1024 ** 3,
  /** Aircraft states of the last hour, which are not compacted: 7 GB at 15,000 aircraft. */
  logAircraftBytesMax: 8 * 1024 ** 3,
  /** Where the disk has no room for them, they are lowered, but not below this. */
  logTopicBytesMin: 256 * 1024 ** 2,
  /** Free disk that the embedded log leaves alone: with less it takes no more, and what it does beside writing still has room. */
  logDiskReserveBytes: 256 * 1024 ** 2,
  /** How old what is known of the disk may be, and how often one that refused is tried. */
  logDiskLookMs: 1000,
  /** Address space for the index; not memory, not disk. */
  logIndexMapBytes: 16 * 1024 ** 3,
  // log on Kafka
  /** What a record batch may hold before compression, or one record; Kafka's `max.message.bytes` leaves room for what compression may add. */
  kafkaBatchBytesMax: 1_010_000,
  kafkaMessageBytesMax: 1024 * 1024,
  /** Bytes of record batches that share one request; a single one may be larger. */
  kafkaProduceBytesMax: 8 * 1024 * 1024,
  /** Bytes of one partition that one fetch brings, compressed; never less than a record batch. */
  kafkaFetchBytesMax: 1024 * 1024,
  /** Partitions of bounded reads that share one fetch. */
  kafkaFetchPlacesMax: 16,
  /** How long a broker holds a fetch that finds nothing. */
  kafkaFetchWaitMs: 100,
  /** The same while some partitions are busy with what they have. */
  kafkaFetchBusyWaitMs: 5,
  /** Bytes of appends that wait for brokers. */
  kafkaWaitingBytesMax: 64 * 1024 * 1024,
  /** Pauses between attempts while brokers are away, and how long a request is tried. */
  kafkaRetryMs: 50,
  kafkaRetryMsMax: 1000,
  kafkaRequestMsMax: 30_000,
  /** How long a write is tried while no broker answers; while they answer that they are not ready, it is tried on. */
  kafkaSilenceMsMax: 120_000,
  /** Members of a group: how often they are heard of, after which silence they are replaced, how long others wait for them. */
  kafkaHeartbeatMs: 300,
  kafkaSessionMs: 6000,
  kafkaRebalanceMsMax: 30_000,
  /** A transaction that takes longer is ended by the broker. */
  kafkaTransactionMsMax: 60_000,
  /** How often a commit looks whether the one before it is ended, and whether readers see it; and how long it waits for readers. */
  kafkaMarkersPollMs: 2,
  kafkaVisibleMsMax: 1000,
  /** Compacted topics: the part of the bytes that may be superseded, and when a segment is closed so that it can be compacted. */
  kafkaCleanDirtyRatioMin: 0.2,
  kafkaCompactSegmentBytes: 32 * 1024 * 1024,
  kafkaCompactSegmentMs: 600_000,
  /** Each step of closing takes at most this, answer or no answer. */
  kafkaCloseMsMax: 3000,
  // schema registry
  registryAnswerMsMax: 5000,
  registryRetryMs: 500,
  /** How long a registry that does not answer is asked again before its caller gives up. */
  registryPatienceMsMax: 30_000,
  // fold
  aircraftPerPartitionMax: 65_536,
  /** Receivers that a partition's fold tells apart; further ones count as one. */
  receiversPerPartitionMax: 65_535,
  /** Receivers of a partition that metrics tell apart; the others are one. */
  receiversInMetricsMax: 100,
  /** Receivers of a partition whose reach is told; those with the most samples. What they take fits into a progress record. */
  receiverReachesMax: 1000,
  /** How late a receiver may be against the earliest: frames are dated back by at most this. */
  receiverLatenessMsMax: 6000,
  positionRowsPerBatchMax: 10_000,
  /** Positions waiting for a tick; reached only when event time stands still, and counted then. */
  positionRowsPendingMax: 1_000_000,
  snapshotChunkBytesMax: 900_000,
  /** Dead letters of a partition that wait for its next tick; more are written with a snapshot. */
  deadLettersWaitingMax: 1000,
  deadLettersWaitingBytesMax: 4 * 1024 * 1024,
  // real services on this machine
  localStartMsMax: 120_000,
  /** A program that has not ended so long after SIGTERM is killed. */
  localStopMsMax: 10_000,
  /** Starts with other ports when one was taken between choosing and starting. */
  localStartAttemptsMax: 5,
  /** A service of the local cluster that has not stopped after this is killed. */
  localServiceStopMsMax: 20_000,
  /** Until every process of a local cluster is ready, and until the folds have reached the end of the frames. */
  localClusterReadyMsMax: 120_000,
  localClusterDrainMsMax: 300_000,
  /** All of a local cluster: services, then Kafka and what else is there. */
  localClusterStopMsMax: 120_000,
  // verify
  /** One aircraft.json, or one line of a position port or a recording. */
  verifyAnswerBytesMax: 64 * 1024 * 1024,
  /** Answers that wait until our clock has passed them. */
  verifyAnswersWaitingMax: 100_000,
  /** Values of one field and positions of one aircraft that are remembered for a comparison. */
  verifyHistoryMax: 512,
  /** Differences of one field and kind that the report shows. */
  verifyCasesMax: 3,
  /** Aircraft that the report names. */
  verifyNamesMax: 100,
  // reference data
  /** How often a service looks whether something was imported. */
  referencePollMs: 2000,
  /** A table's file. */
  referenceTableBytesMax: 1024 ** 3,
  /** A line of an imported file, or a row of several lines; and the text of one of its cells. */
  referenceLineBytesMax: 64 * 1024,
  referenceTextCharactersMax: 4096,
  /** Airports of one flight. */
  referenceRouteStopsMax: 20,
  /** Places that the report of an import shows for each reason of refusal. */
  referenceExamplesMax: 3,
  // query API
  urlBytesMax: 8 * 1024,
  headerBytesMax: 16 * 1024,
  /** Descriptors for the log, files, threads and connections to brokers: some 50 are used, and clients that are refused take a moment. */
  descriptorsReserved: 128,
  /** Connections that are accepted however low the limit of descriptors is. */
  connectionsMin: 16,
  /** Connections at a time to the HTTP port of a service that has no API. */
  operationConnectionsMax: 64,
  /** How long a request may take to arrive, how often that is looked at, and how long a connection may be idle after a response. */
  httpRequestMsMax: 30_000,
  httpRequestCheckMs: 5000,
  httpIdleMsMax: 72_000,
  /** HTTP connections of clients at a time; fewer where the system's limit of descriptors is low. */
  httpConnectionsMax: 10_000,
  /** Connections over the limit that wait for their 503; further ones are closed without one. */
  httpConnectionsRefusing: 32,
  /** How often connections are looked at, and how long one must have been idle to give way to a new one. */
  httpSweepMs: 1000,
  httpIdleGivesWayMs: 1000,
  /** A client that does not close its half after we closed ours. */
  halfClosedMsMax: 2000,
  /** How long a service that stops waits for clients. */
  clientsStopMsMax: 5000,
  /** Bytes of responses that one connection may have queued when its next pipelined request is taken up. */
  pipelinedBytesMax: 64 * 1024,
  /** Time that pipelined requests, of all connections, get in one round of the event loop. */
  pipelinedTurnMsMax: 5,
  /** Pipelined requests that wait, of all connections; beyond it a connection with more than `pipelinedRequestsKept` of them is ended. */
  pipelinedRequestsMax: 5000,
  pipelinedRequestsKept: 64,
  /** Time that lists which nobody asked for before get in one round of the event loop. */
  listTurnMsMax: 5,
  /** Memory that unfinished responses hold, or four blocks of it where a picture of all aircraft is larger. Beyond it no large list is made. */
  responseBytesMax: 64 * 1024 * 1024,
  /** A smaller response needs no room in that memory. */
  responseBytesFree: 16 * 1024,
  /** A response of which no byte was taken for so long ends its connection. */
  responseStallMsMax: 30_000,
  /** The same while memory is short, and how long a response may then take at all. */
  responseStallMsPressed: 2000,
  responseMsPressed: 10_000,
  listItemsMax: 1000,
  /** Lists of one tick that are kept for the next client who asks, and their bytes together. */
  readyResponsesMax: 4096,
  readyResponsesBytesMax: 64 * 1024 * 1024,
  /** Answers that wait for the end of a round of the event loop. */
  responsesTogetherBytesMax: 4 * 1024 * 1024,
  /** Buffers kept for the next lists. */
  responseBuffersSpareBytesMax: 16 * 1024 * 1024,
  /** Radius of searches for aircraft, nm: a larger one is searched so far. */
  aircraftRadiusNmMax: 250,
  nearestAircraftMax: 100,
  /** Aircraft that are looked up again in one tick after reference data were loaded: some 20 ms. */
  factsRefreshedPerTickMax: 5000,
  listCharactersMax: 8000,
  /** What web maps load of the last hour: a file in 30 s, their number, and bytes of all of them, packed. */
  mapHistoryIntervalMs: 30_000,
  mapHistoryFilesMax: 120,
  mapHistoryBytesMax: 64 * 1024 * 1024,
  /** One look-up of routes: aircraft, and bytes of its body. */
  routesetPlanesMax: 1000,
  routesetBytesMax: 128 * 1024,
  snapshotAgeMsMax: 60_000,
  /** Without a connected feeder, or an ingest that is alive, for so long there are no live lists. */
  feedlessMsMax: 60_000,
  /** Flight plans in memory, and those of one call sign: of more the oldest go. */
  flightPlansMax: 500_000,
  flightPlansPerCallsignMax: 8,
  /** Observed flight plans that wait for the log. */
  flightPlansWaitingMax: 10_000,
  /** Routes that are told apart before their objects are made anew. */
  flightRoutesMax: 65_536,
  /** Values of one list of a flight search. */
  flightListItemsMax: 15,
  /** Items of one page of flights, operators, types and active airports; without being asked for, and at most. */
  pageItemsDefault: 100,
  pageItemsMax: 1000,
  /** Radius and number of searches for airports, and the radius without being asked for. */
  airportRadiusNmMax: 500,
  airportRadiusNmDefault: 50,
  airportsNearbyMax: 100,
  airportsNearbyDefault: 20,
  /** A service that has not stopped after this ends without; its log survives that. */
  shutdownMsMax: 18_000,
} as const;
