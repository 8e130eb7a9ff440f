// Names follow docs/glossary.md: its non-terms are refused in identifiers and file names. Names on the wire that have one are listed in
// glossary-left.json with the number of their uses; the list should only shrink. `GLOSSARY=write npx vitest run test/glossary.test.ts` counts it again.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { projectFiles } from './support/project-files.ts';
import { projectDir } from './support/requirements.ts';

const leftFile = join(import.meta.dirname, 'glossary-left.json');
const left = JSON.parse(readFileSync(leftFile, 'utf8')) as Record<string, Record<string, number>>;

/** Words in another sense: the alphabet, a connection that is established, a verb in English. */
const RIGHT_HERE = /^(LETTERS?|PER_LETTERS?|TAIL_LETTERS|LETTERS_WITHOUT_I_AND_O|reach(Kafka|Registry|Redis)|putInPlace)$/;
/** A refused word is right behind this word. */
const RIGHT_BEHIND: ReadonlyMap<string, string> = new Map([
  ['letter', 'dead'],
  ['letters', 'dead'],
]);

const ANYWHERE = /`([a-z ]+)`(?! alone)/g;
/** Too short or too general as a whole name; part of one they are right. */
const ALONE = /`([a-z ]+)` alone/g;

/** Refused words, or pairs of words, from the last column. `isAlone`: those that are refused as whole names. */
function nonTerms(isAlone: boolean): string[] {
  const rows = readFileSync(join(projectDir, 'docs/glossary.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const words = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(isAlone ? ALONE : ANYWHERE)].map((match) => match[1]!));
  return [...new Set(words)];
}

/** `deadLetterCount`, `DEAD_LETTER_COUNT`, `dead-letter-count`: dead, letter, count. */
function wordsOf(name: string): string[] {
  const apart = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return apart.toLowerCase().split(/[^a-z\d]+/);
}

/** Finds refused words in words between spaces. */
const refused = new RegExp(` (${nonTerms(false).join('|')})(?= )`, 'g');
const refusedAlone = new Set(nonTerms(true));

function refusedIn(name: string): string | undefined {
  if (RIGHT_HERE.test(name)) return undefined;
  const whole = wordsOf(name).join(' ');
  if (refusedAlone.has(whole)) return whole;
  const words = ` ${whole} `;
  for (const { 1: term = '', index } of words.matchAll(refused)) {
    const before = RIGHT_BEHIND.get(term);
    if (before === undefined || !words.slice(0, index).endsWith(` ${before}`)) return term;
  }
  return undefined;
}

/** `Uint8Array.of` is not our name. */
function isForeign(node: unknown): boolean {
  const { type, object } = (node ?? {}) as { readonly type?: string; readonly object?: { readonly name?: string } };
  return type === 'MemberExpression' && /(Array|Buffer)$/.test(object?.name ?? '');
}

/** Every identifier of a source file, with repetitions. */
function identifiersOf(file: string): string[] {
  const syntax = parseAst(readFileSync(join(projectDir, file), 'utf8'), { lang: 'ts' });
  const text = JSON.stringify(syntax, (_, node: unknown) => (typeof node === 'bigint' || isForeign(node) ? null : node));
  return [...text.matchAll(/"name":"([^"]+)"/g)].map((match) => match[1]!);
}

const files = projectFiles();

/** Names with a refused word, by word, with their uses. File names end with a dot and what follows it. */
function oldNames(): Map<string, Map<string, number>> {
  const names = [
    ...files.filter((file) => file.endsWith('.ts')).flatMap(identifiersOf),
    ...files.map((file) => basename(file)).filter((name) => name.includes('.')),
  ];
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const found = new Map<string, Map<string, number>>();
  for (const [name, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const word = refusedIn(name);
    if (word !== undefined) found.set(word, (found.get(word) ?? new Map()).set(name, count));
  }
  return found;
}

test('no new name has a word that the glossary refuses', { timeout: 300_000 }, () => {
  const old = oldNames();
  if (process.env['GLOSSARY'] === 'write') {
    const rows = [...old].map(([word, names]) => [word, Object.fromEntries(names)]);
    writeFileSync(leftFile, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
    return;
  }
  expect(
    ['placeOf', 'PLACE_MS', 'place-grid.ts', '#answer', 'NEWS', 'replaceAll', 'addDeadLetter', 'keptFrom'].filter(refusedIn),
  ).toHaveLength(5);
  const added = [...old].flatMap(([word, names]) => [...names.keys()].filter((name) => !(name in (left[word] ?? {}))));
  expect(added, 'see docs/glossary.md for the words to use').toEqual([]);
});
