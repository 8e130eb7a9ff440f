// A command of the executable. Commands return an exit status; only the entry file ends the process.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Environment, OptionTable, OptionValues } from './options.ts';

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

export interface CommandContext<Table extends OptionTable = OptionTable> {
  readonly options: OptionValues<Table>;
  readonly words: readonly string[];
  readonly env: Environment;
  readonly stdin: Readable;
  /** Data only. */
  readonly stdout: Writable;
  /** Progress and messages. */
  readonly stderr: Writable;
  /** Aborted by SIGINT and SIGTERM: stop cleanly and return. */
  readonly signal: AbortSignal;
}

export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments after the name: `FILE [FILE …]`. Default: none. */
  readonly words?: string;
  /** Minimum and maximum number of words. Default: 0. */
  readonly wordsMin?: number;
  readonly wordsMax?: number;
  /** Details for --help; may be empty. */
  readonly details: string;
  readonly examples: readonly string[];
  readonly options: Table;
  /** Flags that are not in the table stay among the words: the command reads them with another table. */
  readonly takesOtherFlags?: boolean;
  /** Help for these words; null for that of the command. */
  readonly helpOf?: (words: readonly string[]) => string | null;
  run(context: CommandContext<Table>): Promise<number>;
}

/** Writes to an output that may be slower than the command. */
export async function writeTo(output: Writable, data: string | Uint8Array): Promise<void> {
  if (data.length > 0 && !output.write(data)) await once(output, 'drain');
}

/** Keeps the option types of a command literal. */
export function defineCommand<Table extends OptionTable>(command: Command<Table>): Command<Table> {
  return command;
}
