// Opens the log and its codecs for processes of the cluster: Kafka and a schema registry.
import { type Codecs, openCodecs } from './codec.ts';
import { ConfluentRegistry, type ConfluentRegistryOptions } from './kafka/confluent-registry.ts';
import type { KafkaConnection, OnKafkaMessage } from './kafka/connection.ts';
import { type KafkaLog, type KafkaLogOptions, openKafkaLog } from './kafka/kafka-log.ts';
import { knowSchemas } from './known-schemas.ts';

interface OpenClusterOptions extends Omit<KafkaLogOptions, 'connection' | 'before'> {
  readonly kafka: KafkaConnection;
  readonly registry: ConfluentRegistryOptions;
  /** `read` does not register schemas. */
  readonly mode?: 'write' | 'read';
  readonly onMessage?: OnKafkaMessage;
  /** Called and awaited once Kafka is connected, before the schema registry is used. */
  readonly onKafkaReached?: () => Promise<void>;
}

export interface OpenCluster {
  readonly log: KafkaLog;
  readonly codecs: Codecs;
}

/** Connects to both. Errors: those of `openKafkaLog`, `schema.incompatible`, `schema.registry_failed`. */
export async function openCluster(given: OpenClusterOptions): Promise<OpenCluster> {
  const { kafka, registry: access, mode = 'write', onKafkaReached, ...options } = given;
  const registry = new ConfluentRegistry(access);
  const log = await openKafkaLog({ ...options, connection: kafka, before: knowSchemas(registry) });
  try {
    await onKafkaReached?.();
    return { log, codecs: await openCodecs(registry, mode === 'write') };
  } catch (error) {
    await log.close();
    throw error;
  }
}
