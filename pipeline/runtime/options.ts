// One table of options per command: flags, environment names, defaults and --help all come from it.
import { SquitterError } from '../../schemas/errors.ts';

export interface Option<T> {
  /** `--data` is 'data'. */
  readonly flag: string;
  /** How help names the value: DIR, HOST:PORT; a switch has none. */
  readonly value?: string;
  /** Environment variable that sets it; the flag wins. */
  readonly env?: string;
  readonly repeatable?: boolean;
  readonly help: string;
  readonly fallback: T;
  /** Reads the text of one value; throws a plain Error with what is allowed. */
  readonly parse?: (text: string) => T extends readonly (infer Item)[] ? Item : T;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds options of any type; each is typed where it is used
export type OptionTable = Readonly<Record<string, Option<any>>>;
export type OptionValues<Table extends OptionTable> = { [Name in keyof Table]: Table[Name]['fallback'] };

export interface Parsed<Table extends OptionTable> {
  readonly options: OptionValues<Table>;
  /** Words that are no flags. */
  readonly words: readonly string[];
}

/** Reads flags and environment by a table. Errors: `usage.unknown_flag`, `usage.bad_value`. */
export function parseOptions<Table extends OptionTable>(
  table: Table,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed<Table> {
  const values = valuesFromEnvironment(table, env);
  const words: string[] = [];
  const given = new Set<string>();
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i]!;
    if (word === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('--')) {
      words.push(word);
      continue;
    }
    const [flag, inline] = splitFlag(word);
    const [name, option] = optionByFlag(table, flag);
    if (option.value === undefined) {
      if (inline !== undefined) throw new SquitterError('usage.bad_value', { flag, value: inline, detail: 'it takes no value' });
      values[name] = true;
      continue;
    }
    if (inline === undefined) i += 1;
    const text = inline ?? argv[i];
    if (text === undefined) throw new SquitterError('usage.missing_argument', { argument: `the ${option.value} of ${flag}` });
    const value = parseValue(option, flag, text);
    if (option.repeatable !== true) values[name] = value;
    else values[name] = given.has(name) ? [...(values[name] as unknown[]), value] : [value];
    given.add(name);
  }
  return { options: values as OptionValues<Table>, words };
}

function valuesFromEnvironment(table: OptionTable, env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const text = option.env === undefined ? undefined : env[option.env];
    if (text === undefined || text === '') values[name] = option.fallback;
    else if (option.repeatable === true) values[name] = text.split(',').map((item) => parseValue(option, option.env!, item.trim()));
    else if (option.value === undefined) values[name] = parseSwitch(option.env!, text);
    else values[name] = parseValue(option, option.env!, text);
  }
  return values;
}

/** `--flag=value` → ['--flag', 'value']; `--flag` → ['--flag', undefined]. */
function splitFlag(word: string): [string, string | undefined] {
  const equals = word.indexOf('=');
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

function optionByFlag(table: OptionTable, flag: string): [string, OptionTable[string]] {
  const entry = Object.entries(table).find(([, option]) => `--${option.flag}` === flag);
  if (entry === undefined) throw new SquitterError('usage.unknown_flag', { flag });
  return entry as [string, OptionTable[string]];
}

/** The options part of a command's help. */
export function optionsHelp(table: OptionTable): string {
  const rows = Object.values(table).map((option) => {
    const left = `  --${option.flag}${option.value === undefined ? '' : ` ${option.value}`}`;
    const fallback = option.fallback;
    const shown = fallback === null || fallback === false || fallback === '' || (Array.isArray(fallback) && fallback.length === 0);
    const notes = [
      ...(shown ? [] : [`default ${String(fallback)}`]),
      ...(option.repeatable === true ? ['repeatable'] : []),
      ...(option.env === undefined ? [] : [option.env]),
    ];
    return [left, `${option.help}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`] as const;
  });
  const width = Math.max(0, ...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => left.padEnd(width) + right).join('\n');
}

function parseValue(option: Option<unknown>, flag: string, text: string): unknown {
  if (option.parse === undefined) return text;
  try {
    return option.parse(text);
  } catch (error) {
    throw new SquitterError('usage.bad_value', { flag, value: text, detail: (error as Error).message });
  }
}

function parseSwitch(name: string, text: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return true;
  if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return false;
  throw new SquitterError('usage.bad_value', { flag: name, value: text, detail: 'it is true or false' });
}

/** An integer from `min` to `max`. */
export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < min || value > max) throw new Error(`it is a whole number from ${min} to ${max}`);
    return value;
  };
}

/** A number from `min` to `max`. */
export function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < min || value > max)
      throw new Error(`it is a number from ${min} to ${max}`);
    return value;
  };
}

export interface Address {
  readonly host: string;
  readonly port: number;
  toString(): string;
}

/** Makes an address that prints as HOST:PORT. */
export function address(host: string, port: number): Address {
  return { host, port, toString: () => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`) };
}

/** HOST:PORT, or PORT alone for the loopback address; an IPv6 host stands in brackets. */
export function parseAddress(text: string): Address {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]+):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) throw new Error('it is HOST:PORT');
  return address((match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port);
}

/** LAT,LON in decimal degrees. */
export function parseCoordinates(text: string): { lat: number; lon: number } {
  const parts = text.split(',');
  const [lat, lon] = parts.map(Number);
  if (parts.length !== 2 || !(Math.abs(lat!) <= 90) || !(Math.abs(lon!) <= 180) || parts.some((part) => part.trim() === ''))
    throw new Error('it is LAT,LON in decimal degrees, as 51.99,4.37');
  return { lat: lat!, lon: lon! };
}
