// Help texts: every command has examples, and the overview is in columns.
import { describe, expect, it } from 'vitest';
import { commandLoaders } from './commands.ts';
import { commandHelp, overview } from './help.ts';

describe('help', () => {
  it.each(Object.keys(commandLoaders))('of %s has examples', async (name) => {
    expect(commandHelp(await commandLoaders[name]!())).toMatch(/Examples:\n {2}squitter /);
  });

  it('of all commands is in columns', async () => {
    const text = await overview();
    const lines = text.split('\n').filter((line) => line.startsWith('  '));
    expect(lines).toHaveLength(Object.keys(commandLoaders).length);
    for (const line of lines) expect(line).toMatch(/^ {2}\S.*? {2,}\w/);
    expect(text).toMatch(/^ {2}reference import FILE \[FILE …\] {2,}\w/m);
  });
});
