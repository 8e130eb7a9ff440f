// Finds errors without a detail that their message names: `connect.failed` says "cannot connect to {address}".
import { parseAst } from 'rolldown/parseAst';
import { type ErrorCode, errorKinds } from '../../schemas/errors.ts';

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

const ERROR_CLASS = /^(Squitter|Query)Error$/;

/** One line for each `new SquitterError('code', { … })` without all names of its message. Details that are built elsewhere are not checked. */
export function missingDetails(source: string): string[] {
  const missing: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ((value as Node).type === 'NewExpression') missing.push(...missingIn(value as Node));
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return missing;
}

function missingIn(node: Node): string[] {
  const [code, details] = node['arguments'] as [Node?, Node?];
  if (!ERROR_CLASS.test(String((node['callee'] as Node)['name'])) || typeof code?.['value'] !== 'string') return [];
  if (details !== undefined && details.type !== 'ObjectExpression') return [];
  const members = (details?.['properties'] ?? []) as Node[];
  if (members.some(({ type, computed }) => type === 'SpreadElement' || computed === true)) return [];
  const given = members.map(({ key }) => (key as Node)['name']);
  const named = [...errorKinds[code['value'] as ErrorCode].message.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return named.filter((name) => !given.includes(name)).map((name) => `${code['value']}: {${name}}`);
}
