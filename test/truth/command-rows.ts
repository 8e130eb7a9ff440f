// Runs a command of the executable in this process and returns the JSON lines that it prints.
import { Readable, Writable } from 'node:stream';
import type { Command } from '../../pipeline/runtime/command.ts';
import { EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import type { Fields } from './values.ts';

/** `input` is the standard input of the command. */
export async function commandRows(
  command: Command,
  argv: readonly string[],
  onRow: (row: Fields) => void,
  input: string | null = null,
): Promise<void> {
  const { options, words } = parseOptions(command.options, argv, {});
  let rest = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) onRow(JSON.parse(line) as Fields);
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stdin = input === null ? Readable.from([]) : Readable.from([Buffer.from(input)]);
  const status = await command.run({ options, words, env: {}, stdin, stdout, stderr, signal: new AbortController().signal });
  if (status !== EXIT_DONE) throw new Error(`squitter ${command.name} ${argv.join(' ')} ended with ${status}`);
}
