// `config check --connect`: connects to Kafka, the registry, Redis and ClickHouse once, as the services would, and reports the results.
import { type KafkaValues, kafkaConnection, type RegistryValues, registryAccess } from '../../pipeline/log/cluster-options.ts';
import { ConfluentRegistry } from '../../pipeline/log/kafka/confluent-registry.ts';
import { type KafkaConnection, KafkaSockets, kafkaClient } from '../../pipeline/log/kafka/connection.ts';
import { withHint } from '../../pipeline/log/kafka/failures.ts';
import { KafkaNames } from '../../pipeline/log/kafka/names.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { type HistoryValues, historyAddress } from '../../pipeline/store/options.ts';
import { topicIds, topics } from '../../schemas/topics.ts';
import type { RedisValues } from './configuration.ts';
import { pingRedis } from './redis.ts';

export type ClusterValues = KafkaValues & RegistryValues & Partial<RedisValues> & Partial<HistoryValues>;

export interface Attempt {
  readonly subject: string;
  /** Why it was not reached; null if it was. */
  readonly problem: string | null;
  /** Version or contents that the endpoint reports. */
  readonly found: string;
}

/** Tries every endpoint in these values, except those for which `isKnown` is true. */
export async function tryConnections(values: ClusterValues, isKnown: (subject: string) => boolean): Promise<Attempt[]> {
  const connection = kafkaConnection(values, 'squitter-config-check');
  const endpoints: [subject: string, connect: () => Promise<string>][] = [
    [`Kafka ${connection.brokers.join(', ')}`, () => reachKafka(connection, values.kafkaPrefix)],
    [`registry ${values.registry}`, () => reachRegistry(values)],
  ];
  if (values.redis !== undefined && values.redis !== null)
    endpoints.push([`Redis ${values.redis}`, async () => `version ${await pingRedis(values as RedisValues)}`]);
  if (values.clickhouse !== undefined && values.clickhouse !== null)
    endpoints.push([`ClickHouse ${values.clickhouse}`, () => pingStore(values as HistoryValues)]);
  const wanted = endpoints.filter(([subject]) => !isKnown(subject));
  return Promise.all(
    wanted.map(async ([subject, connect]): Promise<Attempt> => {
      try {
        return { subject, problem: null, found: await connect() };
      } catch (error) {
        return { subject, problem: oneLine(error), found: '' };
      }
    }),
  );
}

async function reachKafka(connection: KafkaConnection, prefix: string): Promise<string> {
  const sockets = new KafkaSockets();
  const admin = kafkaClient(connection, { sockets, retry: { retries: 1 } }).admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const existing = new Set(await admin.listTopics());
    const names = new KafkaNames(prefix);
    const missing = topicIds.map((id) => names.topic(id)).filter((name) => !existing.has(name));
    const nodes = `${brokers.length} ${brokers.length === 1 ? 'broker' : 'brokers'}`;
    return missing.length === 0 ? `${nodes}, all topics` : `${nodes}, without ${missing.join(', ')}`;
  } catch (error) {
    throw new Error(withHint(error));
  } finally {
    await admin.disconnect().catch(() => {});
    await sockets.close();
  }
}

async function reachRegistry(values: RegistryValues): Promise<string> {
  const versions = await new ConfluentRegistry({ ...registryAccess(values), waitMs: 0 }).versions(`${topics.frames.name}-value`);
  return versions.length === 0 ? 'no schemas yet' : `${versions.length} ${versions.length === 1 ? 'version' : 'versions'} of FrameBatch`;
}

async function pingStore(values: HistoryValues): Promise<string> {
  // The project stage creates the database when it first starts.
  const client = historyClient({ ...historyAddress(values)!, database: 'default' });
  try {
    const [row] = await client.rows<{ version: string }>('SELECT version() AS version');
    return `version ${row!.version}`;
  } finally {
    await client.close();
  }
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.split('\n')[0]!;
}
