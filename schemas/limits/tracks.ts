// Limits of tracks, of the signal history and of requests for the past.

export const trackLimits = {
  // tracks
  /** Minutes and points of a response: default and maximum (decisions G8). */
  trackMinutesDefault: 60,
  trackMinutesMax: 1440,
  trackPointsDefault: 500,
  trackPointsMax: 5000,
  /** Points of all aircraft in memory, 24 bytes each: more than an hour of 15,000 aircraft, a day of 800. The oldest go first. */
  trackMemoryBytesMax: 256 * 1024 * 1024,
  /** Points of one aircraft that a request reads from memory: a day has 4,000 to 12,000. */
  trackMemoryPointsMax: 20_000,
  /** Part of the positions topic that a start reads: as much as a response has by default. */
  trackRestoreMs: 3_600_000,
  /** The same with a history store, which has what is older. */
  trackRestoreMsWithStore: 600_000,
  /** Samples of the signal history. */
  signalIntervalMs: 2000,
  signalHistoryMs: 300_000,
  // history
  /** How long a request waits for the store: a track, which then has its recent part only, and everything else. */
  trackStoreMsMax: 3000,
  historyStoreMsMax: 20_000,
  /** After a store did not answer, requests are refused at once for so long. */
  historyRestMs: 2000,
  /** Requests that wait for the store at a time, fewer than its client has connections. */
  historyRequestsMax: 24,
  /** Span and positions of one request for past positions: a day has 170,000 at two a second. */
  historySpanMsMax: 86_400_000,
  historyPositionsMax: 200_000,
  /** Trace files of web maps: an hour more than a day, because maps take yesterday from it until one in the morning. */
  traceFullMs: 25 * 3_600_000,
  /** Points of a trace: a day has 4,000 to 12,000. */
  tracePointsMax: 20_000,
  /** Call signs and squawks of a trace: a day has 144 stretches of ten minutes. */
  traceNamesMax: 2000,
  /** The newest part of a trace, which maps add to what they have. */
  traceRecentMs: 3_600_000,
  traceRecentPoints: 100,
  /** Records of a time are in the store this long after it, unless the store was away. */
  pastSettleMs: 7_200_000,
  /** Heat map files: time to make one, since half an hour of 15,000 aircraft is 54 million positions; entries of 16 bytes, of which half an hour of 15,000 aircraft has 1.4 million. */
  heatMapMsMax: 120_000,
  heatMapEntriesMax: 3_000_000,
  /** Files that are made or wait for it; further requests are refused. */
  heatMapsWaitingMax: 4,
  /** Compressed files in memory: two days of 500 aircraft, or some half hours of 15,000. */
  heatMapBytesMax: 64 * 1024 * 1024,
  /** How long a file counts as new unless the store proves that it is complete: records may still arrive. */
  heatMapFreshMs: 60_000,
  /** Later positions that prove it are looked for in so much time behind the half hour: more would be read for each partition that has none. */
  heatMapLaterMs: 7_200_000,
  /** Span and number of past flights. */
  pastFlightsSpanMsMax: 31 * 86_400_000,
  pastFlightsDefault: 100,
  pastFlightsMax: 1000,
  /** Span of the network over time; its steps, and those of a request that does not say how long one is: a week has 168 hours. */
  networkSpanMsMax: 31 * 86_400_000,
  networkStepsMax: 1500,
  networkStepsDefault: 200,
  /** How long a stretch with the newest samples counts as new; one step if that is shorter. */
  networkFreshMs: 60_000,
  /** Responses in memory, some KB each, and those that wait to be made. */
  networkBytesMax: 4 * 1024 * 1024,
  networkWaitingMax: 16,
  /** Positions of a box: the span, and positions of one response, 20 bytes each in JSON. Compressed responses in memory, and those that wait to be made, half a second each. */
  areaSpanMsMax: 600_000,
  areaPositionsMax: 200_000,
  areaBytesMax: 64 * 1024 * 1024,
  areasWaitingMax: 16,
  /** How long a stretch that may get more positions counts as new. */
  areaFreshMs: 10_000,
  /** Span and cells of a heat map. With filters: cells of single aircraft, and words of a list, each of which is compared with every aircraft. */
  densitySpanMsMax: 31 * 86_400_000,
  densityCellsMax: 20_000,
  densityRowsMax: 2_000_000,
  densityWordsMax: 50,
} as const;
