// Kafka's own tools, as operators use them.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fetched } from '../../infra/local/fetched.ts';

const TOOL_MS_MAX = 120_000;

/** Runs `kafka-consumer-groups.sh`; returns its output. */
export async function consumerGroups(brokers: readonly string[], ...args: readonly string[]): Promise<string> {
  const { kafkaClassPath } = await fetched();
  const java = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', kafkaClassPath];
  const tool = ['org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', '--bootstrap-server', brokers.join(','), ...args];
  const { stdout, stderr } = await promisify(execFile)('java', [...java, ...tool], { timeout: TOOL_MS_MAX });
  return stdout + stderr;
}
