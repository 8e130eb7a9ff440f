// Converts schemas of routes for an OpenAPI document: fastify's names of shared schemas become component references, and responses stay open,
// because members may be added within /v2 (decisions G17).

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * `{ $ref: 'Aircraft#' }` becomes `{ $ref: '#/components/schemas/Aircraft' }`; a component has no `$id`. Numbers get the format double:
 * generators read a bare number as 32 bits, in which Unix seconds lose minutes.
 */
export function asComponentSchema(schema: unknown): unknown {
  return mapSchema(schema, ({ $id: _, ...node }) => {
    const name = typeof node['$ref'] === 'string' ? /^(\w+)#$/.exec(node['$ref'])?.[1] : undefined;
    if (name !== undefined) return { ...node, $ref: `#/components/schemas/${name}` };
    return node['type'] === 'number' ? { ...node, format: 'double' } : node;
  });
}

/** A response's schema: clients must ignore unknown members, so it does not close objects. */
export function asResponseSchema(schema: unknown): unknown {
  return mapSchema(asComponentSchema(schema), ({ additionalProperties, ...node }) =>
    additionalProperties === undefined || additionalProperties === false ? node : { ...node, additionalProperties },
  );
}

/** References to records become those to whole ones: for operations without `fields=`, whose records have all members that are always present. */
export function withWholeRecords(schema: unknown, records: ReadonlySet<string>): unknown {
  return mapSchema(schema, (node) => {
    const name = typeof node['$ref'] === 'string' ? node['$ref'].split('/').at(-1)! : undefined;
    return name !== undefined && records.has(name) ? { ...node, $ref: `#/components/schemas/${wholeName(name)}` } : node;
  });
}

/** Name of a record with all members that are always present. */
export function wholeName(name: string): string {
  return `Whole${name}`;
}

/** A record in which only `hex` is certain. */
export function someMembersOf(name: string, record: JsonSchema): JsonSchema {
  const { required: _, dependentRequired: __, ...others } = record;
  return { ...others, description: `Members of ${name} that \`fields=\` lists.`, required: ['hex'] };
}

/** Applies a function to every object in a schema, the innermost first. */
export function mapSchema(schema: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapSchema(item, change));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, mapSchema(value, change)] as const);
  return change(Object.fromEntries(entries));
}
