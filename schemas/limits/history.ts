// Limits of the history: tables, retention, store, sink, daily files.

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const historyLimits = {
  // tables
  /** Inserts per table whose tokens are remembered: at one a second and partition, some hours of repeats. */
  deduplicationWindowBlocks: 10_000,
  /** Cells of the heat map per degree: a cell is 6 nautical miles high. */
  densityCellsPerDegree: 10,
  // retention
  /** Days that are kept, today included, unless an option says otherwise: as long as the topic of positions. */
  historyDaysDefault: 30,
  historyDaysMax: 36_500,
  /** Disk space that an option may give the history, GiB. */
  historyGibMin: 0.1,
  historyGibMax: 100_000,
  /** Damaged parts that are named: more of them are a damaged disk. */
  historyDamagedPartsMax: 1000,
  /** Disk space of the history unless an option says otherwise. */
  historyBytesDefault: 20 * GIB,
  /** The history takes no more of the space that is free or its own: the log and other programs need the rest. */
  historyDiskRatio: 1 / 4,
  /** The same share on a ClickHouse server, which has its disk to itself: merges need the rest. */
  serverDiskRatio: 3 / 4,
  retentionMs: 30_000,
  /** A clock that was set forward by more than this between two looks says nothing of the age of days, for so long: somebody may set it right. */
  retentionStepMsMax: 3_600_000,
  retentionHoldMs: 86_400_000,
  // the client
  /** Time that the store gives a query, unless the query asks for more. */
  querySecondsMax: 30,
  clientConnectionsMax: 32,
  /** Longer than any query may take: an export reads a day. */
  clientRequestMsMax: 3_600_000,
  /** How much longer than the store a client waits: its query may wait for a session. */
  clientSlackMs: 30_000,
  // the embedded store
  /** Statements that read at a time. Each takes a thread while it runs; two cores have no use for more. */
  storeReaders: 6,
  /** Threads of the child's pool: readers, the writer, the one that cancels, and files. */
  storePoolThreads: 12,
  /** The same with little memory: a thread keeps 1 MB of what it freed. */
  storeSmallPoolThreads: 5,
  /** Statements that wait for a session, for reading and for writing. */
  storeWaitingMax: 200,
  /** Memory of the engine, beyond which statements fail (code 241). */
  storeMemoryBytesMax: 1 * GIB,
  /** At most this share of the machine's. */
  storeMemoryRatio: 1 / 4,
  /** Each cache's share of it. */
  storeCacheRatio: 1 / 32,
  storeMergeThreads: 1,
  storeScheduleThreads: 4,
  /** Threads of the engine at a time, and those that it keeps while they are idle: each holds three descriptors. */
  storeThreadsMax: 200,
  storeThreadsIdleMax: 8,
  /** Threads that remove old parts, load parts, or read files: the engine takes 128, 64 and 100 unless told otherwise. */
  storeFileThreads: 4,
  /** Descriptors below which the store does not start: its process and engine take 60, threads 30 to 90, connections 40, parts 30. */
  storeDescriptorsMin: 200,
  /** With fewer than this, the store opens less at a time: a query in order takes one for each column of each part of a day. */
  storeDescriptorsAmple: 2048,
  /** Threads, readers, parts of a merge (100 otherwise) and connections (32 are of the service) that are open at the same time then. */
  storeFewThreadsMax: 64,
  storeFewReaders: 2,
  storeFewMergedParts: 10,
  storeFewConnectionsMax: 40,
  /** Parts are merged up to this size: a day of 15,000 aircraft has a few of them. */
  storeMergeBytesMax: 2 * GIB,
  /** Text of a statement; ClickHouse parses no more than 256 KiB of it. */
  storeStatementBytesMax: 1 * MIB,
  /** Address and headers of a request: an insert has its statement in the address. */
  storeAddressBytesMax: 256 * 1024,
  /** Body of an insert: 50,000 rows take 3 MB. */
  storeInsertBytesMax: 256 * MIB,
  /** Result that is not streamed, and so is in memory as a whole. */
  storeResultBytesMax: 128 * MIB,
  storeConnectionsMax: 256,
  /** How much lower the priority of the store's process is: live aircraft come first when the processor is short. */
  storeNiceness: 5,
  storeIdleMsMax: 10_000,
  /** A body that takes longer than this is abandoned. */
  storeRequestMsMax: 300_000,
  storeStatsMs: 1000,
  /** Characters of the child's last words in a log line. */
  storeErrorTextMax: 2000,
  storeDiskCheckMs: 500,
  /** Free disk space below which inserts are refused, or an eighth of a smaller disk: twice what the log keeps free, so that the history stops first. */
  storeDiskReserveBytes: 512 * MIB,
  /** The child is killed if it has not stopped by then: everything acknowledged is in files. */
  storeStopMsMax: 5000,
  /** How long a service that starts waits for its store: many parts on a slow disk take minutes. */
  storeStartWaitMsMax: 20_000,
  /** A start that takes longer is given up, and tried again. */
  storeStartMsMax: 600_000,
  /** Without statistics for so long, a store counts as one that does not answer. */
  storeSilentMsWarned: 10_000,
  /** A store that is silent for longer is ended and started again: it is frozen, or stuck. Preparing a stream may keep it busy for seconds. */
  storeSilentMsMax: 120_000,
  /** A client that reads none of a response for so long is disconnected: it holds a session. As ClickHouse's `http_send_timeout`, twice as long. */
  storeStallMsMax: 60_000,
  /** Length of a query parameter in a statement: its type may list the values of an Enum. */
  storePlaceholderCharactersMax: 2000,
  /** Pauses between restarts of a child that ended by itself. */
  storeRestartMsMin: 200,
  /** One that answered for longer is started again after the shortest pause. One that ends at its first merge must not keep a core busy with starts. */
  storeSteadyMs: 3000,
  storeRestartMsMax: 30_000,
  // daily files
  /** Memory of DuckDB. The whole process needs up to 260 MB more: what it allocates beside that, Node, and blocks on their way. */
  exportDuckMemoryMb: 512,
  exportThreads: 2,
  /** Rows of a row group: fixed, because the bytes of a file depend on it. DuckDB's own default. */
  exportRowGroupRows: 122_880,
  /** How much earlier or later than an event its record may be in a topic. */
  exportSlackMs: 600_000,
  /** A day cannot be exported before this time after its end. */
  exportSettleMs: 60_000,
  /** Rows of one query of an export, about 25 MB as Parquet, which the embedded store makes in memory; and queries at a time. */
  exportFetchRows: 1_000_000,
  exportFetchesMax: 2,
  exportQuerySecondsMax: 1800,
  /** How often a scheduler looks for a day that is due. */
  exportCheckMs: 60_000,
  /** A day is exported this long after its end: flights of that evening have landed, and late records are in the store. */
  exportDueAfterMs: 7_200_000,
  /** Days of downtime that are made up for: as long as the positions are kept in the log. */
  exportDaysMax: 30,
  /** Pauses between attempts at a day that failed: they double. */
  exportRetryMsMin: 60_000,
  exportRetryMsMax: 3_600_000,
  /** Output of a failed export that is kept for its error. */
  exportErrorBytesMax: 4096,
  /** Days on the page of the downloads; index.json has all. */
  bulkDaysShownMax: 90,
  /** Downloads at a time; further ones are refused with 503. Each holds a piece of 256 KB. */
  bulkDownloadsMax: 64,
  /** Published days of the embedded service: 30 days of 1,000 aircraft are about as much. */
  bulkBytesDefault: 10 * GIB,
  /** Part of an upload to object storage, held in memory; 10,000 parts are allowed. */
  uploadPartBytes: 16 * MIB,
  /** One request of an upload: 16 MiB at 55 KB/s. */
  uploadRequestMsMax: 300_000,
  /** Days in an index; a folder with more shows the newest. */
  bulkDaysMax: 3660,
  /** Names that are read from object storage, which lists the oldest first: a hundred years of days. */
  bulkNamesMax: 36_525,
  /** Times that the list of days is written again because other uploaders added days meanwhile. */
  bulkListingsMax: 10,
  // the sink
  /** Rows of an insert: parts of this size need few merges, and 50,000 rows are 3 MB. A batch may be over it by the rows of one record. */
  historyBatchRowsMax: 50_000,
  /** Rows of a batch that an earlier run planned; no run plans more of them. */
  historyPlannedRowsMax: 100_000,
  /** A batch that is not full is inserted after this. */
  historyBatchAgeMsMax: 4000,
  /** Pause after a full batch, as a share of the time that it took: a history that is behind leaves room for live requests. */
  historyRestShare: 1,
  /** At most; a store that was away confirms late. */
  historyRestMsMax: 300,
  /** While the fold of a partition has more frame records than this before it, the embedded history waits. A record has up to 64 KB: five seconds of 30,000 aircraft. */
  historyYieldRecords: 256,
  historyYieldCheckMs: 100,
  /** A fold that is behind for longer than this does not hold the history up: the log keeps what it has not read for a limited time. */
  historyYieldMsMax: 60_000,
  /** Pauses between two inserts of the same batch while the store is away. */
  historyRetryMsMin: 250,
  historyRetryMsMax: 5000,
  /** An insert that the store has not confirmed by then is sent again: the store may be frozen. */
  historyInsertMsMax: 20_000,
  /** Times that missing rows of one confirmed batch are inserted again. Each needs a store that dies at the same moment, unless somebody deletes them. */
  historyRestoresMax: 3,
  /** Interval of signal samples, and those that wait for the store at most: an hour. */
  signalWriteMs: 2000,
  signalPendingMax: 1800,
  /** Interval at which rows of feeders are looked for, those that wait for the store at most, and buckets of five minutes that are kept for it. */
  feederWriteMs: 30_000,
  feederRowsPendingMax: 100_000,
  feederBucketsKept: 10,
  /** Rows of one feeder in one response: 31 days. */
  feederRowsMax: 8928,
  /** Looking for the newest row of a partition reads offsets of all days: a billion rows take 10 s on one slow core. */
  evidenceSecondsMax: 600,
  /** Pause before a sink joins its group again, after the log refused a read or a commit. */
  historyRejoinMs: 1000,
  /** How long a stopping sink waits for the store to take what has been read. The rest is read again after the next start. */
  historyDrainMsMax: 5000,
  // the audit
  /** Rows that are compared at a time. */
  auditRowsMax: 100_000,
  auditSecondsMax: 60,
} as const;
