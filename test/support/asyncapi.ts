// The AsyncAPI 3 document of the log: every topic with its key, partitions, retention and Avro schema, and which service does what with it.
// `schemas/api/asyncapi.yaml` is generated: `npx vitest run schemas/api -u` writes it again, and CI fails while it is stale.
import { avroSchemas } from '../../schemas/avro/index.ts';
import { limits } from '../../schemas/limits/index.ts';
import { FRAME_PARTITIONS_CLUSTER, type Topic, type TopicId, topicIds, topicPartitions, topics } from '../../schemas/topics.ts';

/** Topics that each service sends and receives. Topics that are in no list wait for their service. */
const services: Readonly<Record<string, { readonly sends: readonly TopicId[]; readonly receives: readonly TopicId[] }>> = {
  ingest: { sends: ['frames', 'feeders'], receives: ['feeders'] },
  fold: {
    sends: ['positions', 'aircraft', 'progress', 'feeders', 'snapshots', 'snapshotsKept', 'deadletter'],
    receives: ['frames', 'snapshots'],
  },
  flights: { sends: ['flights', 'flightsEnded', 'flightplans'], receives: ['aircraft', 'flights', 'flightsEnded', 'flightplans'] },
  project: { sends: [], receives: ['positions', 'flightsEnded', 'aircraft', 'progress', 'feeders'] },
  'query-api': { sends: [], receives: ['aircraft', 'progress', 'flights', 'feeders'] },
};

const AVRO = 'application/vnd.apache.avro;version=1.9.0';
const CHANNEL_BINDING = '0.5.0';
const MESSAGE_BINDING = '0.5.0';

/** The document as plain data; `version` is the release that it describes. */
export function asyncApiDocument(version: string): object {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Squitter log',
      version,
      description:
        'The topics of a Squitter cluster on Apache Kafka. Names carry a version: what old readers cannot follow is a new topic. ' +
        'Schemas change fully transitively compatible: every version reads every other. Read with isolation.level=read_committed.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/vnd.apache.avro',
    servers: {
      cluster: {
        host: 'localhost:9092',
        protocol: 'kafka',
        description:
          'The brokers as infra/compose gives them; no headers are used; producers compress with zstd, or gzip where they have no zstd.',
        bindings: { kafka: { schemaRegistryUrl: 'http://localhost:8085/apis/ccompat/v7', schemaRegistryVendor: 'apicurio' } },
      },
    },
    channels: Object.fromEntries(topicIds.map((id) => [id, channel(id, topics[id])])),
    operations: Object.fromEntries(Object.keys(services).flatMap(operations)),
    components: {
      messages: Object.fromEntries(topicIds.map((id) => [messageName(id), message(id, topics[id])])),
    },
  };
}

function channel(id: TopicId, topic: Topic): object {
  const partitions = topicPartitions(topic, FRAME_PARTITIONS_CLUSTER);
  return {
    address: topic.name,
    title: topic.shortName,
    description: topic.about,
    messages: { [messageName(id)]: { $ref: `#/components/messages/${messageName(id)}` } },
    bindings: {
      kafka: {
        topic: topic.name,
        partitions,
        topicConfiguration: {
          'cleanup.policy': [topic.cleanup],
          ...(topic.retentionMs === null ? {} : { 'retention.ms': topic.retentionMs }),
          ...(topic.compactAfterMs === null ? {} : { 'min.compaction.lag.ms': topic.compactAfterMs }),
          'max.message.bytes': limits.kafkaMessageBytesMax,
        },
        bindingVersion: CHANNEL_BINDING,
      },
    },
    'x-partitioning': partitioning(topic),
    'x-record-bytes-max': topic.recordBytesMax,
  };
}

function partitioning(topic: Topic): string {
  if (topic.partitions !== 'frames') return 'one partition';
  if (topic.value === 'FrameBatch')
    return 'murmur2 of the aircraft address, 6 lower-case hex digits, & 0x7fffffff, modulo the number of partitions';
  return 'the partition of the frames it comes from';
}

function message(id: TopicId, topic: Topic): object {
  const { value } = topic;
  const confluent = { schemaIdLocation: 'payload', schemaIdPayloadEncoding: 'confluent', schemaLookupStrategy: 'TopicNameStrategy' };
  return {
    name: value === 'bytes' ? id : value,
    title: `a record of ${topic.name}`,
    description:
      value === 'bytes'
        ? 'Bytes, without a schema.'
        : `Byte 0, schema id as u32 big-endian, Avro body; the registry's subject is ${topic.name}-value.`,
    headers: { type: 'object', maxProperties: 0, description: 'none' },
    contentType: value === 'bytes' ? 'application/octet-stream' : 'application/vnd.apache.avro',
    payload: value === 'bytes' ? { type: 'string', format: 'binary' } : { schemaFormat: AVRO, schema: avroSchemas[value] },
    bindings: {
      kafka: {
        ...(topic.key === null ? {} : { key: { type: 'string', description: topic.key } }),
        ...(value === 'bytes' ? {} : confluent),
        bindingVersion: MESSAGE_BINDING,
      },
    },
  };
}

function messageName(id: TopicId): string {
  const { value } = topics[id];
  return value === 'bytes' ? id : value;
}

function operations(service: string): [string, object][] {
  const { sends, receives } = services[service]!;
  const operation = (action: 'send' | 'receive', id: TopicId): [string, object] => [
    `${service}.${action}.${id}`,
    {
      action,
      channel: { $ref: `#/channels/${id}` },
      messages: [{ $ref: `#/channels/${id}/messages/${messageName(id)}` }],
      tags: [{ name: service }],
    },
  ];
  return [...sends.map((id) => operation('send', id)), ...receives.map((id) => operation('receive', id))];
}
