// Names on the brokers: topics, groups and transactional ids. A prefix separates several installations on one cluster.
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

  /** Rule 1 of exactly once: an id belongs to a group and an input partition. It is never per process and never random. */
  transactionalId(group: string, topic: TopicId, partition: number): string {
    return `${this.prefix}${group}/${topics[topic].name}/${partition}`;
  }
}
