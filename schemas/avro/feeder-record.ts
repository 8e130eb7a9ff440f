// Value of `adsb.feeders.v1`: what is known of a feeder, one part to a record. The key says which part it is, so that compaction keeps each part.

export const FEEDER_DIRECTIONS = 16;

/** THE kinds of records and their keys. ID is the id of a feeder: 16 hex digits. A null value ends what the record said. */
export const feederKinds = {
  status: { key: 'status/ID', about: 'its connection, every 30 s while there is one, and a last one when it ends' },
  receiver: { key: 'receiver/ID/PARTITION', about: 'what the fold of a partition counted, once a minute while it is heard' },
  claim: { key: 'claim/ID', about: 'it is claimed, under this name' },
  keys: { key: 'keys/ID', about: 'the generation of the key that its claim gave' },
  ban: { key: 'ban/ID', about: 'it may not connect' },
  ingest: { key: 'ingest/INSTANCE', about: 'status of an ingest, every 10 s; null when it stops' },
  installation: { key: 'installation', about: 'fingerprint of the secret that all ids are made with' },
} as const;
export type FeederKind = keyof typeof feederKinds;

/** A connection as one ingest sees it. */
export interface FeederStatus {
  /** Event time of the ingest. */
  timeMs: number;
  connectedMs: number;
  state: FeederState;
  /** `beast` or `avr`. */
  format: string | null;
  /** Since the connection began. */
  frames: number;
  bytes: number;
  /** Bytes without a frame. */
  garbageBytes: number;
  /** Keyed hash of the address that it connected from; null for a private address, which identifies nobody. */
  addressHash: string | null;
}

export const feederStates = ['connected', 'gone'] as const;
export type FeederState = (typeof feederStates)[number];

/** Status of an ingest. Distinguishes an ingest without feeders from one whose feeders hear nothing. */
export interface IngestState {
  /** Feeders connected; simulated traffic and a recording while it plays count as one each. */
  feeders: number;
  /** How long there has been none; 0 while there is one. */
  withoutFeederMs: number;
  /** Event time minus the wall clock of the ingest. */
  aheadMs: number;
}

/** What the fold of one partition counted of a feeder. Counts are since the log began. */
export interface ReceiverRecord {
  partition: number;
  /** The tick that wrote it. */
  timeMs: number;
  /** All frames, including noise. */
  frames: number;
  /** Frames that changed a state. */
  messages: number;
  duplicates: number;
  positions: number;
  disagreements: number;
  /** DF 17 whose parity is right without a repair. */
  cleanDf17: number;
  /** Different aircraft in the last whole minute. */
  aircraft: number;
  /** Greatest range of its positions in the last whole minute, north first, clockwise; 0 without any. */
  rangeNm: number[];
  /** Mean signal level of the last whole minute, dBFS times 10; null without any. */
  signalDecidb: number | null;
  lateMs: number;
  /** Event time of its last frame. */
  heardMs: number;
  /** Until when this partition makes it a Contributor; 0: it does not. */
  contributorUntilMs: number;
}

export interface FeederClaim {
  name: string;
  /** Its range may be shown to others. */
  showRange: boolean;
  claimedAtMs: number;
}

export interface FeederKeys {
  generation: number;
  /** Until when the key of the previous generation is valid. */
  previousEndsMs: number;
  /** Keys of lower generations are not valid. */
  revokedBelow: number;
}

export interface FeederBan {
  reason: string;
  sinceMs: number;
  /** Its address is banned, too. */
  addressHash: string | null;
}

export interface Installation {
  fingerprint: string;
}

/** Exactly one part is not null. */
export interface FeederRecord {
  status: FeederStatus | null;
  receiver: ReceiverRecord | null;
  claim: FeederClaim | null;
  keys: FeederKeys | null;
  ban: FeederBan | null;
  ingest: IngestState | null;
  installation: Installation | null;
}

const NONE: FeederRecord = { status: null, receiver: null, claim: null, keys: null, ban: null, ingest: null, installation: null };

/** A record with this part. */
export function feederRecord(part: Partial<FeederRecord>): FeederRecord {
  return { ...NONE, ...part };
}

export interface FeederKey {
  readonly kind: FeederKind;
  /** Feeder or instance; empty where the kind has one record. */
  readonly id: string;
  /** Of `receiver`; −1 for the others. */
  readonly partition: number;
}

export const INGEST_KEY = 'ingest/';

/** A feeder itself: not a receiver whose frames it passes on, not a source of our own. */
export function isFeederId(id: string): boolean {
  return /^[0-9a-f]{16}$/.test(id);
}

/** Key of a record of a feeder. */
export function feederKey(kind: Exclude<FeederKind, 'receiver' | 'installation'>, id: string): string {
  return `${kind}/${id}`;
}

export function receiverKey(id: string, partition: number): string {
  return `receiver/${id}/${partition}`;
}

/** Null for a key that is in no row of the table. */
export function parseFeederKey(key: string): FeederKey | null {
  const [kind = '', id = '', partition, ...more] = key.split('/');
  if (!Object.hasOwn(feederKinds, kind) || more.length > 0) return null;
  if ((partition !== undefined) !== (kind === 'receiver')) return null;
  if (kind === 'installation' ? id !== '' : kind === 'ingest' ? id === '' : !isFeederId(id)) return null;
  const number = partition === undefined ? -1 : Number(partition);
  return Number.isInteger(number) ? { kind: kind as FeederKind, id, partition: number } : null;
}

const part = (name: keyof FeederRecord, record: string, fields: readonly object[]) =>
  ({
    name,
    type: ['null', { type: 'record', name: record, fields }],
    // The first field has no default: bytes of another kind are no record then.
    ...(name === 'status' ? {} : { default: null }),
    doc: name === 'installation' ? feederKinds[name].about : `key ${feederKinds[name].key}: ${feederKinds[name].about}`,
  }) as const;
const long = (name: string, doc?: string) => ({ name, type: 'long', ...(doc === undefined ? {} : { doc }) });
const int = (name: string, doc?: string) => ({ name, type: 'int', ...(doc === undefined ? {} : { doc }) });
const text = (name: string, doc?: string) => ({ name, type: 'string', ...(doc === undefined ? {} : { doc }) });
const optional = (name: string, type: string, doc: string) => ({ name, type: ['null', type], default: null, doc });

export const feederRecordSchema = {
  type: 'record',
  name: 'FeederRecord',
  namespace: 'squitter.v1',
  fields: [
    part('status', 'FeederStatus', [
      long('timeMs'),
      long('connectedMs', 'when the connection began'),
      { name: 'state', type: { type: 'enum', name: 'FeederState', symbols: feederStates } },
      optional('format', 'string', '`beast` or `avr`'),
      long('frames', 'since the connection began'),
      long('bytes'),
      long('garbageBytes', 'bytes without a frame'),
      optional('addressHash', 'string', 'keyed hash of its address; null for a private address'),
    ]),
    part('receiver', 'ReceiverRecord', [
      int('partition'),
      long('timeMs', 'the tick that wrote it'),
      long('frames', 'all frames since the log began, like the other counts'),
      long('messages', 'frames that changed a state'),
      long('duplicates', 'frames that another receiver had delivered before'),
      long('positions', "positions that became an aircraft's position"),
      long('disagreements', 'contradictions to the others'),
      long('cleanDf17', 'DF 17 whose parity is right without a repair'),
      int('aircraft', 'different aircraft in the last whole minute'),
      {
        name: 'rangeNm',
        type: { type: 'array', items: 'int' },
        doc: `greatest range in the last whole minute in ${FEEDER_DIRECTIONS} directions, north first, clockwise; 0 without any`,
      },
      optional('signalDecidb', 'int', 'mean signal level of the last whole minute, dBFS times 10'),
      int('lateMs', 'lateness behind the earliest receiver'),
      long('heardMs', 'event time of its last frame'),
      long('contributorUntilMs', 'until when this partition makes it a Contributor; 0: it does not'),
    ]),
    part('claim', 'FeederClaim', [text('name'), { name: 'showRange', type: 'boolean' }, long('claimedAtMs')]),
    part('keys', 'FeederKeys', [
      int('generation'),
      long('previousEndsMs', 'until when the key of the previous generation is valid'),
      int('revokedBelow', 'keys of lower generations are not valid'),
    ]),
    part('ban', 'FeederBan', [text('reason'), long('sinceMs'), optional('addressHash', 'string', 'its address is banned, too')]),
    part('ingest', 'IngestState', [
      int('feeders', 'feeders connected; simulated traffic and a recording while it plays count as one each'),
      long('withoutFeederMs', 'since how long there is none; 0 while there is one'),
      long('aheadMs', 'event time less the wall clock of the ingest'),
    ]),
    part('installation', 'Installation', [text('fingerprint')]),
  ],
} as const;
