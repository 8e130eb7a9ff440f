// One table of options per command or service: flags, environment names, defaults and --help all come from it.
import { readFileSync } from 'node:fs';
import { SquitterError } from '../../schemas/errors.ts';

export interface Option<T> {
  /** `--data` is 'data'. An option without a flag comes from the environment only. */
  readonly flag?: string;
  /** Placeholder of the value in help: DIR, HOST:PORT; a switch has none. */
  readonly value?: string;
  /** Environment variable that sets it; the flag wins. */
  readonly env?: string;
  /** A list: the flag may be repeated, and one text may contain several values, separated by commas. */
  readonly repeatable?: boolean;
  /** Never printed. Read from the variable, or from the file named by the variable with the suffix `_FILE`. */
  readonly secret?: boolean;
  /** There is no useful default. */
  readonly required?: boolean;
  readonly help: string;
  readonly fallback: T;
  /** Parses one value; throws a plain Error with the expected form. */
  readonly parse?: (text: string) => T extends readonly (infer Item)[] ? Item : T;
}

/** An option with a text, whose variable has the name of its flag. */
export const textOption = (flag: string, value: string, help: string) => ({
  flag,
  value,
  env: variableOf(flag),
  help,
  fallback: null as string | null,
});

/** A switch, whose variable has the name of its flag. */
export const switchOption = (flag: string, help: string) => ({ flag, env: variableOf(flag), help, fallback: false as boolean });

const variableOf = (flag: string): string => `SQUITTER_${flag.toUpperCase().replaceAll('-', '_')}`;

/** An option with a value and without a variable; null by default. */
export const flagOption = <T, Fallback = null>(
  flag: string,
  value: string,
  help: string,
  parse: (text: string) => T,
  fallback: Fallback = null as Fallback,
) => ({ flag, value, help, fallback: fallback as T | Fallback, parse });

export const receiverOption = (help: string) => ({
  ...flagOption('receiver', 'LAT,LON', help, parseCoordinates),
  env: 'SQUITTER_RECEIVER',
});

/** A secret, which only a variable may carry. */
export const secretOption = (env: string, help: string) =>
  ({ value: 'SECRET', env, secret: true, help, fallback: null as string | null }) as const;

// biome-ignore lint/suspicious/noExplicitAny: a table holds options of any type; each is typed where it is used
export type OptionTable = Readonly<Record<string, Option<any>>>;
export type OptionValues<Table extends OptionTable> = { [Name in keyof Table]: Table[Name]['fallback'] };
/** Origin of each value: `default`, a flag (`--data`) or a variable. */
type OptionOrigins<Table extends OptionTable> = { [Name in keyof Table]: string };

export interface Parsed<Table extends OptionTable> {
  readonly options: OptionValues<Table>;
  readonly origins: OptionOrigins<Table>;
  /** Arguments that are not flags. */
  readonly words: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads flags and environment by a table. With `keepOtherFlags`, flags that are not in the table stay among the words.
 * Errors: `usage.unknown_flag`, `usage.bad_value`, `usage.missing_argument`.
 */
export function parseOptions<Table extends OptionTable>(
  table: Table,
  argv: readonly string[],
  env: Environment,
  keepOtherFlags = false,
): Parsed<Table> {
  const { problems, ...parsed } = readOptions(table, argv, env, keepOtherFlags);
  if (problems[0] !== undefined) throw problems[0];
  return parsed;
}

/** The same, with all errors; an option with an error has its default. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  argv: readonly string[],
  env: Environment,
  keepOtherFlags = false,
): Parsed<Table> & { readonly problems: readonly SquitterError[] } {
  const reading = new Reading(table);
  for (const name of Object.keys(table)) reading.attempt(() => reading.takeVariable(name, env));
  const words: string[] = [];
  const remaining = [...argv];
  while (remaining.length > 0) {
    const word = remaining.shift()!;
    if (word === '--') words.push(...remaining.splice(0));
    else if (!word.startsWith('--') || (keepOtherFlags && optionByFlag(table, splitFlag(word)[0]) === undefined)) words.push(word);
    else reading.attempt(() => reading.takeFlag(word, remaining));
  }
  for (const [name, option] of Object.entries(table)) {
    if (option.required !== true || reading.origins[name] !== 'default' || reading.failed.has(name)) continue;
    reading.problems.push(new SquitterError('usage.missing_argument', { argument: optionName(option) }));
  }
  const { values, origins, problems } = reading;
  return { options: values as OptionValues<Table>, origins: origins as OptionOrigins<Table>, words, problems };
}

/** Name of an option in messages: its flag with its variable, or the variable alone. */
export function optionName({ flag, value, env }: OptionTable[string]): string {
  if (flag === undefined) return env!;
  const shown = value === undefined ? `--${flag}` : `--${flag} ${value}`;
  return env === undefined ? shown : `${shown} (${env})`;
}

/** Values read so far, and the errors. */
class Reading {
  readonly values: Record<string, unknown> = {};
  readonly origins: Record<string, string> = {};
  readonly problems: SquitterError[] = [];
  /** Options with an invalid text. */
  readonly failed = new Set<string>();
  private readonly table: OptionTable;

  constructor(table: OptionTable) {
    this.table = table;
  }

  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof SquitterError)) throw error;
      this.problems.push(error);
    }
  }

  takeVariable(name: string, env: Environment): void {
    const option = this.table[name]!;
    this.values[name] = option.fallback;
    this.origins[name] = 'default';
    this.failed.add(name);
    const [origin, text] = variable(option, env);
    if (text !== '') this.set(name, origin, option.value === undefined ? parseSwitch(origin, text) : parseText(option, origin, text));
    this.failed.delete(name);
  }

  /** `remaining` are the words after it; a value is removed from there. */
  takeFlag(word: string, remaining: string[]): void {
    const [flag, inline] = splitFlag(word);
    const found = optionByFlag(this.table, flag);
    if (found === undefined) throw new SquitterError('usage.unknown_flag', { flag });
    const [name, option] = found;
    if (option.value === undefined) {
      if (inline !== undefined) throw new SquitterError('usage.bad_value', { flag, value: inline, detail: 'the flag takes no value' });
      this.set(name, flag, true);
      return;
    }
    const text = inline ?? remaining.shift();
    this.failed.add(name);
    if (text === undefined) throw new SquitterError('usage.missing_argument', { argument: `the ${option.value} of ${flag}` });
    const value = parseText(option, flag, text);
    const again = option.repeatable === true && this.origins[name] === flag;
    this.set(name, flag, again ? [...(this.values[name] as unknown[]), ...(value as unknown[])] : value);
    this.failed.delete(name);
  }

  private set(name: string, origin: string, value: unknown): void {
    this.values[name] = value;
    this.origins[name] = origin;
  }
}

/** Name and text of the variable that sets an option; '' for none. */
function variable({ env, secret }: OptionTable[string], values: Environment): [name: string, text: string] {
  if (env === undefined) return ['', ''];
  const text = values[env] ?? '';
  const file = secret === true ? (values[`${env}_FILE`] ?? '') : '';
  if (file === '') return [env, text];
  const name = `${env}_FILE`;
  if (text !== '') throw new SquitterError('usage.bad_value', { flag: name, value: file, detail: `${env} is also given` });
  try {
    return [name, readFileSync(file, 'utf8').replace(/\r?\n$/, '')];
  } catch (error) {
    throw new SquitterError('usage.bad_value', { flag: name, value: file, detail: (error as Error).message }, error);
  }
}

function parseText(option: OptionTable[string], origin: string, text: string): unknown {
  if (option.repeatable !== true) return parseValue(option, origin, text);
  return text.split(',').map((item) => parseValue(option, origin, item.trim()));
}

/** `--flag=value` → ['--flag', 'value']; `--flag` → ['--flag', undefined]. */
function splitFlag(word: string): [string, string | undefined] {
  const equals = word.indexOf('=');
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

function optionByFlag(table: OptionTable, flag: string): [name: string, option: OptionTable[string]] | undefined {
  return Object.entries(table).find(([, option]) => option.flag !== undefined && `--${option.flag}` === flag);
}

/** Printed instead of a secret. */
const SECRET_SHOWN = '********';

/** Values as variables, for a program that takes some of the same options. */
export function variablesOf(table: OptionTable, values: Readonly<Record<string, unknown>>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, { env }] of Object.entries(table)) {
    const value = values[name];
    if (env !== undefined && value !== null && value !== undefined && value !== '') variables[env] = String(value);
  }
  return variables;
}

/** A value as text, '' for none; a secret as asterisks. */
export function shownValue({ secret }: OptionTable[string], value: unknown): string {
  if (value === null || value === undefined || value === false || value === '') return '';
  if (secret === true) return SECRET_SHOWN;
  // An endpoint has its own toString; coordinates are a plain object of numbers.
  const plain = typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, 'toString');
  return plain ? Object.values(value).join(',') : String(value);
}

/** The options part of a command's help. */
export function optionsHelp(table: OptionTable): string {
  const rows = Object.values(table).map((option) => {
    const left =
      option.flag === undefined ? `  ${option.env}` : `  --${option.flag}${option.value === undefined ? '' : ` ${option.value}`}`;
    const fallback = shownValue(option, option.fallback);
    const notes = [
      ...(option.required === true ? ['required'] : []),
      ...(fallback === '' ? [] : [`default ${fallback}`]),
      ...(option.repeatable === true ? ['repeatable'] : []),
      ...(option.secret === true ? [`or ${option.env}_FILE`] : []),
      ...(option.env === undefined || option.flag === undefined ? [] : [option.env]),
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
    // A password may also be in a URL by mistake.
    const value = option.secret === true ? SECRET_SHOWN : text.replace(/\/\/[^/@]*@/, `//${SECRET_SHOWN}@`);
    throw new SquitterError('usage.bad_value', { flag, value, detail: (error as Error).message });
  }
}

function parseSwitch(name: string, text: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return true;
  if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return false;
  throw new SquitterError('usage.bad_value', { flag: name, value: text, detail: 'expected true or false' });
}

/** One of these names. */
export function oneOf<Name extends string>(names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const name = names.find((known) => known === text);
    if (name === undefined) throw new Error(`expected one of ${names.join(', ')}`);
    return name;
  };
}

/** An integer from `min` to `max`. */
export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < min || value > max) throw new Error(`expected a whole number from ${min} to ${max}`);
    return value;
  };
}

/** A number from `min` to `max`. */
export function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < min || value > max)
      throw new Error(`expected a number from ${min} to ${max}`);
    return value;
  };
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  toString(): string;
}

/** Creates an endpoint that prints as HOST:PORT. */
export function endpoint(host: string, port: number): Endpoint {
  return { host, port, toString: () => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`) };
}

/** HOST:PORT, or PORT alone for the loopback address; an IPv6 host is in brackets. */
export function parseEndpoint(text: string): Endpoint {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]+):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) throw new Error('expected HOST:PORT');
  return endpoint((match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port);
}

/** An http or https URL without a password; a trailing slash is removed. */
export function parseHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('expected a URL like http://127.0.0.1:8081');
  if (url.username !== '' || url.password !== '')
    throw new Error('expected a URL without user name and password: they have their own options');
  return text.replace(/\/+$/, '');
}

/** LAT,LON in decimal degrees. */
export function parseCoordinates(text: string): { lat: number; lon: number } {
  const parts = text.split(',');
  const [lat, lon] = parts.map(Number);
  if (parts.length !== 2 || !(Math.abs(lat!) <= 90) || !(Math.abs(lon!) <= 180) || parts.some((part) => part.trim() === ''))
    throw new Error('expected LAT,LON in decimal degrees, as 51.99,4.37');
  return { lat: lat!, lon: lon! };
}

/** An ISO time, or seconds since 1970; ms. */
export function parseTime(text: string): number {
  const timeMs = /^\d{1,11}(\.\d+)?$/.test(text) ? 1000 * Number(text) : Date.parse(text);
  if (Number.isNaN(timeMs)) throw new Error('expected a time (2026-01-31T12:00:00Z) or seconds since 1970');
  return timeMs;
}
