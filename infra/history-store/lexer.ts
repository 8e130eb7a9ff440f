// Words and symbols of an SQL text, without comments and the contents of strings: enough to route a statement, not to understand it.

export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'symbol';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of open parentheses around it. */
  readonly depth: number;
}

const WORD = /[A-Za-z_][\w$]*/y;
const NUMBER = /\d[\w.]*/y;

/** Tokens in order. An unfinished string or comment ends with the text: the engine reports it. */
export function tokens(sql: string): Token[] {
  const found: Token[] = [];
  let depth = 0;
  for (let at = 0; at < sql.length; ) {
    const skipped = afterBlank(sql, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const [kind, end] = tokenAt(sql, at);
    const text = sql.slice(at, end);
    if (text === ')') depth -= 1;
    found.push({ kind, text, start: at, end, depth });
    if (text === '(') depth += 1;
    at = end;
  }
  return found;
}

/** The position after one comment or one run of blanks that starts here; the same position if none does. */
function afterBlank(sql: string, at: number): number {
  if (/\s/.test(sql[at]!)) return at + 1;
  if (sql.startsWith('--', at)) return orEnd(sql, sql.indexOf('\n', at));
  if (sql.startsWith('/*', at)) return orEnd(sql, sql.indexOf('*/', at + 2), 2);
  return at;
}

function tokenAt(sql: string, at: number): [Token['kind'], end: number] {
  const first = sql[at]!;
  if (first === "'") return ['string', stringEnd(sql, at)];
  if (first === '"' || first === '`') return ['quoted', stringEnd(sql, at)];
  for (const pattern of [WORD, NUMBER]) {
    pattern.lastIndex = at;
    const match = pattern.exec(sql);
    if (match !== null) return [pattern === WORD ? 'word' : 'symbol', at + match[0].length];
  }
  return ['symbol', at + 1];
}

/** A quote inside is written twice or after a backslash. */
function stringEnd(sql: string, start: number): number {
  const quote = sql[start]!;
  for (let at = start + 1; at < sql.length; at += 1) {
    if (sql[at] === '\\') at += 1;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return sql.length;
}

function orEnd(sql: string, found: number, length = 0): number {
  return found === -1 ? sql.length : found + length;
}

/** Text as a string literal. */
export function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Text as a quoted identifier. */
export function identifier(text: string): string {
  return `\`${text.replace(/[\\`]/g, '\\$&')}\``;
}
