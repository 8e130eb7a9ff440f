// Limits of the log, embedded and on Kafka, and of the schema registry.

export const logLimits = {
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
  /** How often a follower looks for new records that other processes write. */
  logFollowPollMs: 15,
  /** Memory in which the log objects of a process tell each other of new records: 4 bytes for a partition of a topic. */
  logChangesBytes: 4096,
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
  logDiskCheckMs: 1000,
  /** Address space for the index; not memory, not disk. */
  logIndexMapBytes: 16 * 1024 ** 3,
  /** Named databases of the index, whose number LMDB needs in advance; more than topics and partitions use. */
  logDatabasesMax: 1024,
  /** Pages of the index that are checked at opening, so that it does not take too long. Branches come first, so the checks cover the whole file early. */
  logIndexPagesCheckedMax: 16_384,
  /** Share of the free space and the log's own space that the log may use. */
  logDiskRatioMax: 0.8,
  // log on Kafka
  /** Size of a record batch or one record before compression; Kafka's `max.message.bytes` leaves room for what compression may add. */
  kafkaBatchBytesMax: 1_010_000,
  kafkaMessageBytesMax: 1024 * 1024,
  /** Bytes of record batches in one request; a single batch may be larger. */
  kafkaProduceBytesMax: 8 * 1024 * 1024,
  /** Compressed bytes of one partition in one fetch; at least one record batch. */
  kafkaFetchBytesMax: 1024 * 1024,
  /** Bytes of one fetch: more than all its partitions have together. Kafka uses the smaller of this and its `fetch.max.bytes`. */
  kafkaFetchedBytesMax: 55 * 1024 * 1024,
  /** Partitions of bounded reads in one fetch. */
  kafkaFetchPartitionsMax: 16,
  /** How long a broker holds a fetch that finds nothing. */
  kafkaFetchWaitMs: 100,
  /** The same while some followers are still processing their last piece. */
  kafkaFetchBusyWaitMs: 5,
  /** Bytes of appends waiting for brokers. */
  kafkaWaitingBytesMax: 64 * 1024 * 1024,
  /** How long a broker may take to accept a connection, and to respond to a request. */
  kafkaConnectMsMax: 5000,
  kafkaResponseMsMax: 10_000,
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
  registryWaitMsMax: 30_000,
  /** Text of an error of a value: avsc's messages contain the whole value. */
  schemaDetailCharactersMax: 200,
} as const;
