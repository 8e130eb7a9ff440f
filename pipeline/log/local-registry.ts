// The schema registry of the embedded profile: keeps ids in the log's store, with full transitive compatibility as in the cluster.
import type { Type } from 'avsc';
import { SquitterError } from '../../schemas/errors.ts';
import { avroType, checkFullTransitive } from './avro.ts';
import { saveIdentity } from './lmdb/identity.ts';
import type { LmdbLog } from './lmdb/lmdb-log.ts';
import { COMMIT_OVERLAPPING } from './lmdb/rows.ts';
import type { SchemaRegistry } from './schema-registry.ts';

export function openLocalRegistry(log: LmdbLog): SchemaRegistry {
  const { root, schemas } = log.store;
  const types = new Map<number, Type>();

  const versionsOf = (subject: string) => [...schemas.getRange()].filter(({ value }) => value.subject === subject);
  const idOf = (subject: string, text: string): number | null =>
    versionsOf(subject).find(({ value }) => value.schema === text)?.key ?? null;

  const schemaNow = (id: number): Type | null => {
    let type = types.get(id);
    if (type === undefined) {
      root.resetReadTxn();
      const row = schemas.get(id);
      if (row === undefined) return null;
      type = avroType(JSON.parse(row.schema));
      types.set(id, type);
    }
    return type;
  };

  return {
    register: async (subject, schema) => {
      const text = JSON.stringify(schema);
      root.resetReadTxn();
      const known = idOf(subject, text);
      if (known !== null) return known;
      // A write transaction, so that two threads cannot assign the same id. It runs once per schema and log.
      const assigned = root.transactionSync(() => {
        const same = idOf(subject, text);
        if (same !== null) return same;
        const versions = versionsOf(subject).map(({ value }) => JSON.parse(value.schema) as object);
        checkFullTransitive(subject, schema, versions);
        const id = [...schemas.getKeys()].reduce((max, key) => Math.max(max, key), 0) + 1;
        schemas.put(id, { subject, schema: text });
        return id;
      }, COMMIT_OVERLAPPING);
      saveIdentity(log.store);
      return assigned;
    },
    find: async (subject, schema) => {
      root.resetReadTxn();
      return idOf(subject, JSON.stringify(schema));
    },
    versions: async (subject) => {
      root.resetReadTxn();
      return versionsOf(subject).map(({ key }) => key);
    },
    schema: async (id) => {
      const type = schemaNow(id);
      if (type === null) throw new SquitterError('schema.unknown_id', { id });
      return type;
    },
    schemaNow,
  };
}
