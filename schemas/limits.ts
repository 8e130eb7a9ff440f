// All limits of the service in one table. Code that reaches a limit counts it; nothing is unbounded.

export const limits = {
  // status of services
  /** Statistics older than this are unknown, and a service that needs them is not ready. */
  statisticsAgeMsMax: 10_000,
  // log lines
  /** Period over which log lines of one kind are summed, and number of kinds that are distinguished. */
  logLineIntervalMs: 60_000,
  logLineKindsMax: 200,
  // ingest
  frameBatchBytesMax: 64 * 1024,
  frameBatchAgeMsMax: 50,
  /** Bytes of packed frames waiting for the log; further frames are dropped and counted as `backlog`. */
  ingestBacklogBytesMax: 64 * 1024 * 1024,
  /** How long a stopping ingest waits for a log that accepts nothing. */
  ingestDrainMsMax: 5000,
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
  reconnectDelayMsMin: 500,
  reconnectDelayMsMax: 30_000,
  // simulation
  simulatedAircraftMax: 60_000,
  /** The same for `start`, where one process sends, folds and shows all of them. */
  simulatedAircraftOfStartMax: 30_000,
  /** Bytes that a simulated receiver keeps for a slow service; further frames are lost. */
  simulatedBacklogBytesMax: 16 * 1024 * 1024,
  // log
  /** Bytes of one read, small enough to stay in the processor's cache while they are checksummed and decoded. */
  readBytesMax: 1024 * 1024,
  /** Bytes of one read from Kafka: a fetch holds several, and the caller gets a turn between two fetches only. */
  kafkaReadBytesMax: 4 * 1024 * 1024,
  readRecordsMax: 10_000,
  /** Size of a stored batch, unless it has only one record. */
  logBatchBytesMax: 1024 * 1024,
  /** Bytes and operations in one write transaction. */
  logTransactionBytesMax: 8 * 1024 * 1024,
  logTransactionOperationsMax: 512,
  /** Size of a segment: a share of the free disk space beyond the reserve, because only whole segments free space. */
  logSegmentBytesMax: 64 * 1024 * 1024,
  logSegmentBytesMin: 1024 * 1024,
  logSegmentRoomRatio: 1 / 64,
  /** How often a follower looks for new records. */
  logFollowPollMs: 15,
  /** Damaged stretches that are remembered, for readiness and the metric. `log check` lists all. */
  logDamagesMax: 100,
  /** Interval of checkpoints. A power loss loses at most this and the time of one disk flush. */
  logSyncMs: 1000,
  /** Stored batches per step of retention or compaction; bounds the time that it holds the write lock. */
  logMaintenanceEntriesMax: 256,
  /** A partition is compacted when this share of its bytes, and this share of a segment, are new since the last compaction. */
  logCleanDirtyRatioMin: 0.5,
  logCleanDirtySegmentsMin: 1 / 4,
  /** A topic that keeps its newest records is compacted, too, when so many batches are old enough. */
  logCleanBatchesMin: 4096,
  /** Keys that one compaction keeps in memory. */
  logCleanKeysMax: 1_000_000,
  /** How long a tombstone is kept after the first compaction that met it. */
  logTombstoneKeepMs: 86_400_000,
  /** Age at which batches are merged and compressed. Followers and restarts read newer batches. */
  logPackAgeMs: 120_000,
  /** Time for packing per maintenance, every five seconds: a tenth of a processor. */
  logPackMsMax: 500,
  /** If the disk has no room for the sizes in the topic table, they are lowered, but not below this: the fold must have read frames before they are deleted. */
  logTopicBytesMin: 8 * 1024 ** 2,
  /** A whole disk that is smaller is refused at the start: these minimums, the topics without a limit and parts of segments need 100 MiB. */
  logDiskBytesMin: 256 * 1024 ** 2,
  /** Free disk space below which the embedded log accepts no writes, so that its maintenance still has room. */
  logDiskReserveBytes: 256 * 1024 ** 2,
  /** Interval between queries of the disk, and between attempts after a refused write. */
  logDiskLookMs: 1000,
  /** Address space for the index; not memory, not disk. */
  logIndexMapBytes: 16 * 1024 ** 3,
  // log on Kafka
  /** Size of a record batch or one record before compression; Kafka's `max.message.bytes` leaves room for what compression may add. */
  kafkaBatchBytesMax: 1_010_000,
  kafkaMessageBytesMax: 1024 * 1024,
  /** Bytes of record batches in one request; a single batch may be larger. */
  kafkaProduceBytesMax: 8 * 1024 * 1024,
  /** Compressed bytes of one partition in one fetch; at least one record batch. */
  kafkaFetchBytesMax: 1024 * 1024,
  /** Partitions of bounded reads in one fetch. */
  kafkaFetchPartitionsMax: 16,
  /** How long a broker holds a fetch that finds nothing. */
  kafkaFetchWaitMs: 100,
  /** The same while some followers are still processing their last piece. */
  kafkaFetchBusyWaitMs: 5,
  /** Bytes of appends waiting for brokers. */
  kafkaWaitingBytesMax: 64 * 1024 * 1024,
  /** Pauses between attempts while brokers are unavailable, and how long a request is retried. */
  kafkaRetryMs: 50,
  kafkaRetryMsMax: 1000,
  kafkaRequestMsMax: 30_000,
  /** Time to close the connections of jobs, after their days have ended. */
  jobsCloseMsMax: 5000,
  /** Time until every broker knows a topic that was just created. */
  kafkaTopicKnownMsMax: 5000,
  /** How long a write is retried without any response from a broker. While brokers respond that they are not ready, it is retried without limit. */
  kafkaSilenceMsMax: 120_000,
  /** Members of a group: heartbeat interval, session timeout, and how long a rebalance waits for them. */
  kafkaHeartbeatMs: 300,
  kafkaSessionMs: 6000,
  kafkaRebalanceMsMax: 30_000,
  /** The broker aborts a transaction that takes longer. */
  kafkaTransactionMsMax: 60_000,
  /** How often a commit checks whether the previous one has ended and whether readers see it; and how long it waits for readers. */
  kafkaMarkersPollMs: 2,
  kafkaVisibleMsMax: 1000,
  /** Compacted topics: the share of bytes that may be superseded, and when a segment is closed so that it can be compacted. */
  kafkaCleanDirtyRatioMin: 0.2,
  kafkaCompactSegmentBytes: 32 * 1024 * 1024,
  kafkaCompactSegmentMs: 600_000,
  /** Longest time of each step of closing, with or without a response. */
  kafkaCloseMsMax: 3000,
  // schema registry
  registryResponseMsMax: 5000,
  registryRetryMs: 500,
  /** How long requests to a registry that does not respond are retried. */
  registryPatienceMsMax: 30_000,
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
  // real services on this machine
  localStartMsMax: 120_000,
  /** A program that has not ended this long after SIGTERM is killed. */
  localStopMsMax: 10_000,
  /** Attempts with other ports, if another program takes a port before the start. */
  localStartAttemptsMax: 5,
  /** A service of the local cluster that has not stopped after this is killed. */
  localServiceStopMsMax: 20_000,
  /** A process of a local cluster that takes longer to respond is not ready. */
  localClusterResponseMsMax: 5000,
  /** Time until the next process of a local cluster is ready, and until the folds are at the end of the frames. */
  localClusterReadyMsMax: 120_000,
  localClusterDrainMsMax: 300_000,
  /** Time to stop a whole local cluster: services, then Kafka and other programs. */
  localClusterStopMsMax: 120_000,
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
  // reference data
  /** How often a service checks for new imports. */
  referencePollMs: 2000,
  /** Size of a table's file. */
  referenceTableBytesMax: 1024 ** 3,
  /** Length of a line of an imported file, or of a row with several lines; and of the text in one cell. */
  referenceLineBytesMax: 64 * 1024,
  referenceTextCharactersMax: 4096,
  /** Airports of one flight. */
  referenceRouteStopsMax: 20,
  /** Example locations in an import's report for each reason of refusal. */
  referenceExamplesMax: 3,
  // query API
  /** Files with layers of the operator's map: their number, the size of one, and how often their folder is read. */
  mapLayersMax: 32,
  mapLayerBytesMax: 8 * 1024 * 1024,
  mapLayersPollMs: 2000,
  urlBytesMax: 8 * 1024,
  headerBytesMax: 16 * 1024,
  /** Descriptors for the log, files, threads and connections to brokers (about 50), and for refused clients. */
  descriptorsReserved: 128,
  /** Connections accepted even if the limit of descriptors is very low. */
  connectionsMin: 16,
  /** Connections at a time to the HTTP port of a service without the API. */
  operationConnectionsMax: 64,
  /** How long a request may take to arrive, how often that is looked at, and how long a connection may be idle after a response. */
  httpRequestMsMax: 30_000,
  httpRequestCheckMs: 5000,
  httpIdleMsMax: 72_000,
  /** Requests for what is small and asked often, per caller: so many a second, and at once. */
  lightRequestsPerS: 1,
  lightRequestsBurst: 10,
  /** Requests of pages for people, per address: so many a second, and at once, and bytes of a day. Beyond those: one request, and one frame of a stream, in this time. */
  pageRequestsPerS: 2,
  pageRequestsBurst: 20,
  pageDayBytesMax: 4_000_000_000,
  pageSlowMs: 10_000,
  /** Streams of pages, per address. */
  pageSocketsMax: 1,
  /** Wrong keys from one address. */
  wrongKeysPerMinuteMax: 10,
  /** Names that such buckets keep. */
  burstsMax: 100_000,
  /** HTTP connections of clients at a time; fewer if the system's limit of descriptors is low. */
  httpConnectionsMax: 10_000,
  /** Connections over the limit that get a 503 response; further ones are closed without one. */
  httpConnectionsRefusing: 32,
  /** Interval between checks of connections of every port, and idle time after which a new connection may replace one. */
  connectionSweepMs: 1000,
  idleGivesWayMs: 1000,
  /** How long a client may keep its half open after the service has closed its own. */
  halfClosedMsMax: 2000,
  /** How long a stopping service waits for clients. */
  clientsStopMsMax: 5000,
  /** Bytes of queued responses below which a connection's next pipelined request is processed. */
  pipelinedBytesMax: 64 * 1024,
  /** Body of a refused request that is read to its end, so that the client gets the response; a longer one ends the connection. */
  bodyDiscardedBytesMax: 1024 * 1024,
  /** Time for pipelined requests of all connections in one turn of the event loop. */
  pipelinedTurnMsMax: 5,
  /** Waiting pipelined requests of all connections; beyond it, connections with more than `pipelinedRequestsKept` of them are closed. */
  pipelinedRequestsMax: 5000,
  pipelinedRequestsKept: 64,
  /** Time for rendering new lists in one turn of the event loop. */
  listTurnMsMax: 5,
  /** Aircraft of a list that does not wait for longer ones: some 400 KB, which take about a millisecond. */
  shortListAircraftMax: 500,
  /** Aircraft of one step of a long list that is made of objects, about a millisecond. */
  listStepAircraftMax: 100,
  /** Memory of unfinished responses, or four times a body with all aircraft if that is larger. Beyond it no large list is rendered. */
  responseBytesMax: 64 * 1024 * 1024,
  /** Share of that memory from which on no long list is rendered, and slow clients are closed: the rest is left for short lists. */
  responseBytesScarceRatio: 0.5,
  /** Smaller responses do not count in that memory. */
  responseBytesFree: 16 * 1024,
  /** A connection is closed if its client reads no byte of a response for this long. */
  responseStallMsMax: 30_000,
  /** The same while memory is short, and the longest time of a whole response then. */
  responseStallMsPressed: 2000,
  responseMsPressed: 10_000,
  listItemsMax: 1000,
  /** Rendered lists of one tick kept for further clients, and their total bytes. */
  readyResponsesMax: 4096,
  readyResponsesBytesMax: 64 * 1024 * 1024,
  /** Buffers kept for the next lists. */
  responseBuffersSpareBytesMax: 16 * 1024 * 1024,
  /** Radius of searches for aircraft, nm; a larger radius is reduced to this. */
  aircraftRadiusNmMax: 250,
  nearestAircraftMax: 100,
  /** Aircraft in a response of NearbyAircraft, of every protocol. */
  nearbyRecordsDefault: 20,
  nearbyRecordsMax: 50,
  // tool server
  /** Body of a request, and its messages. */
  toolBodyBytesMax: 64 * 1024,
  toolBatchMax: 16,
  /** Arrivals and departures on the board of an airport for assistants, which read it whole. */
  boardFlightsMax: 20,
  /** `squitter mcp`: bytes of its input that wait for the end of a line, how long the service may take, and a response of it. */
  toolInputBytesMax: 1024 * 1024,
  toolServiceMsMax: 10_000,
  toolResponseBytesMax: 8 * 1024 * 1024,
  /** Aircraft looked up again per tick after a load of reference data: about 20 ms. */
  factsRefreshedPerTickMax: 5000,
  /** History for web maps: one file per 30 s, number of files, and their total compressed bytes. */
  mapHistoryIntervalMs: 30_000,
  mapHistoryFilesMax: 120,
  mapHistoryBytesMax: 64 * 1024 * 1024,
  /** Files of a folder that an operator installed: bytes of one, and how many are remembered. */
  folderFileBytesMax: 16 * 1024 * 1024,
  folderFilesKnownMax: 4096,
  /** Files for programs that read a folder: ms between two statistics, and bytes of the history. */
  jsonFolderSlowMs: 10_000,
  jsonFolderHistoryBytesMax: 64 * 1024 * 1024,
  /** One look-up of routes: number of aircraft, and bytes of the request body. */
  routesetPlanesMax: 1000,
  routesetBytesMax: 128 * 1024,
  snapshotAgeMsMax: 60_000,
  /** Without a connected feeder or a live ingest for this long, live lists are not served. */
  feedlessMsMax: 60_000,
  /** Flight plans in memory, and per call sign; the oldest are removed. */
  flightPlansMax: 500_000,
  flightPlansPerCallsignMax: 8,
  /** Observed flight plans waiting for the log. */
  flightPlansWaitingMax: 10_000,
  /** Distinct routes; beyond that their objects are created anew. */
  flightRoutesMax: 65_536,
  /** Values in one list of a flight search. */
  flightListItemsMax: 15,
  /** Items per page of flights, operators, types and active airports: default and maximum. */
  pageItemsDefault: 100,
  pageItemsMax: 1000,
  /** Radius and number of results in searches for airports: maximum and default. */
  airportRadiusNmMax: 500,
  airportRadiusNmDefault: 50,
  airportsNearbyMax: 100,
  airportsNearbyDefault: 20,
  /** Characters and results of a search while somebody types: maximum and default. */
  searchCharactersMax: 64,
  searchResultsMax: 50,
  searchResultsDefault: 20,
  // callers
  /** How long a trial lasts, from the first use; and how long a caller must be unseen to get another one. Unseen callers are dropped. */
  trialMs: 3 * 86_400_000,
  trialAgainMs: 90 * 86_400_000,
  /** Share of its interval by which a turn may come early, so that a client on an exact timer is never refused. */
  turnEarlyShare: 0.1,
  /** Addresses whose trials are known; as many feeders as `feedersKnownMax`. Further callers have no trial and share this many rows of turns and bytes. */
  addressesKnownMax: 1_000_000,
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
  // push: subscriptions
  /** Aircraft in one filter, and items in each of its other lists. */
  pushHexesMax: 100,
  pushFilterItemsMax: 100,
  /** Zones of one connection. */
  pushZonesMax: 64,
  /** Interval of the slow class. */
  pushSlowTickMs: 150_000,
  /** Time for the deltas of a tick, and for writing to sockets, in one turn of the event loop; bytes of deltas in one piece. */
  pushTurnMsMax: 5,
  /** Time for making one binary frame in one turn: all that waits for several turns one after the other waits this long in each. */
  pushFrameTurnMsMax: 1,
  pushPieceBytesMax: 4 * 1024 * 1024,
  /** Steps of one client that wait for their turn. */
  pushWaitingMax: 64,
  /** Fulls of the last tick that are kept for the next client. */
  pushFullBytesMax: 64 * 1024 * 1024,
  /** Aircraft in all topics with binary frames, each with 0.85 KB of what was sent. */
  pushEncodedMax: 250_000,
  /** Frames of the last ticks that are kept for clients that resume. */
  pushResumeBytesMax: 128 * 1024 * 1024,
  /** Different filters at a time. */
  pushTopicsMax: 20_000,
  /** How much later than its interval a tick comes when event time stands still: then it is a heartbeat. */
  pushLateMs: 2000,
  // record service
  /** Message of a request, also after decompression. */
  recordRequestBytesMax: 16 * 1024,
  /** Smaller responses are not compressed. */
  recordCompressBytesMin: 1024,
  /** Streams of WatchAircraft at a time, the aircraft in all their boxes, and aircraft, or addresses, in one message: it takes 5 ms to write. */
  recordWatchesMax: 1000,
  recordWatchAircraftMax: 100_000,
  recordWatchMessageItemsMax: 200,
  /** gRPC connections at a time; fewer if the system's limit of descriptors is low. */
  grpcConnectionsMax: 1000,
  /** Calls at a time of one connection, and of all. */
  grpcCallsPerConnectionMax: 100,
  grpcCallsMax: 4096,
  /** Calls that a connection may cancel at once, and in a second for long. */
  grpcResetsMax: 500,
  grpcResetsPerS: 100,
  /** Silence after which the system asks a client whether it is there. */
  grpcKeepaliveMs: 30_000,
  /** How often a stream of grpc.health.v1 compares its status with the readiness. */
  grpcHealthCheckMs: 1000,
  // outputs for other programs
  /** Clients of one output at a time. */
  outputClientsMax: 64,
  /** Bytes queued for one client of an output; what does not fit is left out. Larger pieces go to a client without queued bytes only. */
  outputQueuedBytesMax: 4 * 1024 * 1024,
  /** How long a client may read nothing while bytes are queued for it. */
  outputStallMsMax: 30_000,
  /** Bytes that a client of an output may send between two checks: they are ignored. */
  outputReceivedBytesMax: 16 * 1024,
  // push: transport
  /** Subscribers at a time; fewer if the system's limit of descriptors is low. */
  pushConnectionsMax: 10_000,
  /** Message of a subscriber. */
  pushMessageBytesMax: 16 * 1024,
  /** Messages, pings and pongs of one socket in a second. */
  pushMessagesPerSMax: 20,
  /** Bytes that are queued for one socket, from the end of what was sent to it alone. */
  pushSocketBytesMax: 1024 * 1024,
  /** How long a socket may be behind, or make no progress with what is queued. */
  pushBehindMsMax: 30_000,
  /** Interval of pings, and how many may stay without a pong. */
  pushPingMs: 30_000,
  pushPingsMissedMax: 2,
  /** How long the headers of a request may take, and then the decision to accept it. */
  pushHandshakeMsMax: 5000,
  pushOpeningMsMax: 5000,
  /** uWebSockets.js copies what the kernel does not take at once: a longer message is sent in fragments of this size, one at a time. */
  pushFragmentBytes: 48 * 1024,
  /** Interval at which the transport looks at its sockets. */
  pushSweepMs: 1000,
  /** A service that has not stopped after this is ended; its log is intact. */
  shutdownMsMax: 18_000,
  /** A process whose service is closed, but which does not end, is killed after this. */
  leftoversMsMax: 5000,
} as const;
