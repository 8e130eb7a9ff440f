// Empties a broker: deletes the topics and groups of the previous suite.
import { Kafka, logLevel } from 'kafkajs';

/** Deletes every topic and group. Throws when a group still has members. */
export async function cleanKafka(brokers: string[]): Promise<void> {
  const admin = new Kafka({ brokers, clientId: 'clean', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
    if (groups.length > 0) await admin.deleteGroups(groups);
    // Kafka's own topics stay: they hold the groups and transactions.
    const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}
