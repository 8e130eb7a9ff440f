// Help texts of the executable.
import type { Command } from '../../pipeline/runtime/command.ts';
import { optionsHelp } from '../../pipeline/runtime/options.ts';
import { commandLoaders } from './commands.ts';

/** The list of commands. */
export async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(commandLoaders).map((load) => load()));
  const heads = commands.map((command) => `${command.name} ${command.words ?? ''}`.trim());
  const width = Math.max(...heads.map((head) => head.length)) + 2;
  const rows = commands.map((command, i) => `  ${heads[i]!.padEnd(width)}${command.summary}`);
  return [
    'squitter: live aircraft positions from raw Mode S frames',
    '',
    'Usage: squitter COMMAND [FLAGS]',
    '',
    ...rows,
    '',
    '`squitter COMMAND --help` shows flags and examples, `squitter --version` the version. Exit status: 0 done, 1 failed, 2 wrong usage.',
    '',
  ].join('\n');
}

/** Flags and examples of one command. */
export function commandHelp(command: Command, program = 'squitter'): string {
  const parts = [
    `${program} ${command.name}: ${command.summary}`,
    `Usage: ${[program, command.name, command.words ?? '', '[FLAGS]'].filter((word) => word !== '').join(' ')}`,
  ];
  if (command.details !== '') parts.push(command.details);
  if (Object.keys(command.options).length > 0) parts.push(`Flags:\n${optionsHelp(command.options)}`);
  parts.push(`Examples:\n${command.examples.map((example) => `  ${example}`).join('\n')}`);
  return `${parts.join('\n\n')}\n`;
}
