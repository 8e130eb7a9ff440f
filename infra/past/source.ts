// Where threads read the log from: values that can be posted to them.
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { ConfluentRegistryOptions } from '../../pipeline/log/kafka/confluent-registry.ts';
import type { KafkaConnection } from '../../pipeline/log/kafka/connection.ts';
import { openData } from '../../pipeline/log/open-data.ts';

export type PastSource =
  | { readonly kind: 'data'; readonly dataDir: string }
  | { readonly kind: 'cluster'; readonly kafka: KafkaConnection; readonly registry: ConfluentRegistryOptions; readonly namePrefix: string };

/** For the thread that shows the past. */
export interface SkyThreadData {
  readonly source: PastSource;
  /** Partitions of the log's frames: the threads that fold start before the log is open. */
  readonly partitions: number;
  readonly referenceFolder: string | null;
  readonly simulatedAircraft: number;
}

/** Opens the log for reading. Errors: those of `openData` and `openCluster`. */
export async function openSource(source: PastSource): Promise<{ readonly log: EventLog; readonly codecs: Codecs }> {
  if (source.kind === 'data') return openData(source.dataDir, 'read');
  const { kafka, registry, namePrefix } = source;
  // Its client takes a tenth of a second to load, on a busy machine seconds.
  const { openCluster } = await import('../../pipeline/log/open-cluster.ts');
  return openCluster({ kafka, registry, namePrefix, mode: 'read' });
}
