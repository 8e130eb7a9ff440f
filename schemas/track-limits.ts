// Limits of tracks and of the signal history, with the reason for each number. The others: limits.ts.

export const trackLimits = {
  // tracks
  /** Minutes and points of a response: default and maximum (decisions G8). */
  trackMinutesDefault: 60,
  trackMinutesMax: 1440,
  trackPointsDefault: 500,
  trackPointsMax: 5000,
  /** Points of all aircraft in memory, 24 bytes each: an hour and a half of 15,000 aircraft, a day of 1,000. The oldest go first. */
  trackMemoryBytesMax: 128 * 1024 * 1024,
  /** Points of one aircraft that a request reads from memory: a day has 4,000 to 12,000. */
  trackMemoryPointsMax: 20_000,
  /** What a start reads of the positions topic: as much as a response has by default. */
  trackRestoreMs: 3_600_000,
  /** Samples of the signal history. */
  signalIntervalMs: 2000,
  signalHistoryMs: 300_000,
} as const;
