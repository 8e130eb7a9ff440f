// The schema registry port: ids for schemas, as Confluent's registry gives them. Values in the log begin with such an id.
import type { Type } from 'avsc';

export interface SchemaRegistry {
  /** Id of this schema under the subject, registering it if need be. Error: `schema.incompatible` (full transitive). */
  register(subject: string, schema: object): Promise<number>;
  /** Id of this very schema under the subject; null when it is not registered. */
  find(subject: string, schema: object): Promise<number | null>;
  /** Ids of all versions of a subject, oldest first; empty when it has none. */
  versions(subject: string): Promise<number[]>;
  /** The type of a writer's schema. Error: `schema.unknown_id`. */
  schema(id: number): Promise<Type>;
  /** The same without waiting: null when it would have to ask somebody. */
  schemaNow(id: number): Type | null;
}
