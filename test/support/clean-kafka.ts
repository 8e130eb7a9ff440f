// Empties a broker: deletes the topics and groups of the previous suite.
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { until } from './until.ts';

/** Kafka's own topics stay: they hold the groups and transactions. */
const topicsOf = async (admin: Admin): Promise<string[]> => (await admin.listTopics()).filter((topic) => !topic.startsWith('__'));

/** Deletes every topic and group. Throws when a group still has members, or a topic stays. */
export async function cleanKafka(brokers: string[]): Promise<void> {
  const admin = new Kafka({ brokers, clientId: 'clean', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
    if (groups.length > 0) await admin.deleteGroups(groups);
    const topics = await topicsOf(admin);
    if (topics.length > 0) await admin.deleteTopics({ topics });
    // A busy broker still lists them after its response.
    await until(async () => (await topicsOf(admin)).length === 0, 'no topics');
  } finally {
    await admin.disconnect();
  }
}
