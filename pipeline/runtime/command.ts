// What a command of the one executable is. Commands return an exit status; only the entry file ends the process.
import type { Readable, Writable } from 'node:stream';
import type { Environment, OptionTable, OptionValues } from './options.ts';

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

export interface CommandContext<Table extends OptionTable> {
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
  /** What stands behind the name: `FILE [FILE …]`. */
  readonly words: string;
  /** Least and most words. */
  readonly wordsMin: number;
  readonly wordsMax: number;
  /** More than the summary, for --help; may be empty. */
  readonly details: string;
  readonly examples: readonly string[];
  readonly options: Table;
  /** Flags that the table does not have are left among the words: the command reads them by another table. */
  readonly takesOtherFlags?: boolean;
  run(context: CommandContext<Table>): Promise<number>;
}

/** Keeps the option types of a command literal. */
export function defineCommand<Table extends OptionTable>(command: Command<Table>): Command<Table> {
  return command;
}
