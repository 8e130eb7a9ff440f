// Kinds of statements, and the text that the engine gets: with settings, and with the body of an insert as a file.
import { errors } from './engine-error.ts';
import { literal, type Token, tokens } from './lexer.ts';

export type Settings = ReadonlyMap<string, string>;

/** Rows of the body into a table; `sql` ends with the table and its columns. */
export interface InsertStatement {
  readonly kind: 'insert';
  readonly sql: string;
  readonly format: string;
}

export type Statement =
  /** Gives rows; settings stand at its end. Only a SELECT can be streamed. */
  | { readonly kind: 'read'; readonly sql: string; readonly format: string | null; readonly isSelect: boolean }
  | InsertStatement
  /** `INSERT … SELECT`, `INSERT … VALUES`. */
  | { readonly kind: 'write'; readonly sql: string };

const selecting = new Set(['SELECT', 'WITH', 'FROM']);
const showing = new Set(['SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS', 'CHECK']);
/** They would change the state of a session, which a request does not have, or end queries of others. */
const refused = new Set(['SET', 'USE', 'KILL']);
const SETTING_NAME = /^[A-Za-z_]\w*$/;

/** Errors: 62 for several statements in one text, or none; 48. */
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
  if (refused.has(first)) throw errors.notImplemented(first);
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
  const [word, name] = list.slice(-2);
  const isNamed = word?.kind === 'word' && word.depth === 0 && word.text.toUpperCase() === 'FORMAT' && name?.kind === 'word';
  return isNamed ? name.text : null;
}

function insert(sql: string, list: readonly Token[]): Statement {
  const upper = list.map(({ kind, text, depth }) => (kind === 'word' && depth === 0 ? text.toUpperCase() : ''));
  const at = upper.indexOf('FORMAT');
  const rows = upper.findIndex((word) => word === 'SELECT' || word === 'WITH' || word === 'VALUES');
  if (at === -1 || (rows !== -1 && rows < at)) return { kind: 'write', sql };
  const format = formatOf(list);
  // Rows as Values are expressions, which this module has not checked.
  if (format === null || format.toUpperCase() === 'VALUES' || upper.includes('SETTINGS'))
    throw errors.notImplemented('An INSERT with FORMAT has a table, columns, and rows in its body, not as Values: this one');
  return { kind: 'insert', sql: sql.slice(0, list[at]!.start).trim(), format };
}

/** The statement that inserts a file. It takes no grant, unlike the table function `file`, and the table gives the columns. */
export function insertOfFile({ sql, format }: InsertStatement, file: string, settings: Settings): string {
  return `${sql} FROM INFILE ${literal(file)} ${settingsText(settings)} FORMAT ${format}`;
}
