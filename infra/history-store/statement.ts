// What a statement is, and the statement as the engine gets it: with settings, and with the body of an insert as a file.
import { errors } from './engine-error.ts';
import { literal, type Token, tokens } from './lexer.ts';

export type Settings = ReadonlyMap<string, string>;

export type Statement =
  /** Gives rows; settings stand at its end. Only a SELECT can be streamed. */
  | { readonly kind: 'read'; readonly sql: string; readonly format: string | null; readonly isSelect: boolean }
  /** Rows of the body into a table. */
  | {
      readonly kind: 'insert';
      readonly head: string;
      readonly hasSettings: boolean;
      readonly table: string;
      readonly columns: readonly string[] | null;
      readonly format: string;
    }
  /** `INSERT … SELECT`, `INSERT … VALUES`. */
  | { readonly kind: 'write'; readonly sql: string }
  | { readonly kind: 'kill'; readonly sql: string }
  /** Would change the state of a session; a request has none. */
  | { readonly kind: 'session' };

const selecting = new Set(['SELECT', 'WITH', 'FROM']);
const showing = new Set(['SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS', 'CHECK']);
const sessions = new Set(['SET', 'USE']);
const SETTING_NAME = /^[A-Za-z_]\w*$/;

/** Error: code 62 for several statements in one text, or none. */
export function parse(sql: string): Statement {
  const all = tokens(sql);
  const end = all.findIndex(({ text, kind }) => kind === 'symbol' && text === ';');
  if (end !== -1 && all.slice(end).some(({ text }) => text !== ';')) throw errors.syntax('Multi-statements are not allowed');
  const list = end === -1 ? all : all.slice(0, end);
  if (list.length === 0) throw errors.syntax('Empty query');
  const text = sql.slice(0, list.at(-1)!.end);
  const first = list.find(({ text: word }) => word !== '(')!.text.toUpperCase();
  const isSelect = selecting.has(first);
  if (isSelect || showing.has(first)) return { kind: 'read', sql: text, format: formatOf(list), isSelect };
  if (sessions.has(first)) return { kind: 'session' };
  if (first === 'KILL') return { kind: 'kill', sql: withIds(text, list) };
  if (first === 'INSERT') return insert(text, list);
  return { kind: 'write', sql: text };
}

/** `SETTINGS a = 1, b = 'x'`, or nothing. */
export function settingsText(settings: Settings): string {
  return settings.size === 0 ? '' : `SETTINGS ${assignments(settings)}`;
}

export function assignments(settings: Settings): string {
  return [...settings].map(([name, value]) => `${checked(name)} = ${settingValue(value)}`).join(', ');
}

export function checked(name: string): string {
  if (!SETTING_NAME.test(name)) throw errors.unknownSetting(name);
  return name;
}

function settingValue(value: string): string {
  return /^-?\d{1,19}(?:\.\d+)?$/.test(value) ? value : literal(value);
}

/** The format that a statement names at its end; null if it names none. */
function formatOf(list: readonly Token[]): string | null {
  for (let i = list.length - 2; i >= 0; i -= 1) {
    const [word, name, after] = [list[i]!, list[i + 1]!, list[i + 2]];
    const isEnd = after === undefined || after.text.toUpperCase() === 'SETTINGS';
    if (word.kind === 'word' && word.depth === 0 && word.text.toUpperCase() === 'FORMAT' && name.kind === 'word' && isEnd) return name.text;
  }
  return null;
}

function insert(sql: string, list: readonly Token[]): Statement {
  const upper = list.map(({ kind, text, depth }) => (kind === 'word' && depth === 0 ? text.toUpperCase() : ''));
  const format = upper.indexOf('FORMAT');
  const rows = upper.findIndex((word) => word === 'SELECT' || word === 'WITH' || word === 'VALUES');
  if (format === -1 || (rows !== -1 && rows < format)) return { kind: 'write', sql };
  const name = list[format + 1];
  if (name?.kind !== 'word') throw errors.syntax('FORMAT without a name');
  if (format + 2 < list.length) throw errors.notImplemented('Rows in the text of an INSERT with FORMAT: send them as the body');
  let at = 1;
  for (const word of ['INTO', 'TABLE']) if (upper[at] === word) at += 1;
  const start = at;
  const isName = (token: Token | undefined): boolean => token !== undefined && (token.kind === 'word' || token.kind === 'quoted');
  if (!isName(list[at])) throw errors.syntax('INSERT without a table');
  if (list[at + 1]?.text === '.' && isName(list[at + 2])) at += 2;
  const table = sql.slice(list[start]!.start, list[at]!.end);
  const columns = list[at + 1]?.text === '(' ? columnNames(list.slice(at + 2)) : null;
  return {
    kind: 'insert',
    head: sql.slice(0, list[format]!.start),
    hasSettings: upper.includes('SETTINGS'),
    table,
    columns,
    format: name.text,
  };
}

function columnNames(list: readonly Token[]): string[] {
  const names: string[] = [];
  for (const [i, token] of list.entries()) {
    if (token.text === ')') return names;
    const isSeparator = i % 2 === 1;
    if (isSeparator ? token.text !== ',' : token.kind !== 'word' && token.kind !== 'quoted')
      throw errors.notImplemented('INSERT takes a list of column names');
    if (!isSeparator) names.push(token.kind === 'word' ? token.text : token.text.slice(1, -1));
  }
  throw errors.syntax('unfinished list of columns');
}

/** The engine has ids of its own: ours are the comment of a query. */
function withIds(sql: string, list: readonly Token[]): string {
  let result = '';
  let copied = 0;
  for (const { kind, text, start, end } of list) {
    if (kind !== 'word' || text !== 'query_id') continue;
    result += `${sql.slice(copied, start)}Settings['log_comment']`;
    copied = end;
  }
  return result + sql.slice(copied);
}

/** The statement that inserts a file. */
export function insertOfFile(
  { head, hasSettings, format }: Extract<Statement, { kind: 'insert' }>,
  file: string,
  structure: string,
  settings: Settings,
): string {
  const set = assignments(settings);
  const clause = set === '' ? '' : hasSettings ? `, ${set}` : `SETTINGS ${set}`;
  return `${head.trimEnd()} ${clause} SELECT * FROM file(${literal(file)}, ${literal(format)}, ${literal(structure)})`;
}
