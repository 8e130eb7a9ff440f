// Value of `adsb.feeders.v1`: what is known of a feeder, one part to a record. The key says which part it is, so that compaction keeps each part.
import { type AvroValue, optional, record, required } from './value.ts';

export const FEEDER_DIRECTIONS = 16;

/** THE kinds of records and their keys. ID is the id of a feeder: 16 hex digits. A null value ends what the record said. */
const feederKinds = {
  status: { key: 'status/ID', about: 'its connection, every 30 s while there is one, and a last one when it ends' },
  receiver: { key: 'receiver/ID/PARTITION', about: 'what the fold of a partition counted, once a minute while it is heard' },
  claim: { key: 'claim/ID', about: 'it is claimed, under this name' },
  keys: { key: 'keys/ID', about: 'the generation of the key that its claim gave' },
  ban: { key: 'ban/ID', about: 'it may not connect' },
  ingest: { key: 'ingest/INSTANCE', about: 'status of an ingest, every 10 s; null when it stops' },
  installation: { key: 'installation', about: 'fingerprint of the secret that all ids are made with' },
} as const;
type FeederKind = keyof typeof feederKinds;

const feederStates = ['connected', 'gone'] as const;

/** A connection as one ingest sees it. */
const statusSchema = record('FeederStatus', [
  required('timeMs', 'long', 'event time of the ingest'),
  required('connectedMs', 'long', 'when the connection began'),
  required('state', { type: 'enum', name: 'FeederState', symbols: feederStates }),
  optional('format', 'string', '`beast` or `avr`'),
  required('frames', 'long', 'since the connection began'),
  required('bytes', 'long'),
  required('garbageBytes', 'long', 'bytes without a frame'),
  optional('addressHash', 'string', 'keyed hash of its address; null for a private address, which identifies nobody'),
]);

/** Counts of a feeder by the fold of one partition. */
const receiverSchema = record('ReceiverRecord', [
  required('partition', 'int'),
  required('timeMs', 'long', 'the tick that wrote it'),
  required('frames', 'long', 'all frames since the log began, like the other counts'),
  required('messages', 'long', 'frames that changed a state'),
  required('duplicates', 'long', 'frames that another receiver had delivered before'),
  required('positions', 'long', "positions that became an aircraft's position"),
  required('disagreements', 'long', 'contradictions to the others'),
  required('cleanDf17', 'long', 'DF 17 whose parity is right without a repair'),
  required('aircraft', 'int', 'different aircraft in the last whole minute'),
  required(
    'rangeNm',
    { type: 'array', items: 'int' },
    `greatest range in the last whole minute in ${FEEDER_DIRECTIONS} directions, north first, clockwise; 0 without any`,
  ),
  optional('signalDecidb', 'int', 'mean signal level of the last whole minute, dBFS times 10'),
  required('lateMs', 'int', 'lateness behind the earliest receiver'),
  required('heardMs', 'long', 'event time of its last frame'),
  required('contributorUntilMs', 'long', 'until when this partition makes it a Contributor; 0: it does not'),
]);

const claimSchema = record('FeederClaim', [
  required('name', 'string'),
  required('showRange', 'boolean', 'its range may be shown to others'),
  required('claimedAtMs', 'long'),
]);

const keysSchema = record('FeederKeys', [
  required('generation', 'int'),
  required('previousEndsMs', 'long', 'until when the key of the previous generation is valid'),
  required('revokedBelow', 'int', 'keys of lower generations are not valid'),
]);

const banSchema = record('FeederBan', [
  required('reason', 'string'),
  required('sinceMs', 'long'),
  optional('addressHash', 'string', 'its address is banned, too'),
]);

/** Status of an ingest. Distinguishes an ingest without feeders from one whose feeders hear nothing. */
const ingestSchema = record('IngestState', [
  required('feeders', 'int', 'feeders connected; simulated traffic and a recording while it plays count as one each'),
  required('withoutFeederMs', 'long', 'since how long there is none; 0 while there is one'),
  required('aheadMs', 'long', 'event time less the wall clock of the ingest'),
]);

const aboutPart = (kind: FeederKind): string => `key ${feederKinds[kind].key}: ${feederKinds[kind].about}`;

export const feederRecordSchema = {
  type: 'record',
  name: 'FeederRecord',
  namespace: 'squitter.v1',
  doc: 'Exactly one part is not null.',
  fields: [
    // The first field has no default: bytes of another kind are no record then.
    required('status', ['null', statusSchema], aboutPart('status')),
    optional('receiver', receiverSchema, aboutPart('receiver')),
    optional('claim', claimSchema, aboutPart('claim')),
    optional('keys', keysSchema, aboutPart('keys')),
    optional('ban', banSchema, aboutPart('ban')),
    optional('ingest', ingestSchema, aboutPart('ingest')),
    optional('installation', record('Installation', [required('fingerprint', 'string')]), aboutPart('installation')),
  ],
} as const;

export type FeederStatus = AvroValue<typeof statusSchema>;
export type ReceiverRecord = AvroValue<typeof receiverSchema>;
export type FeederClaim = AvroValue<typeof claimSchema>;
export type FeederKeys = AvroValue<typeof keysSchema>;
export type FeederBan = AvroValue<typeof banSchema>;
export type IngestState = AvroValue<typeof ingestSchema>;
export type FeederRecord = AvroValue<typeof feederRecordSchema>;

const NONE: FeederRecord = { status: null, receiver: null, claim: null, keys: null, ban: null, ingest: null, installation: null };

/** A record with this part. */
export function feederRecord(part: Partial<FeederRecord>): FeederRecord {
  return { ...NONE, ...part };
}

interface FeederKey {
  readonly kind: FeederKind;
  /** Feeder or instance; empty where the kind has one record. */
  readonly id: string;
  /** Partition of a `receiver`; −1 for the others. */
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
