// The executable's work: finds the command and runs it.
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { EXIT_DONE, EXIT_USAGE } from '../../pipeline/runtime/command.ts';
import { packageVersion } from '../../pipeline/runtime/package-root.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { commandLoaders } from './commands.ts';
import { overview } from './help.ts';
import { runCommand, runProgram } from './run-command.ts';

await runProgram(main, '`squitter help` lists the commands, `squitter COMMAND --help` shows one', process.argv[2] === 'service');

async function main(): Promise<number> {
  const [name, ...words] = process.argv.slice(2);
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
  return runCommand(await load(), words);
}
