// The schema registry port: ids for schemas, as Confluent's registry gives them. Values in the log begin with such an id.
import type { Type } from 'avsc';

export interface SchemaRegistry {
  /** Id of this schema under the subject, registering it if need be. Error: `schema.incompatible` (full transitive). */
  register(subject: string, schema: object): Promise<number>;
  /** The type of a writer's schema. Error: `schema.unknown_id`. */
  schema(id: number): Promise<Type>;
}
