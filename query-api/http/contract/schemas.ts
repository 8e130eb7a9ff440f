// Schemas of routes as an OpenAPI document has them: fastify's names of shared schemas become component references, and responses stay open,
// because members may be added within /v2 (decisions G17).

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Behind the name of a record: the same record of which `fields=` left only some members. */
export const SOME_MEMBERS = 'Members';

/**
 * `{ $ref: 'Aircraft#' }` is `{ $ref: '#/components/schemas/Aircraft' }`; `$id` has no place in a component. A number says that it is a double:
 * generators take a bare one for 32 bits, in which Unix seconds lose minutes.
 */
export function asComponentSchema(schema: unknown): unknown {
  return mapSchema(schema, ({ $id: _, ...node }) => {
    const name = typeof node['$ref'] === 'string' ? /^(\w+)#$/.exec(node['$ref'])?.[1] : undefined;
    if (name !== undefined) return { ...node, $ref: `#/components/schemas/${name}` };
    return node['type'] === 'number' ? { ...node, format: 'double' } : node;
  });
}

/** A response's schema: clients must ignore members that they do not know, so it does not close objects. */
export function asResponseSchema(schema: unknown): unknown {
  return mapSchema(asComponentSchema(schema), ({ additionalProperties, ...node }) =>
    additionalProperties === undefined || additionalProperties === false ? node : { ...node, additionalProperties },
  );
}

/** The items of lists may lack members: what a route gives that takes `fields=`. */
export function withSomeMembers(schema: unknown, records: ReadonlySet<string>): unknown {
  return mapSchema(schema, (node) => {
    const { $ref } = (node['items'] ?? {}) as { $ref?: string };
    const name = $ref?.split('/').at(-1);
    if (node['type'] !== 'array' || name === undefined || !records.has(name)) return node;
    return { ...node, items: { anyOf: [{ $ref }, { $ref: `${$ref}${SOME_MEMBERS}` }] } };
  });
}

/** A record of which only `hex` is sure. */
export function someMembersOf(name: string, record: JsonSchema): JsonSchema {
  const { required: _, dependentRequired: __, ...rest } = record;
  return { ...rest, description: `Members of ${name} that \`fields=\` lists.`, required: ['hex'] };
}

/** Every object in a schema through a function, the innermost first. */
export function mapSchema(schema: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapSchema(item, change));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, mapSchema(value, change)] as const);
  return change(Object.fromEntries(entries));
}
