// Runs a command of the executable in this process and hands over the JSON lines that it prints.
import { Readable, Writable } from 'node:stream';
import type { Command } from '../../pipeline/runtime/command.ts';
import { EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import type { Fields } from './values.ts';

/** `input` is what the command reads as `-`. */
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
