// One feeder as the records of the topic say: plain data, made of the newest record of each kind.
import {
  FEEDER_DIRECTIONS,
  type FeederBan,
  type FeederClaim,
  type FeederKeys,
  type FeederStatus,
  type ReceiverRecord,
} from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';

/** Sums over the partitions, for display; `aircraft`, `rangeNm` and `signalDecidb` are of the last whole minute of each. */
export interface FeederCounts {
  readonly frames: number;
  readonly messages: number;
  readonly duplicates: number;
  readonly positions: number;
  readonly disagreements: number;
  readonly cleanDf17: number;
  readonly aircraft: number;
  /** The greatest of the partitions in each direction, north first, clockwise; 0 without any. */
  readonly rangeNm: readonly number[];
  /** Mean of the partitions, dBFS times 10; null without any. */
  readonly signalDecidb: number | null;
  readonly lateMs: number;
  /** Event time of its last frame; 0 before the first. */
  readonly heardMs: number;
}

/** Counts of the record of a partition before its newest one. */
export type CountsBefore = Pick<ReceiverRecord, 'timeMs' | 'frames' | 'positions' | 'disagreements'>;

/** Counts between the two newest records of each partition. While it is heard, they are a minute apart. */
export interface RecentCounts {
  readonly framesPerS: number;
  readonly positions: number;
  readonly disagreements: number;
}

/** All times are ms since the Unix epoch; 0 stands for never. */
export interface Feeder {
  readonly id: string;
  /** It counts as connected until then: an ingest that was killed does not say that its feeders are gone. */
  readonly connectedUntilMs: number;
  /** When it was connected last, or one of its frames was folded. */
  readonly lastSeenMs: number;
  /** Keyed hash of its newest address; null while unknown or private. */
  readonly addressHash: string | null;
  /** Callers from that address count as this feeder until then. */
  readonly addressUntilMs: number;
  /** It is a Contributor until then: the greatest of its partitions. */
  readonly contributorUntilMs: number;
  readonly status: FeederStatus | null;
  readonly counts: FeederCounts;
  /** Null until a partition has two records. */
  readonly recent: RecentCounts | null;
  readonly claim: FeederClaim | null;
  readonly keys: FeederKeys | null;
  readonly ban: FeederBan | null;
}

/** False if nothing is known, and for one that was forgotten: of that the generation of its keys may be left. */
export function isKnown(feeder: Feeder | null): feeder is Feeder {
  if (feeder === null) return false;
  const { status, claim, ban, counts, lastSeenMs } = feeder;
  return status !== null || claim !== null || ban !== null || counts.frames > 0 || lastSeenMs > 0;
}

/** The newest records of one feeder. */
export interface FeederParts {
  status: FeederStatus | null;
  readonly receivers: ReadonlyMap<number, ReceiverRecord>;
  readonly before: ReadonlyMap<number, CountsBefore>;
  claim: FeederClaim | null;
  keys: FeederKeys | null;
  ban: FeederBan | null;
}

export function feederOf(id: string, { status, receivers, before, claim, keys, ban }: FeederParts): Feeder {
  const records = [...receivers.values()];
  const counts = countsOf(records);
  const statusMs = status?.timeMs ?? 0;
  const addressHash = status?.addressHash ?? null;
  return {
    id,
    connectedUntilMs: status?.state === 'connected' ? statusMs + limits.feederConnectedMs : 0,
    lastSeenMs: Math.max(counts.heardMs, statusMs),
    addressHash,
    addressUntilMs: addressHash === null ? 0 : statusMs + limits.feederAddressMs,
    contributorUntilMs: records.reduce((last, { contributorUntilMs }) => Math.max(last, contributorUntilMs), 0),
    status,
    counts,
    recent: recentOf(records, before),
    ...{ claim, keys, ban },
  };
}

function recentOf(records: readonly ReceiverRecord[], before: FeederParts['before']): RecentCounts | null {
  const pairs = records.flatMap((newest) => {
    const older = before.get(newest.partition);
    return older === undefined ? [] : [{ newest, older }];
  });
  if (pairs.length === 0) return null;
  const sum = (count: (pair: (typeof pairs)[number]) => number): number => pairs.reduce((total, pair) => total + count(pair), 0);
  return {
    framesPerS: sum(({ newest, older }) => ((newest.frames - older.frames) * 1000) / (newest.timeMs - older.timeMs)),
    positions: sum(({ newest, older }) => newest.positions - older.positions),
    disagreements: sum(({ newest, older }) => newest.disagreements - older.disagreements),
  };
}

function countsOf(records: readonly ReceiverRecord[]): FeederCounts {
  const sum = (count: (record: ReceiverRecord) => number): number => records.reduce((total, record) => total + count(record), 0);
  const levels = records.flatMap(({ signalDecidb }) => signalDecidb ?? []);
  return {
    frames: sum(({ frames }) => frames),
    messages: sum(({ messages }) => messages),
    duplicates: sum(({ duplicates }) => duplicates),
    positions: sum(({ positions }) => positions),
    disagreements: sum(({ disagreements }) => disagreements),
    cleanDf17: sum(({ cleanDf17 }) => cleanDf17),
    aircraft: sum(({ aircraft }) => aircraft),
    rangeNm: Array.from({ length: FEEDER_DIRECTIONS }, (_, i) => Math.max(0, ...records.map(({ rangeNm }) => rangeNm[i] ?? 0))),
    signalDecidb: levels.length === 0 ? null : Math.round(levels.reduce((total, level) => total + level, 0) / levels.length),
    lateMs: records.reduce((most, { lateMs }) => Math.max(most, lateMs), 0),
    heardMs: records.reduce((newest, { heardMs }) => Math.max(newest, heardMs), 0),
  };
}
