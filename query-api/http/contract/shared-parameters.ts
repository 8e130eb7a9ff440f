// Parameters that many operations share appear once in the document: each filter is described once.
import type { JsonSchema } from './schemas.ts';

const SHARED_USES = 3;

/**
 * Moves parameters that several operations share to the components, as `limitParameter`, and leaves references: generators
 * create a type for each component, so none may have the name of a schema.
 * The most frequent of several parameters with one name is shared.
 */
export function shareParameters(operations: readonly JsonSchema[]): { operations: JsonSchema[]; shared: JsonSchema } {
  const uses = new Map<string, number>();
  for (const parameter of operations.flatMap(parametersOf)) {
    const text = JSON.stringify(parameter);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const shared = new Map<string, string>();
  for (const [text, count] of [...uses].sort(([, a], [, b]) => b - a)) {
    const { name } = JSON.parse(text) as { name: string };
    if (count >= SHARED_USES && !shared.has(name)) shared.set(name, text);
  }
  const reference = (parameter: JsonSchema): JsonSchema => {
    const name = String(parameter['name']);
    return shared.get(name) === JSON.stringify(parameter) ? { $ref: `#/components/parameters/${componentName(name)}` } : parameter;
  };
  return {
    operations: operations.map((operation) =>
      'parameters' in operation ? { ...operation, parameters: parametersOf(operation).map(reference) } : operation,
    ),
    shared: Object.fromEntries([...shared].map(([name, text]) => [componentName(name), JSON.parse(text) as JsonSchema])),
  };
}

function componentName(name: string): string {
  return `${name}Parameter`;
}

function parametersOf(operation: JsonSchema): readonly JsonSchema[] {
  return (operation['parameters'] ?? []) as readonly JsonSchema[];
}
