// Limits of services: their status, their log lines, and the stop.

export const servicesLimits = {
  // status of services
  /** Statistics older than this are unknown, and a service that needs them is not ready. */
  statisticsAgeMsMax: 10_000,
  // log lines
  /** Period over which log lines of one kind are summed, and number of kinds that are distinguished. */
  logLineIntervalMs: 60_000,
  logLineKindsMax: 200,
  // names that are suggested for an unknown one
  similarNameCharactersMax: 64,
  similarNamesMax: 3,
  // stop
  /** A service that has not stopped after this is ended; its log is intact. */
  shutdownMsMax: 18_000,
  /** A process whose service is closed, but which does not end, is killed after this. */
  leftoversMsMax: 5000,
} as const;
