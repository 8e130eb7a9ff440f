// THE topic table. Every service, adapter, tool and document takes names, partitions, keys, retention, sizes and descriptions from here.
// Names carry a version: a change that old readers cannot follow is a new topic, never an edit of this one.
import type { AvroName } from './avro/index.ts';

type Cleanup = 'delete' | 'compact';

export interface Topic {
  readonly name: string;
  /** Name for the command line. */
  readonly shortName: string;
  /** Purpose of the topic. */
  readonly about: string;
  /** Avro schema of the values; `bytes` for values that are not Avro. */
  readonly value: AvroName | 'bytes';
  /** Description of the key; null if records have no key. */
  readonly key: string | null;
  readonly cleanup: Cleanup;
  /** Records older than this may be deleted; null keeps them forever (compacted topics). */
  readonly retentionMs: number | null;
  /** Compacted topics: records younger than this are all kept, superseded ones too; null compacts as soon as it is worth it. */
  readonly compactAfterMs: number | null;
  /** `frames`: as many partitions as the frames topic. A number: that many. */
  readonly partitions: 'frames' | number;
  /** Largest value a record of this topic may have. */
  readonly recordBytesMax: number;
  /** Size retention of the embedded log, for all partitions together; null for none. For a compacted topic, of the uncompacted records. */
  readonly bytesMax: number | null;
  /** The fold writes it from the frames, and can write it again. */
  readonly isFolded: boolean;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const GIB = 1024 ** 3;

export const topics = {
  frames: {
    name: 'adsb.frames.v1',
    shortName: 'frames',
    about: 'Raw frames as receivers gave them, with noise and duplicates, in batches. The contract: pipeline/ingest/RAW_TOPIC.md.',
    value: 'FrameBatch',
    key: null,
    cleanup: 'delete',
    retentionMs: 7 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
    bytesMax: 20 * GIB,
    isFolded: false,
  },
  positions: {
    name: 'adsb.positions.v1',
    shortName: 'positions',
    about: 'Every position that the fold accepted, one batch per partition and tick, each row with the frame it came from.',
    value: 'PositionBatch',
    key: null,
    cleanup: 'delete',
    retentionMs: 30 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
    bytesMax: 10 * GIB,
    isFolded: true,
  },
  aircraft: {
    name: 'adsb.aircraft.v1',
    shortName: 'aircraft',
    about: 'The newest state of every aircraft, at most one per aircraft and tick. A null value: the aircraft is gone.',
    value: 'AircraftState',
    key: 'ICAO address, 6 lower-case hex digits, `~` before a non-ICAO address',
    cleanup: 'compact',
    retentionMs: null,
    // The flights stage must see every state: stopped for less than this, it misses no take-off and no landing.
    compactAfterMs: HOUR_MS,
    partitions: 'frames',
    recordBytesMax: 16_384,
    // The states of the last hour, which are not compacted: 7 GB at 15,000 aircraft.
    bytesMax: 8 * GIB,
    isFolded: true,
  },
  progress: {
    name: 'adsb.progress.v1',
    shortName: 'progress',
    about: 'How far the fold of a partition has come: written after the states of a tick, so that a reader knows that the tick is whole.',
    value: 'FoldProgress',
    key: 'partition number',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 16_384,
    bytesMax: null,
    isFolded: true,
  },
  snapshots: {
    name: 'adsb.snapshots.v1',
    shortName: 'snapshots',
    about:
      'The state of the fold of a partition with the frame offset inside, compressed and cut into chunks. Internal: its layout changes without notice.',
    value: 'bytes',
    key: 'partition number / chunk number',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
    bytesMax: null,
    isFolded: true,
  },
  snapshotsKept: {
    name: 'adsb.snapshots.kept.v1',
    shortName: 'snapshots.kept',
    about: 'The same every 20 s, as long as the frames: a moment of the past is folded from the one before it. Internal as well.',
    value: 'bytes',
    key: 'partition number / chunk number',
    cleanup: 'delete',
    // The same as for frames: a moment of the past is folded from a snapshot and the frames behind it.
    retentionMs: 7 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
    // An eighth of the bytes of their frames at 15,000 aircraft, so these reach further back than the frames.
    bytesMax: 3 * GIB,
    isFolded: true,
  },
  flights: {
    name: 'adsb.flights.v1',
    shortName: 'flights',
    about:
      'The current flight of every aircraft: origin, destination, take-off and landing, and where each comes from. A null value: the aircraft is gone.',
    value: 'Flight',
    key: 'ICAO address, as in the aircraft topic',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 16_384,
    bytesMax: null,
    isFolded: false,
  },
  flightsEnded: {
    name: 'adsb.flights.ended.v1',
    shortName: 'flights.ended',
    about: 'Flights that ended, one record each.',
    value: 'EndedFlight',
    key: 'ICAO address, as in the aircraft topic',
    cleanup: 'delete',
    retentionMs: 30 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 16_384,
    bytesMax: GIB,
    isFolded: false,
  },
  feeders: {
    name: 'adsb.feeders.v1',
    shortName: 'feeders',
    about:
      'What is known of feeders: their connections every 30 s, their counts in each partition once a minute, claims, generations of keys, bans; and the status of each ingest every 10 s. Ids are keyed hashes.',
    value: 'FeederRecord',
    key: 'kind of the record, feeder, and for counts the partition: `status/ID`, `receiver/ID/PARTITION` and others, schemas/avro/feeder-record.ts',
    cleanup: 'compact',
    retentionMs: null,
    // The history is made of the counts of each minute: stopped for less than this, it misses none.
    compactAfterMs: HOUR_MS,
    partitions: 1,
    recordBytesMax: 16_384,
    bytesMax: null,
    isFolded: false,
  },
  flightplans: {
    name: 'adsb.flightplans.v1',
    shortName: 'flightplans',
    about: 'Where a call sign flies from and to, with the source that says so.',
    value: 'FlightPlan',
    key: 'call sign',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 1,
    recordBytesMax: 16_384,
    bytesMax: null,
    isFolded: false,
  },
  deadletter: {
    name: 'adsb.deadletter.v1',
    shortName: 'deadletter',
    about: 'Records that could not be read, as they were; the key says where they stood.',
    value: 'bytes',
    key: 'where the record stood: topic / partition / offset',
    cleanup: 'delete',
    retentionMs: 30 * DAY_MS,
    compactAfterMs: null,
    partitions: 1,
    recordBytesMax: 1_000_000,
    bytesMax: GIB,
    isFolded: true,
  },
} as const satisfies Record<string, Topic>;

export type TopicId = keyof typeof topics;

export const topicIds = Object.keys(topics) as TopicId[];

/** Partitions of the frames topic, fixed when a log is created: at least 2 embedded, one for each thread that folds; 12 in a cluster. */
export const FRAME_PARTITIONS_EMBEDDED = 2;
export const FRAME_PARTITIONS_CLUSTER = 12;

/** Number of partitions of a topic in a log whose frames topic has `framePartitions`. */
export function topicPartitions(topic: Topic, framePartitions: number): number {
  return topic.partitions === 'frames' ? framePartitions : topic.partitions;
}

/** Finds a topic by full or short name; undefined when there is none. */
export function topicByName(name: string): TopicId | undefined {
  return topicIds.find((id) => topics[id].name === name || topics[id].shortName === name);
}
