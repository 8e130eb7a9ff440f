// Kafka's own tools, as operators use them.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { fetched } from '../local/fetched.ts';

const TOOL_MS_MAX = 120_000;

/** Runs `kafka-consumer-groups.sh`; returns its output. */
export async function consumerGroups(brokers: readonly string[], ...args: readonly string[]): Promise<string> {
  const { kafkaClassPath } = await fetched();
  const java = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', kafkaClassPath];
  const tool = ['org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', '--bootstrap-server', brokers.join(','), ...args];
  const { stdout, stderr } = await promisify(execFile)('java', [...java, ...tool], { timeout: TOOL_MS_MAX });
  return stdout + stderr;
}

/** Whether the group has no members. */
export async function isEmptyGroup(brokers: readonly string[], group: string): Promise<boolean> {
  const admin = new Kafka({ brokers: [...brokers], clientId: 'tools', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([group]);
    return groups[0]!.state === 'Empty';
  } finally {
    await admin.disconnect();
  }
}
