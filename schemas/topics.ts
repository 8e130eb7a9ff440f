// THE topic table. Every service, adapter, tool and document takes names, partitions, keys and retention from here.
// Names carry a version: a change that old readers cannot follow is a new topic, never an edit of this one.

export type Cleanup = 'delete' | 'compact';

/** Avro schema of a topic's values; `bytes` for values that are not Avro. */
export type TopicValue =
  | 'FrameBatch'
  | 'PositionBatch'
  | 'AircraftState'
  | 'FoldProgress'
  | 'FeederRecord'
  | 'FlightPlan'
  | 'Flight'
  | 'EndedFlight'
  | 'bytes';

export interface Topic {
  readonly name: string;
  /** Name for the command line. */
  readonly shortName: string;
  readonly value: TopicValue;
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
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export const topics = {
  frames: {
    name: 'adsb.frames.v1',
    shortName: 'frames',
    value: 'FrameBatch',
    key: null,
    cleanup: 'delete',
    retentionMs: 7 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
  },
  positions: {
    name: 'adsb.positions.v1',
    shortName: 'positions',
    value: 'PositionBatch',
    key: null,
    cleanup: 'delete',
    retentionMs: 30 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
  },
  aircraft: {
    name: 'adsb.aircraft.v1',
    shortName: 'aircraft',
    value: 'AircraftState',
    key: 'ICAO address, 6 lower-case hex digits, `~` before a non-ICAO address',
    cleanup: 'compact',
    retentionMs: null,
    // The flights stage must see every state: stopped for less than this, it misses no take-off and no landing.
    compactAfterMs: HOUR_MS,
    partitions: 'frames',
    recordBytesMax: 16_384,
  },
  progress: {
    name: 'adsb.progress.v1',
    shortName: 'progress',
    value: 'FoldProgress',
    key: 'partition number',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 16_384,
  },
  snapshots: {
    name: 'adsb.snapshots.v1',
    shortName: 'snapshots',
    value: 'bytes',
    key: 'partition number / chunk number',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
  },
  snapshotsKept: {
    name: 'adsb.snapshots.kept.v1',
    shortName: 'snapshots.kept',
    value: 'bytes',
    key: 'partition number / chunk number',
    cleanup: 'delete',
    // As long as the frames: a moment of the past is folded from a snapshot and the frames behind it.
    retentionMs: 7 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 1_000_000,
  },
  flights: {
    name: 'adsb.flights.v1',
    shortName: 'flights',
    value: 'Flight',
    key: 'ICAO address, as in the aircraft topic',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 16_384,
  },
  flightsEnded: {
    name: 'adsb.flights.ended.v1',
    shortName: 'flights.ended',
    value: 'EndedFlight',
    key: 'ICAO address, as in the aircraft topic',
    cleanup: 'delete',
    retentionMs: 30 * DAY_MS,
    compactAfterMs: null,
    partitions: 'frames',
    recordBytesMax: 16_384,
  },
  feeders: {
    name: 'adsb.feeders.v1',
    shortName: 'feeders',
    value: 'FeederRecord',
    key: 'kind of the record, feeder, and for counts the partition: `status/ID`, `receiver/ID/PARTITION` and others, schemas/avro/feeder-record.ts',
    cleanup: 'compact',
    retentionMs: null,
    // The history is made of the counts of each minute: stopped for less than this, it misses none.
    compactAfterMs: HOUR_MS,
    partitions: 1,
    recordBytesMax: 16_384,
  },
  flightplans: {
    name: 'adsb.flightplans.v1',
    shortName: 'flightplans',
    value: 'FlightPlan',
    key: 'call sign',
    cleanup: 'compact',
    retentionMs: null,
    compactAfterMs: null,
    partitions: 1,
    recordBytesMax: 16_384,
  },
  deadletter: {
    name: 'adsb.deadletter.v1',
    shortName: 'deadletter',
    value: 'bytes',
    key: 'where the record stood: topic / partition / offset',
    cleanup: 'delete',
    retentionMs: 30 * DAY_MS,
    compactAfterMs: null,
    partitions: 1,
    recordBytesMax: 1_000_000,
  },
} as const satisfies Record<string, Topic>;

export type TopicId = keyof typeof topics;

export const topicIds = Object.keys(topics) as TopicId[];

/** Partitions of the frames topic, fixed when a log is created: 2 embedded, 12 in a cluster. */
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
