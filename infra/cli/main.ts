// The executable's work: loads the command, reads flags and environment, and ends the process with the command's exit status.
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { type Command, EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from '../../pipeline/runtime/command.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import { isMissingModule, packageVersion } from '../../pipeline/runtime/package-root.ts';
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { commandLoaders } from './commands.ts';
import { commandHelp, overview } from './help.ts';

// Before any code of the fold runs. Worker threads inherit the flags.
tuneForFold();
const status = await main(process.argv.slice(2));
// After a failure, an open socket or a failed thread could keep the process running; a service has closed everything.
if (status === EXIT_DONE && process.argv[2] !== 'service') process.exitCode = status;
else process.exit(status);

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  try {
    if (name === '--version' || name === 'version') {
      process.stdout.write(`squitter ${packageVersion()} (fold ${FOLD_VERSION}, Node ${process.versions.node})\n`);
      return EXIT_DONE;
    }
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
      process.stdout.write(await overview());
      return name === undefined ? EXIT_USAGE : EXIT_DONE;
    }
    const load = commandLoaders[name];
    if (load === undefined) throw new SquitterError('usage.unknown_command', { command: name });
    const command = await load();
    if (rest.includes('--help') || rest.includes('-h')) {
      process.stdout.write(command.helpOf?.(rest) ?? commandHelp(command));
      return EXIT_DONE;
    }
    return await run(command, rest);
  } catch (error) {
    return fail(error);
  }
}

async function run(command: Command, argv: readonly string[]): Promise<number> {
  const { options, words } = parseOptions(command.options, argv, process.env, command.takesOtherFlags === true);
  if (words.length < command.wordsMin) throw new SquitterError('usage.missing_argument', { argument: command.words });
  if (words.length > command.wordsMax)
    throw new SquitterError('usage.unknown_word', { word: words[command.wordsMax]!, command: command.name });
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
function fail(error: unknown): number {
  if (isMissingModule(error)) throw error;
  if (!(error instanceof SquitterError)) {
    process.stderr.write(`squitter: internal error: ${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT_FAILED;
  }
  process.stderr.write(`squitter: ${error.message} [${error.code}]\n`);
  if (!error.code.startsWith('usage.')) return EXIT_FAILED;
  process.stderr.write('squitter: `squitter help` lists the commands, `squitter COMMAND --help` shows one\n');
  return EXIT_USAGE;
}
