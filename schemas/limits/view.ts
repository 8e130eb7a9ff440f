// Limits of the view: how long aircraft are listed, what counts as a measured receiver, and the memory of snapshots and responses.

export const viewLimits = {
  /** How long aircraft are listed after their last message (decisions G5). */
  listedMsMax: 60_000,
  /** States of a partition that are read before any of them is applied; only one that is many ticks behind has more. */
  viewReadBytesMax: 8 * 1024 * 1024,
  /** JSON is written ahead of requests if it was asked for in two of so many ticks: other requests wait for it. */
  viewAheadTicks: 10,
  /** The JSON of so many aircraft is written ahead without requests. The first 15,000 take five times as long as those after 45,000: 110 ms. */
  viewColdAircraft: 60_000,
  /** How long states are applied, tracks grow, or JSON is written ahead, before requests are served in between. */
  viewTurnMsMax: 2,
  /** Spare arenas for later ticks: one is enough without slow clients, two because compression holds one for part of a tick. */
  arenaSparesMax: 2,
  /** Ticks in a row after which a spare arena that none of them needed is freed: one second of slow work leaves 19 MB at 5,000 aircraft. */
  arenaIdleTicksMax: 60,
  /** How many snapshots old a body may be while a newer one is being compressed. */
  encodedBodySnapshotsBehindMax: 2,
  /** Longer members are shown without their free texts, or not at all. */
  annotationBytesMax: 1024,
  /** An advisory's member as JSON: twice the longest one. A longer one is not from this program and is not shown. */
  advisoryBytesMax: 1000,
  /** Snapshots take at most this share of the thread while event time runs fast (a replay). */
  snapshotBuildShareMax: 0.25,
  /** Fewer positions, a second apart, may all be of one distant aircraft. */
  receiverSamplesMin: 200,
  /** The positions that one receiver gives are closer together. A wider spread comes from many receivers with one id; its mean is the position of none. */
  receiverSpreadNmMax: 150,
  /** A partition without coverage for this long is ignored. */
  receiverCoverageAgeMsMax: 600_000,
  /** The smallest buffer for a response. */
  responseBufferBytesMin: 16 * 1024,
  /** Spare buffers of each size. */
  responseBufferSparesMax: 16,
  /** Smaller buffers beyond the spares are left to the garbage collector. */
  responseBufferFreedBytesMin: 1024 * 1024,
} as const;
