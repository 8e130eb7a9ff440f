// Query parameters: `{name:Type}` in the SQL becomes a constant of that type.
// The engine's own parameters are not used: two queries that run at the same time exchange theirs.
import { limits } from '../../schemas/limits/index.ts';
import { EngineError } from './engine-error.ts';
import { identifier, literal, tokens } from './lexer.ts';

const PLACEHOLDER = /^\{\s*([A-Za-z_]\w*)\s*:\s*((?:[^{}'"`]|'(?:[^'\\]|\\.)*')+?)\s*\}/;
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', 0: '\0' };
/** Texts of these types have their own quotes and escapes inside. */
const NESTED = /^(?:Nullable\()?(?:Array|Tuple|Map|Nested|Variant|JSON)\b/;

/** The SQL with its parameters. Error: code 456 for one that has no value. */
export function withParameters(sql: string, parameters: ReadonlyMap<string, string>): string {
  if (!sql.includes('{')) return sql;
  let result = '';
  let copied = 0;
  for (const { text, start, kind } of tokens(sql)) {
    if (kind !== 'symbol' || text !== '{' || start < copied) continue;
    const match = PLACEHOLDER.exec(sql.slice(start, start + limits.storePlaceholderCharactersMax));
    if (match === null) continue;
    const [whole, name, type] = match as unknown as [string, string, string];
    const value = parameters.get(name);
    if (value === undefined) throw new EngineError(456, `Substitution \`${name}\` is not set. (UNKNOWN_QUERY_PARAMETER)`);
    result += sql.slice(copied, start) + constant(value, type);
    copied = start + whole.length;
  }
  return result + sql.slice(copied);
}

/** Values come as in a tab-separated file: escaped, `\N` for null. */
function constant(value: string, type: string): string {
  if (type === 'Identifier') return identifier(unescaped(value));
  if (value === '\\N') return `_CAST(NULL, ${literal(type)})`;
  const text = literal(NESTED.test(type) ? value : unescaped(value));
  return type === 'String' ? text : `_CAST(${text}, ${literal(type)})`;
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);
}
