// Names on the brokers. A prefix keeps several installations apart that share one cluster: topics, groups and transactional ids.
import { type TopicId, topics } from '../../../schemas/topics.ts';

export class KafkaNames {
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  topic(id: TopicId): string {
    return `${this.prefix}${topics[id].name}`;
  }

  group(group: string): string {
    return `${this.prefix}${group}`;
  }

  /** Rule 1 of exactly once: an id belongs to a group and an input partition, whoever works on it. Never to a process, never random. */
  transactionalId(group: string, topic: TopicId, partition: number): string {
    return `${this.prefix}${group}/${topics[topic].name}/${partition}`;
  }
}
