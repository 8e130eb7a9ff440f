// Data of older fold versions, which were killed while they wrote: as data folders (`test/fault/fixtures`), and those of version 1 as topics of a cluster.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { open } from 'lmdb';
import { FOLD_GROUP } from '../../pipeline/fold/worker.ts';
import { openConfluentRegistry } from '../../pipeline/log/kafka/confluent-registry.ts';
import type { KafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { rowEncoder } from '../../pipeline/log/lmdb/row-encoder.ts';
import type { SchemaRow } from '../../pipeline/log/lmdb/rows.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import { projectDir } from './requirements.ts';
import { temporaryFolder } from './service.ts';

/** Frame records of each partition; version 1 committed all but the last. */
export const VERSION_1_RECORDS = 250;
export const VERSION_1_COMMITTED = 249;
/** The newest tick of version 1, and the aircraft of the 15 s rule, whose address is in partition 1. */
export const VERSION_1_TICK_MS = 1_700_000_124_000;
export const RULE_AIRCRAFT = '4840d6';

/**
 * A copy to work on. Version 2 wrote the same frames, as many records and the same offsets. Both knew another value of the feeders topic, which no
 * release had and no record has: its schema is removed.
 */
export function oldData(version: 1 | 2): { path: string; remove: () => void } {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', join(projectDir, `test/fault/fixtures/fold-version-${version}.tar.gz`), '-C', folder.path]);
  const root = open({ path: join(folder.path, 'log/index'), noSubdir: false, maxDbs: 8 });
  const encoded: object = { encoder: rowEncoder(folder.path) };
  const schemas = root.openDB<SchemaRow, number>({ name: 'schemas', keyEncoding: 'uint32', ...encoded });
  for (const { key, value } of [...schemas.getRange()]) if (value.subject === `${topics.feeders.name}-value`) schemas.removeSync(key);
  void root.close();
  return folder;
}

export const version1Data = (): { path: string; remove: () => void } => oldData(1);

const OUTPUTS = ['positions', 'aircraft', 'progress', 'snapshots'] as const satisfies readonly TopicId[];

/**
 * The same log on Kafka, in topics of unlimited retention: its frames are from 2023. Keys, times and values are those of version 1, byte for
 * byte, except for the schema id in a value's head, which is the registry's for the same schema. Outputs and
 * offset of a partition are one transaction, like its last commit.
 */
export async function loadVersion1(target: KafkaLog, registryUrl: string): Promise<void> {
  const folder = version1Data();
  const { log } = await openData(folder.path, 'read');
  try {
    const renumber = await schemaNumbers(log.store.schemas, registryUrl);
    const recordsOf = async (topic: TopicId, partition: number): Promise<OutgoingRecord[]> => {
      const all: OutgoingRecord[] = [];
      for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
        for (const { key, value, timestampMs } of records) all.push({ key, value: await renumber(topic, value), timestampMs });
      return all;
    };
    for (let partition = 0; partition < log.partitions('frames'); partition += 1) {
      await target.append('frames', partition, await recordsOf('frames', partition));
      const outputs = [];
      for (const topic of OUTPUTS) outputs.push({ topic, partition, records: await recordsOf(topic, partition) });
      await target.commit({ group: FOLD_GROUP, topic: 'frames', partition, fromOffset: 0, nextOffset: VERSION_1_COMMITTED, outputs });
    }
  } finally {
    await log.close();
    folder.remove();
  }
}

/** Registers the schemas of the folder's values, each under its topic; returns copies of values with the new ids. */
async function schemaNumbers(schemas: OpenData['log']['store']['schemas'], registryUrl: string) {
  const registry = openConfluentRegistry({ url: registryUrl });
  const numbers = new Map<string, number>();
  return async (topic: TopicId, value: Uint8Array | null): Promise<Buffer | null> => {
    if (value === null) return null;
    const bytes = Buffer.from(value);
    if (topics[topic].value === 'bytes') return bytes;
    const old = bytes.readUInt32BE(1);
    const name = `${topic} ${old}`;
    const { schema } = schemas.get(old) as { schema: string };
    if (!numbers.has(name)) numbers.set(name, await registry.register(`${topics[topic].name}-value`, JSON.parse(schema) as object));
    bytes.writeUInt32BE(numbers.get(name)!, 1);
    return bytes;
  };
}
