// Help texts: every command has examples, and the overview is in columns.
import { expect, it } from 'vitest';
import { commandLoaders } from './commands.ts';
import { commandHelp, overview } from './help.ts';

it('every command has examples, and the overview is in columns', async () => {
  const names = Object.keys(commandLoaders);
  for (const name of names) expect(commandHelp(await commandLoaders[name]!())).toMatch(/Examples:\n {2}squitter /);
  const text = await overview();
  expect(text.match(/^ {2}\S.*? {2,}\w/gm)).toHaveLength(names.length);
  expect(text).toMatch(/^ {2}reference import FILE \[FILE …\] {2,}\w/m);
});
