// Limits of the query API: lists, tools and records.

export const queriesLimits = {
  // query API
  /** Files with layers of the operator's map: their number, the size of one, and how often their folder is read. */
  mapLayersMax: 32,
  mapLayerBytesMax: 8 * 1024 * 1024,
  mapLayersPollMs: 2000,
  mapLayerTitleCharactersMax: 60,
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
  /** Characters of an argument of a prompt, and of a caller's text that an error shows. */
  toolArgumentCharactersMax: 64,
  toolShownCharactersMax: 200,
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
  /** Fewer digits of an address fit a sixteenth of all aircraft or more. */
  searchHexDigitsMin: 3,
  /** Entries of a nested breakdown, and of a list in the totals of the network. */
  breakdownEntriesMax: 5,
  networkEntriesMax: 10,
  /** Event time older than this is a recording, not a service that is behind. */
  recordingAgeMsMin: 86_400_000,
  /** The greatest age of data that responses report. */
  dataAgeShownSMax: 3600,
  /** A smaller lead of data over the local clock counts as none: two clocks differ. */
  dataAheadMsMin: 2000,
  // responses and errors
  /** Smaller responses are not worth compressing. */
  compressedBytesMin: 2048,
  /** Lists with more aircraft are written into a buffer, smaller ones are text. */
  smallListAircraftMax: 16,
  /** Different values of Accept-Encoding that are remembered; clients send only a few. */
  acceptEncodingsKnownMax: 256,
  /** Larger files of the pages are read again for each request: the viewer of the documentation has 3.5 MB, coasts 3.7 MB. */
  pageFileBytesKeptMax: 256 * 1024,
  /** Characters of a text of the client in an error: of a value, of other texts, of the path; and parameters that one error names. */
  errorValueCharactersMax: 40,
  errorTextCharactersMax: 80,
  errorPathCharactersMax: 200,
  errorParametersMax: 10,
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
} as const;
