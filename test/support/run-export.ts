// `squitter export --day` in this process, as its command line runs it.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exportCommand } from '../../infra/cli/export-command.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';

/** Returns its output. Errors: those of the command. */
export async function runExport(day: string, dataDir: string, ...argv: string[]): Promise<string> {
  const { options, words } = parseOptions(exportCommand.options, ['--day', day, '--data', dataDir, ...argv], {});
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = text(stdout);
  stderr.resume();
  try {
    await exportCommand.run({ options, words, env: {}, stdin: new PassThrough(), stdout, stderr, signal: new AbortController().signal });
  } finally {
    stdout.end();
  }
  return printed;
}
