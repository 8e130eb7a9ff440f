// Entries found by their texts, against a look at each of them.
import { expect, it } from 'vitest';
import { fits, NameIndex, searchedText } from './name-index.ts';

/** Words that most names have, as those of airports do, and words that few have. */
const COMMON = ['air', 'airport', 'International'];
const entries = Array.from({ length: 400 }, (_, n) => [
  `A${n.toString(36)}`,
  `${['Oslo', 'Airdrie', 'Zürich', 'Air'][n % 4]}${n % 7 === 0 ? '' : ` ${COMMON[n % 3]}`}${n % 40 === 0 ? ' Air' : ''}`,
]);

function lookedUp(query: string, countMax: number): string[] {
  const fitOf = (texts: readonly string[]): number => {
    const searched = texts.map(searchedText);
    if (searched.includes(query)) return 0;
    if (searched.some((text) => text.startsWith(query))) return 1;
    return query.length > 2 && searched.some((text) => text.includes(` ${query}`)) ? 2 : 3;
  };
  const scored = entries.map((texts, n) => ({ n, fit: fitOf(texts) })).filter(({ fit }) => fit < 3);
  scored.sort((a, b) => a.fit - b.fit || a.n - b.n);
  return scored.slice(0, countMax).map(({ n, fit }) => `${fits[fit]} ${n}`);
}

it('finds the same as a look at each entry, also by words that most of them have', () => {
  const index = new NameIndex(entries, (number) => number);
  const queries = ['A', 'AI', 'AIR', 'AIRPORT', 'INT', 'ZURICH', 'ZURICH AIR', 'A5', 'A5B', 'PORT', 'OSLO AIRPORT', 'QQQ'];
  for (const query of queries)
    for (const countMax of [1, 5, 50, 1000]) {
      const found = index.find(query, countMax).map(({ fit, entry }) => `${fit} ${entry}`);
      expect(found, `${query}, ${countMax}`).toEqual(lookedUp(query, countMax));
    }
});
