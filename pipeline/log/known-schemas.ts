// Decoding is synchronous, so schemas must be fetched before. Existing schemas are fetched when a service starts. Schemas that newer services
// register later are fetched here, when the first value with such a schema arrives.
import { SquitterError } from '../../schemas/errors.ts';
import { topics } from '../../schemas/topics.ts';
import { schemaIdOf } from './codec.ts';
import type { RecordBatch } from './event-log.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** Returns a function to call with each batch before it is decoded. Error: `schema.registry_failed`. */
export function knowSchemas(registry: SchemaRegistry): (batch: RecordBatch) => Promise<void> {
  return async ({ topic, records }) => {
    if (topics[topic].value === 'bytes') return;
    const ids = new Set<number>();
    let known = -1;
    for (const { value } of records) {
      const id = value === null ? -1 : schemaIdOf(value);
      if (id < 0 || id === known) continue;
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
