// The log and its codecs as every process of the cluster opens them: Kafka and a schema registry.
import { type Codecs, openCodecs } from './codec.ts';
import { type ConfluentRegistryOptions, openConfluentRegistry } from './kafka/confluent-registry.ts';
import type { KafkaConnection, KafkaSay } from './kafka/connection.ts';
import { type KafkaLog, type KafkaLogOptions, openKafkaLog } from './kafka/kafka-log.ts';
import { knowSchemas } from './known-schemas.ts';

export interface OpenClusterOptions extends Omit<KafkaLogOptions, 'connection' | 'before'> {
  readonly kafka: KafkaConnection;
  readonly registry: ConfluentRegistryOptions;
  /** `read` registers no schema. */
  readonly mode?: 'write' | 'read';
  readonly say?: KafkaSay;
}

export interface OpenCluster {
  readonly log: KafkaLog;
  readonly codecs: Codecs;
}

/** Connects to both. Errors: those of `openKafkaLog`, `schema.incompatible`, `schema.registry_failed`. */
export async function openCluster({ kafka, registry: access, mode = 'write', ...options }: OpenClusterOptions): Promise<OpenCluster> {
  const registry = openConfluentRegistry(access);
  const log = await openKafkaLog({ ...options, connection: kafka, before: knowSchemas(registry) });
  try {
    return { log, codecs: await openCodecs(registry, mode === 'write') };
  } catch (error) {
    await log.close();
    throw error;
  }
}
