// The schema registry port: assigns ids to schemas, like Confluent's registry. Values in the log begin with such an id.
import type { Type } from 'avsc';

export interface SchemaRegistry {
  /** Id of this schema under the subject; registers the schema if needed. Error: `schema.incompatible` (full transitive). */
  register(subject: string, schema: object): Promise<number>;
  /** Id of exactly this schema under the subject; null if it is not registered. */
  find(subject: string, schema: object): Promise<number | null>;
  /** Ids of all versions of a subject, oldest first; empty if it has none. */
  versions(subject: string): Promise<number[]>;
  /** The type of a writer's schema. Error: `schema.unknown_id`. */
  schema(id: number): Promise<Type>;
  /** Like `schema`, but synchronous; null if the type would have to be fetched. */
  schemaNow(id: number): Type | null;
}
