// The logger of a service: JSON lines to programs, the same in words to a terminal; each cause of an error once, and a stack unless the error is from our catalogue.
import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

/** The logger of stages and of parts in threads, compatible with pino. */
export type LineLogger = Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;

/** A logger that writes to `stderr`. */
export function serviceLogger(stderr: Writable & { readonly isTTY?: boolean }, options: Pick<LoggerOptions, 'base' | 'level'>): Logger {
  return pino({ ...options, timestamp: stdTimeFunctions.isoTime, serializers: { err: errorFields } }, logTarget(stderr));
}

/** pino's levels; lower ones need no word. */
const LEVEL_WARN = 40;
const LEVEL_ERROR = 50;

/** Target of a logger that writes to `stderr`. */
function logTarget(stderr: Writable & { readonly isTTY?: boolean }): DestinationStream {
  return stderr.isTTY === true ? { write: (line) => void stderr.write(inWords(line)) } : (stderr as unknown as DestinationStream);
}

/** A line of pino for a person: local time, message, fields in brackets; the stack of an error in lines of its own. */
function inWords(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const word = Number(level) >= LEVEL_ERROR ? 'error: ' : Number(level) >= LEVEL_WARN ? 'warning: ' : '';
  const { message, stack, ...more } = (err ?? {}) as Record<string, unknown>;
  const parts = Object.entries({ ...fields, ...more }).map(([name, value]) => `${name} ${wordOf(value)}`);
  const text = [msg, message].filter((part) => part !== undefined).join(': ');
  const clock = new Date(time as string | number).toTimeString().slice(0, 'hh:mm:ss'.length);
  return `${clock} ${word}${text}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}\n${stack === undefined ? '' : `${stack}\n`}`;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  /** Messages of causes, outermost first, without those that earlier messages contain. */
  readonly causes?: readonly string[];
  readonly stack?: string;
}

/** pino's serializer of `err`. */
export function errorFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name: type, message, code } = error as NodeJS.ErrnoException;
  const causes: string[] = [];
  let at: unknown = error.cause;
  for (let depth = 0; at !== undefined && at !== null && depth < limits.errorCausesMax; depth += 1) {
    const text = at instanceof Error ? at.message : String(at);
    if (![message, ...causes].some((earlier) => earlier.includes(text))) causes.push(text);
    at = at instanceof Error ? at.cause : null;
  }
  const frames = error instanceof SquitterError ? undefined : framesOf(error);
  return {
    type,
    message,
    ...(code === undefined ? {} : { code }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(frames === undefined ? {} : { stack: frames }),
  };
}

/** The stack without the message, which is a field of its own. */
function framesOf({ stack = '' }: Error): string {
  const first = stack.search(/^\s+at /m);
  return first < 0 ? '' : stack.slice(first);
}
