// Creates missing topics on the brokers after the topic table, and compares existing ones with it.
import kafkajs, { type Admin, type DescribeConfigResponse } from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type Topic, topicIds, topicPartitions, topics } from '../../../schemas/topics.ts';
import { retrying } from '../../runtime/retry.ts';
import { settledWithin } from '../../runtime/waiting.ts';
import { type KafkaConnection, KafkaSockets, kafkaClient, type OnKafkaMessage } from './connection.ts';
import { kafkaCode, unreachable } from './failures.ts';
import { KafkaNames } from './names.ts';

/**
 * How long records stay. Kafka takes their age from their own timestamp. With the retention of the `table`, a recording of last year would be
 * deleted minutes after it is written, so appending it is refused.
 */
export type KafkaRetention = 'table' | 'forever';

interface EnsureTopicsOptions {
  /** Creates missing topics; otherwise a missing topic is a difference. */
  readonly create: boolean;
  /** Replicas of each partition; more are accepted. With three or more, a record must be on two replicas before it is acknowledged. */
  readonly replicationFactor: number;
  readonly framePartitions: number;
  readonly namePrefix?: string;
  readonly retention?: KafkaRetention;
  readonly onMessage?: OnKafkaMessage;
}

interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly copies: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** Largest number that Kafka accepts. */
const NO_LIMIT = '9223372036854775807';

/** Settings of a topic on the brokers. */
export function topicSettings(
  { cleanup, retentionMs, compactAfterMs }: Topic,
  replicationFactor: number,
  retention: KafkaRetention = 'table',
): Record<string, string> {
  const common = {
    'cleanup.policy': cleanup,
    'compression.type': 'producer',
    'max.message.bytes': String(limits.kafkaMessageBytesMax),
    'message.timestamp.type': 'CreateTime',
    // A file may have any time, so Kafka must accept every timestamp.
    'message.timestamp.after.max.ms': NO_LIMIT,
    'min.insync.replicas': String(replicationFactor >= 3 ? 2 : 1),
  };
  if (cleanup === 'delete') return { ...common, 'retention.ms': String(retention === 'table' ? retentionMs : -1) };
  return {
    ...common,
    // Readers begin at the start, so superseded records must be removed soon; only closed segments are compacted.
    'min.cleanable.dirty.ratio': String(limits.kafkaCleanDirtyRatioMin),
    'segment.bytes': String(limits.kafkaCompactSegmentBytes),
    'segment.ms': String(limits.kafkaCompactSegmentMs),
    'delete.retention.ms': String(limits.logTombstoneKeepMs),
    ...(compactAfterMs === null ? {} : { 'min.compaction.lag.ms': String(compactAfterMs) }),
  };
}

/** Errors: `log.topic_mismatch` with every difference, `connect.failed`. */
export function ensureTopics(connection: KafkaConnection, options: EnsureTopicsOptions): Promise<void> {
  return withAdmin(connection, options.onMessage, (admin) => ensure(admin, options));
}

async function withAdmin(
  connection: KafkaConnection,
  onMessage: OnKafkaMessage | undefined,
  work: (admin: Admin) => Promise<void>,
): Promise<void> {
  const sockets = new KafkaSockets();
  const admin = kafkaClient(connection, { sockets, onMessage }).admin();
  try {
    await admin.connect();
    await untilKnown(() => work(admin));
  } catch (error) {
    throw unreachable(connection.brokers, error);
  } finally {
    await settledWithin(admin.disconnect(), limits.kafkaCloseMsMax);
    await sockets.close();
  }
}

/** Wrong values of these lose records or hide them from other services. Replicas, retention and sizes are the operator's choice. */
const ESSENTIAL_SETTINGS = ['cleanup.policy', 'message.timestamp.type'];

/**
 * Check at the start of every service: as many partitions as the frames topic, and the essential settings. Logs a warning if the user may not
 * read settings. Errors: `log.topic_mismatch`, `log.topics_missing`, `connect.failed`.
 */
export async function checkTopics(connection: KafkaConnection, namePrefix: string, onMessage?: OnKafkaMessage): Promise<void> {
  await withAdmin(connection, onMessage, async (admin) => {
    const names = new KafkaNames(namePrefix);
    const frames = names.topic('frames');
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [frames] });
    const wanted = wantedTopics(names, found[0]!.partitions.length, (topic) =>
      Object.fromEntries(Object.entries(topicSettings(topic, 1)).filter(([name]) => ESSENTIAL_SETTINGS.includes(name))),
    );
    const differences = await compare(admin, wanted).catch((error: unknown) => {
      if (!/AUTHORIZATION_FAILED$/.test(kafkaCode(error) ?? '')) throw error;
      onMessage?.('warn', 'settings of topics are not checked: this user may not read them', { part: 'topics' });
      return compare(
        admin,
        wanted.map((topic) => ({ ...topic, settings: {} })),
      );
    });
    if (differences.length > 0) throw new SquitterError('log.topic_mismatch', { differences: differences.join('\n') });
  });
}

/** Retries while not every broker knows a topic that was just created. */
function untilKnown(work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + limits.kafkaRequestMsMax;
  return retrying(work, (error) => {
    if (!UNKNOWN_YET.has(kafkaCode(error) ?? '') || performance.now() > deadline) throw error;
    return limits.kafkaRetryMs;
  });
}

const UNKNOWN_YET = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);

async function ensure(admin: Admin, options: EnsureTopicsOptions): Promise<void> {
  const names = new KafkaNames(options.namePrefix ?? '');
  const { replicationFactor: copies, framePartitions } = options;
  const wanted = wantedTopics(names, framePartitions, (topic) => topicSettings(topic, copies, options.retention), copies);
  const live = new Set(await admin.listTopics());
  const missing = wanted.filter(({ name }) => !live.has(name));
  // Compare existing topics first: nothing is created if one of them differs.
  const differences = await compare(
    admin,
    wanted.filter(({ name }) => live.has(name)),
  );
  if (!options.create) differences.push(...missing.map(({ name }) => `${name}: missing`));
  if (differences.length > 0) throw new SquitterError('log.topic_mismatch', { differences: differences.join('\n') });
  if (missing.length === 0) return;
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map(({ name, partitions, settings }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: copies,
      configEntries: Object.entries(settings).map(([key, value]) => ({ name: key, value })),
    })),
  });
  // If another process or an earlier attempt created them, Kafka responds before its brokers know them.
  await admin.fetchTopicMetadata({ topics: missing.map(({ name }) => name) });
}

function wantedTopics(
  names: KafkaNames,
  framePartitions: number,
  settingsOf: (topic: Topic) => Record<string, string>,
  copies = 1,
): WantedTopic[] {
  return topicIds.map((id) => {
    const topic: Topic = topics[id];
    return { name: names.topic(id), partitions: topicPartitions(topic, framePartitions), copies, settings: settingsOf(topic) };
  });
}

/** One line per setting that differs. */
async function compare(admin: Admin, wanted: readonly WantedTopic[]): Promise<string[]> {
  if (wanted.length === 0) return [];
  const { topics: found } = await admin.fetchTopicMetadata({ topics: wanted.map(({ name }) => name) });
  const configured = wanted.filter(({ settings }) => Object.keys(settings).length > 0);
  const resources = configured.length === 0 ? [] : await settingsOnBrokers(admin, configured);
  return wanted.flatMap(({ name, partitions, copies, settings }) => {
    const live = found.find((topic) => topic.name === name)!.partitions;
    const fewestCopies = Math.min(...live.map(({ replicas }) => replicas.length));
    const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? [];
    const values = new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
    const lines = Object.entries(settings).map(([key, value]) => difference(name, key, value, values.get(key) ?? 'nothing'));
    return [
      difference(name, 'partitions', String(partitions), String(live.length)),
      fewestCopies < copies ? difference(name, 'copies', String(copies), String(fewestCopies)) : null,
      ...lines,
    ].filter((line) => line !== null);
  });
}

async function settingsOnBrokers(admin: Admin, wanted: readonly WantedTopic[]): Promise<DescribeConfigResponse['resources']> {
  const response = await admin.describeConfigs({
    includeSynonyms: false,
    resources: wanted.map(({ name, settings }) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames: Object.keys(settings) })),
  });
  return response.resources;
}

function difference(topic: string, setting: string, wanted: string, found: string): string | null {
  return wanted === found ? null : `${topic}: expected ${setting} ${wanted}, got ${found}`;
}
