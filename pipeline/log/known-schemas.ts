// Decoding is synchronous, so schemas must be fetched before. Existing schemas are fetched when a service starts. Schemas that newer services
// register later are fetched here, when the first value with such a schema arrives.
import { SquitterError } from '../../schemas/errors.ts';
import { topics } from '../../schemas/topics.ts';
import type { RecordBatch } from './event-log.ts';
import type { SchemaRegistry } from './schema-registry.ts';

const HEAD_BYTES = 5;

/** Returns a function to call with each batch before it is decoded. Error: `schema.registry_failed`. */
export function knowSchemas(registry: SchemaRegistry): (batch: RecordBatch) => Promise<void> {
  return async ({ topic, records }) => {
    if (topics[topic].value === 'bytes') return;
    const ids = new Set<number>();
    let known = -1;
    for (const { value } of records) {
      if (value === null || value.length < HEAD_BYTES || value[0] !== 0) continue;
      const id = ((value[1]! << 24) | (value[2]! << 16) | (value[3]! << 8) | value[4]!) >>> 0;
      if (id === known) continue;
      if (registry.schemaNow(id) === null) ids.add(id);
      else known = id;
    }
    for (const id of ids)
      await registry.schema(id).catch((error: unknown) => {
        // The bytes only look like a value: decoding reports that.
        if (!(error instanceof SquitterError && error.code === 'schema.unknown_id')) throw error;
      });
  };
}
