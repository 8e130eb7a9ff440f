// Refuses statements that read or write outside the store. The account's grants (config-file.ts) refuse sources, engines and databases.
// This refuses what the engine does not check: the function `file`, files of its client, disks, and functions that compute statements or columns from text.
import { errors } from './engine-error.ts';
import { type Token, tokens } from './lexer.ts';

/** Table functions that only compute, or read tables of the store. All others of the engine are refused. */
const INSIDE = new Set(['numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'generateseries', 'generate_series', 'values', 'view', 'merge']);
/** Engines of tables and databases. */
const ENGINE = /^(?:\w*MergeTree|Memory|Null|Atomic)$/;
/** Files of the engine's client, which is in this process. */
const CLIENT_FILES = new Set(['OUTFILE', 'INFILE']);
/** Reads a file as a function, too, and need not be called by its own parentheses: `APPLY file`, `arrayMap(file, …)`. */
const FILE = 'file';
/** A disk of its own for a table, anywhere. */
const DISK = 'disk';
/** Outside quotes. The engine begins comments, quotes and here documents with others of these, which this lexer does not follow. */
const PLAIN = /^[\d!%&()*+,\-./:;<=>?@[\]^{|}~][\w.]*$/;

/** `functions`: names of the engine's table functions. Errors: 497; 62 for text whose quotes could be read in two ways. */
export function refuseOutside(sql: string, functions: ReadonlySet<string>): void {
  const list = tokens(sql);
  for (const [i, token] of list.entries()) {
    const next = list[i + 1];
    refuseUnclear(token, list[i - 1]);
    if (token.kind !== 'word' && token.kind !== 'quoted') continue;
    const name = nameOf(token).toLowerCase();
    const isCalled = next?.text === '(';
    if (name === FILE || (isCalled && (name === DISK || (functions.has(name) && !INSIDE.has(name))))) throw errors.outside(name);
    if (token.kind !== 'word') continue;
    if (CLIENT_FILES.has(name.toUpperCase())) throw errors.outside(name);
    if (name === 'engine') refuseEngine(token, next, list[i + 2]);
  }
}

/** `SELECT engine FROM …` is no engine. */
function refuseEngine({ depth }: Token, next: Token | undefined, after: Token | undefined): void {
  const named = next?.text === '=' ? after : depth === 0 ? next : undefined;
  if (named === undefined || (named.kind !== 'word' && named.kind !== 'quoted')) return;
  if (!ENGINE.test(nameOf(named))) throw errors.outside(`engine ${nameOf(named)}`);
}

function refuseUnclear({ kind, text, start }: Token, before: Token | undefined): void {
  const isQuote = kind === 'string' || kind === 'quoted';
  // x'…' has no escapes.
  const isPrefixed = isQuote && before?.end === start && /\w$/.test(before.text) && before.kind !== 'string' && before.kind !== 'quoted';
  if (isPrefixed || text.startsWith('$') || (kind === 'symbol' && !PLAIN.test(text))) throw errors.syntax(`unexpected ${text.slice(0, 1)}`);
}

function nameOf({ kind, text }: Token): string {
  return kind === 'word' ? text : text.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
}
