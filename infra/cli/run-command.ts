// Runs a command as a program: flags and environment in, stopped by signals, errors as lines, its exit status as the status of the process.
import { type Command, EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from '../../pipeline/runtime/command.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import { isMissingModule } from '../../pipeline/runtime/package-root.ts';
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { commandHelp } from './help.ts';

/** Runs `work` and ends the process with its result. `hint`: the line after an error of usage. `isService`: it has closed everything when its work ends. */
export async function runProgram(work: () => Promise<number>, hint: string, isService = false): Promise<void> {
  // Before any code of the fold runs. Worker threads inherit the flags.
  tuneForFold();
  const status = await work().catch((error: unknown) => fail(error, hint));
  // After a failure, an open socket or a failed thread could keep the process running.
  if (status === EXIT_DONE && !isService) process.exitCode = status;
  else process.exit(status);
}

/** Runs a command, or prints its help. `program`: what stands before the name of the command. */
export async function runCommand(command: Command, argv: readonly string[], program = 'squitter'): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(command.helpOf?.(argv) ?? commandHelp(command, program));
    return EXIT_DONE;
  }
  const { options, words } = parseOptions(command.options, argv, process.env, command.takesOtherFlags === true);
  const { name, words: expected = '', wordsMin = 0, wordsMax = 0 } = command;
  if (words.length < wordsMin) throw new SquitterError('usage.missing_argument', { argument: expected });
  if (words.length > wordsMax) throw new SquitterError('usage.unknown_word', { word: words[wordsMax]!, command: name });
  const stop = new AbortController();
  const onSignal = () => {
    // The system ends the process at a second signal; the log survives that. Node's own exit would abort in a thread that has native sockets open.
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // `squitter tail … | head` closes our output early, which is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_DONE);
    throw error;
  });
  const { env } = process;
  return command.run({ options, words, env, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, signal: stop.signal });
}

/** Prints one line for an error of the catalogue, and a stack for an internal error. The entry file knows what a missing module means. */
function fail(error: unknown, hint: string): number {
  if (isMissingModule(error)) throw error;
  if (!(error instanceof SquitterError)) {
    process.stderr.write(`squitter: internal error: ${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT_FAILED;
  }
  process.stderr.write(`squitter: ${error.message} [${error.code}]\n`);
  if (!error.code.startsWith('usage.')) return EXIT_FAILED;
  process.stderr.write(`squitter: ${hint}\n`);
  return EXIT_USAGE;
}
