// `squitter topics`: compares the topics on Kafka with the topic table, and creates missing ones on request.
import { kafkaConnection, kafkaOptions, kafkaProblems } from '../../pipeline/log/cluster-options.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { defineCommand, EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { integerBetween } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import { FRAME_PARTITIONS_CLUSTER, type Topic, topicIds, topicPartitions, topics } from '../../schemas/topics.ts';

const COPIES = 3;
const DAY_MS = 86_400_000;

export const topicsCommand = defineCommand({
  name: 'topics',
  summary: 'compare the topics on Kafka with the topic table, or create them',
  details:
    'Services do not create topics: run this once with --create before the first service starts. Existing topics are never changed. If they differ\n' +
    'from the table, every difference is printed and the exit status is 1. TLS settings and passwords come from the environment, as for the services.',
  examples: ['squitter topics --brokers kafka-1:9092', 'squitter topics --brokers localhost:9092 --create --copies 1'],
  options: {
    ...kafkaOptions,
    brokers: { ...kafkaOptions.brokers, required: true },
    create: { flag: 'create', help: 'create missing topics', fallback: false as boolean },
    copies: {
      flag: 'copies',
      value: 'N',
      help: 'replicas of each partition; with 3 or more, a record must be on two before it is acknowledged',
      fallback: COPIES,
      parse: integerBetween(1, limits.topicCopiesOptionMax),
    },
    partitions: {
      flag: 'partitions',
      value: 'N',
      help: 'partitions of the frames topic and of those derived from it; fixed at creation',
      fallback: FRAME_PARTITIONS_CLUSTER,
      parse: integerBetween(1, limits.topicPartitionsOptionMax),
    },
  },
  async run({ options, stdout }) {
    const [problem] = kafkaProblems(options);
    if (problem !== undefined) throw problem;
    const { create, copies, partitions, kafkaPrefix: namePrefix } = options;
    await ensureTopics(kafkaConnection(options, 'squitter-topics'), {
      create,
      replicationFactor: copies,
      framePartitions: partitions,
      namePrefix,
    });
    for (const id of topicIds) stdout.write(`${topicLine(topics[id], namePrefix, partitions, copies)}\n`);
    stdout.write('topics: equal to the topic table\n');
    return EXIT_DONE;
  },
});

function topicLine(topic: Topic, namePrefix: string, framePartitions: number, copies: number): string {
  const retention = topic.retentionMs === null ? 'compacted' : `${topic.retentionMs / DAY_MS} days`;
  const partitions = String(topicPartitions(topic, framePartitions)).padStart(4);
  return `${`${namePrefix}${topic.name}`.padEnd(24)} ${partitions} partitions, ${copies} copies, ${retention}`;
}
