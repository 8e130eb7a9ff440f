// Where log lines go: JSON lines to programs, the same in words to a terminal.
import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';

/** pino's levels; lower ones need no word. */
const LEVEL_WARN = 40;
const LEVEL_ERROR = 50;

/** Target of a logger that writes to `stderr`. */
export function logTarget(stderr: Writable & { readonly isTTY?: boolean }): DestinationStream {
  return stderr.isTTY === true ? { write: (line) => void stderr.write(inWords(line)) } : (stderr as unknown as DestinationStream);
}

/** A line of pino for a reader: local time, message, fields in brackets; the stack of an error in lines of its own. */
export function inWords(line: string): string {
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
