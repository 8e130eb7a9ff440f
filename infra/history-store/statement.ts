// Kinds of statements, and the text that the engine gets: with settings, and with the body of an insert as a file.
import { errors } from './engine-error.ts';
import { literal, type Token, tokens } from './lexer.ts';

export type Settings = ReadonlyMap<string, string>;

export type Statement =
  /** Gives rows; settings stand at its end. Only a SELECT can be streamed. */
  | { readonly kind: 'read'; readonly sql: string; readonly format: string | null; readonly isSelect: boolean }
  /** Rows of the body into a table. */
  | {
      readonly kind: 'insert';
      /** Up to the table and its columns. */
      readonly sql: string;
      /** Assignments of its own; empty if it has none. */
      readonly ownSettings: string;
      readonly format: string;
    }
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
  // Its values are expressions, which nothing has looked at.
  if (name.text.toUpperCase() === 'VALUES') throw errors.notImplemented('Rows in the format Values: choose another');
  if (format + 2 < list.length) throw errors.notImplemented('Rows in the text of an INSERT with FORMAT: send them as the body');
  const settings = upper.indexOf('SETTINGS');
  const textBetween = (from: number, to: number): string => sql.slice(list[from]?.start, list[to]!.start).trim();
  return {
    kind: 'insert',
    sql: textBetween(0, settings === -1 ? format : settings),
    ownSettings: settings === -1 ? '' : textBetween(settings + 1, format),
    format: name.text,
  };
}

/** The statement that inserts a file. It takes no grant, unlike the table function `file`, and the table gives the columns. */
export function insertOfFile(
  { sql, ownSettings, format }: Extract<Statement, { kind: 'insert' }>,
  file: string,
  settings: Settings,
): string {
  const all = [ownSettings, assignments(settings)].filter((text) => text !== '').join(', ');
  return `${sql} FROM INFILE ${literal(file)}${all === '' ? '' : ` SETTINGS ${all}`} FORMAT ${format}`;
}
