// Limits of services: their status, their log lines, and the stop.

export const servicesLimits = {
  /** Below it, the service chooses settings for little memory: a Raspberry Pi with 1 or 2 GB. */
  smallMemoryBytes: 2 * 1024 ** 3,
  // status of services
  /** Statistics older than this are unknown, and a service that needs them is not ready. */
  statisticsAgeMsMax: 10_000,
  /** Lag beyond which a stage is not ready, and how long a measurement of it waits for the log. */
  stageLagSecondsMax: 5,
  stageLagResponseMsMax: 500,
  /** If event time is further ahead than this, the date is wrong, and an operator must decide. */
  eventTimeAheadMsMax: 86_400_000,
  /** Age of the data that metrics report while it is unknown: data that have not advanced since the start. */
  dataAgeShownMsMax: 86_400_000,
  /** Pauses between attempts to connect to Redis, and the time of one attempt. */
  redisReconnectMsMax: 5000,
  redisConnectMsMax: 5000,
  /** Change of a size limit of the log below which nothing is logged, as a share of it. */
  logLimitChangeRatioMin: 0.1,
  // what options allow
  connectionsOptionMax: 1_000_000,
  pageEgressOptionMax: 1e11,
  tickOptionSecondsMin: 1,
  tickOptionSecondsMax: 600,
  bulkGibOptionMax: 1_000_000,
  retentionGibOptionMin: 0.1,
  retentionGibOptionMax: 100_000,
  diskReserveMibOptionMax: 1_000_000,
  /** Brokers allow no session outside their own limits, which these are by default. */
  kafkaSessionOptionMsMin: 1000,
  kafkaSessionOptionMsMax: 300_000,
  topicCopiesOptionMax: 10,
  topicPartitionsOptionMax: 1000,
  // a simulation
  /** A simulation older than this starts anew: its present state is computed from every flight since its start. */
  simulationAgeUsMax: 7 * 86_400_000_000,
  // log lines
  /** Causes of an error that its line has. */
  errorCausesMax: 5,
  /** Period over which log lines of one kind are summed, and number of kinds that are distinguished. */
  logLineIntervalMs: 60_000,
  logLineKindsMax: 200,
  // names that are suggested for an unknown one
  similarNameCharactersMax: 64,
  similarNamesMax: 3,
  // stop
  /** How long a stage reads the rest of its input when it stops. */
  stageDrainMsMax: 10_000,
  /** How long a stop waits for a pending read of the feeders topic: the log may be unavailable. */
  feedsStopMsMax: 1000,
  /** A service that has not stopped after this is ended; its log is intact. */
  shutdownMsMax: 18_000,
  /** A process whose service is closed, but which does not end, is killed after this. */
  leftoversMsMax: 5000,
} as const;
