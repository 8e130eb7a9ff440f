// Finds state in modules: what code at the top level of a file declares and functions change later.
import { parseAst } from 'rolldown/parseAst';

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Classes of the language whose objects are plain data or do not change. */
const PLAIN =
  /^(Map|Set|WeakMap|WeakSet|Array|URL|RegExp|Error|TextEncoder|TextDecoder|DataView|ArrayBuffer|\w+(?:8|16|32|64)(?:Clamped)?Array)$/;
const CHANGING = new Set([
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'set',
  'add',
  'delete',
  'clear',
  'copyWithin',
]);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Names at the top level of a file that are variables, objects of a class of ours, or data that a function changes. */
export function moduleState(source: string): string[] {
  const program = parseAst(source, { lang: 'ts' }) as unknown as Node;
  const found = new Set<string>();
  const constants = new Set<string>();
  for (const statement of program['body'] as Node[]) {
    const declaration = (statement.type === 'ExportNamedDeclaration' ? statement['declaration'] : statement) as Node | null;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration['declarations'] as { id: Node; init: Node | null }[]) {
      for (const name of namesIn(id)) {
        constants.add(name);
        if (declaration['kind'] !== 'const' || isOwnObject(init)) found.add(name);
      }
    }
  }
  findChanges(program, constants, (name) => found.add(name));
  return [...found].sort();
}

function isOwnObject(init: Node | null): boolean {
  if (init?.type === 'TSAsExpression' || init?.type === 'TSSatisfiesExpression') return isOwnObject(init['expression'] as Node);
  if (init?.type !== 'NewExpression') return false;
  const callee = init['callee'] as Node;
  return callee.type === 'Identifier' && !PLAIN.test(callee['name'] as string);
}

/** Reports each constant that is changed inside a function. */
function findChanges(node: Node, constants: ReadonlySet<string>, found: (name: string) => void, inFunction = false): void {
  const isFunction = FUNCTIONS.has(node.type);
  const visible = isFunction ? without(constants, declaredIn(node)) : constants;
  if (inFunction) {
    const name = rootOf(changedBy(node));
    if (name !== null && visible.has(name)) found(name);
  }
  for (const child of childrenOf(node)) findChanges(child, visible, found, inFunction || isFunction);
}

/** The member that a node changes; null where it changes none. */
function changedBy(node: Node): Node | null {
  if (node.type === 'AssignmentExpression') return memberOnly(node['left'] as Node);
  if (node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node['operator'] === 'delete'))
    return memberOnly(node['argument'] as Node);
  if (node.type !== 'CallExpression') return null;
  const callee = node['callee'] as Node;
  const name = callee.type === 'MemberExpression' ? ((callee['property'] as Node)['name'] as string | undefined) : undefined;
  return name !== undefined && CHANGING.has(name) ? (callee['object'] as Node) : null;
}

function memberOnly(node: Node): Node | null {
  const inner = node.type === 'TSNonNullExpression' ? (node['expression'] as Node) : node;
  return inner.type === 'MemberExpression' ? inner : null;
}

/** The name that a chain of members begins with. */
function rootOf(node: Node | null): string | null {
  let at = node;
  while (at !== null && (at.type === 'MemberExpression' || at.type === 'TSNonNullExpression'))
    at = (at.type === 'MemberExpression' ? at['object'] : at['expression']) as Node;
  return at?.type === 'Identifier' ? (at['name'] as string) : null;
}

/** Names of parameters and of everything that a function declares outside of inner ones. */
function declaredIn(node: Node): Set<string> {
  const names = new Set((node['params'] as Node[]).flatMap(namesIn));
  const visit = (at: Node): void => {
    if (at.type === 'VariableDeclarator') for (const name of namesIn(at['id'] as Node)) names.add(name);
    if (!FUNCTIONS.has(at.type)) for (const child of childrenOf(at)) visit(child);
  };
  if (node['body'] !== null) visit(node['body'] as Node);
  return names;
}

/** Names that a pattern binds. */
function namesIn(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern['name'] as string];
  if (pattern.type === 'Property') return namesIn(pattern['value'] as Node);
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern['left'] as Node);
  return childrenOf(pattern).flatMap(namesIn);
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function without(names: ReadonlySet<string>, hidden: ReadonlySet<string>): ReadonlySet<string> {
  for (const name of hidden) if (names.has(name)) return new Set([...names].filter((other) => !hidden.has(other)));
  return names;
}
