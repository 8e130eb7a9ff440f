// Entries found by their codes and names while somebody types. All texts are one string, whose search needs no memory per entry and no look at each of them.
import { firstNotBelow } from '../store/sorted.ts';

/** Marks the start of a text, and its end; words within it are separated by blanks. */
const START = '\n';
/** So many characters are in most texts: only those that begin with them are found, without a look at the others. */
const SHORT = 2;

/** How a text fits a search, the best first: all of it, its beginning, the beginning of one of its words. */
export const fits = ['exact', 'prefix', 'word'] as const;
export type Fit = (typeof fits)[number];

export interface Matched<Entry> {
  readonly fit: Fit;
  readonly entry: Entry;
}

/** Letters that are no other letter with an accent. */
const PLAIN_CAPITALS: Readonly<Record<string, string>> = { Ł: 'L', Đ: 'D', Ø: 'O', Æ: 'AE', Œ: 'OE', Þ: 'TH', Ħ: 'H' };

/** Form in which texts are compared: capitals and digits without accents, one blank between words. */
export function searchedText(text: string): string {
  const upper = text.toUpperCase();
  // Most texts are ASCII, which takes a tenth of the time.
  if (/^[\x20-\x7e]*$/.test(upper)) return upper.replace(/[^A-Z0-9]+/g, ' ').trim();
  const plain = upper.normalize('NFD').replace(/\p{M}/gu, '');
  return plain
    .replace(/[ŁĐØÆŒÞĦ]/g, (character) => PLAIN_CAPITALS[character]!)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export class NameIndex<Entry> {
  private readonly text: string;
  /** Where each entry begins. */
  private readonly starts: Float64Array;
  private readonly entry: (number: number) => Entry;

  /** `texts`: codes and names of each entry, the most important entry first. */
  constructor(texts: Iterable<readonly (string | undefined)[]>, entry: (number: number) => Entry) {
    const parts: string[] = [];
    const starts: number[] = [];
    let length = 0;
    for (const each of texts) {
      const known = each.filter((text) => text !== undefined && text !== '').map((text) => START + searchedText(text!));
      const part = known.join('') + START;
      starts.push(length);
      parts.push(part);
      length += part.length;
    }
    this.text = parts.join('');
    this.starts = Float64Array.from(starts);
    this.entry = entry;
  }

  /** Up to `countMax` entries, those that fit best first, equal ones by importance. `query` is a `searchedText`. */
  find(query: string, countMax: number): Matched<Entry>[] {
    if (query === '') return [];
    const found: Record<Fit, Set<number>> = { exact: new Set(), prefix: new Set(), word: new Set() };
    if (query.length > SHORT)
      this.each(query, (at) => {
        const fit = this.fitAt(at, query);
        // A word may be in most names (AIR, AIRPORT), and finding the entry is most of the time.
        if (fit !== null && found[fit].size < countMax) found[fit].add(this.entryAt(at));
      });
    else {
      this.each(`${START}${query}${START}`, (at) => found.exact.add(this.entryAt(at)));
      this.each(`${START}${query}`, (at) => found.prefix.add(this.entryAt(at)).size < countMax);
    }
    const best = new Map<number, Fit>();
    for (const fit of fits) for (const number of found[fit]) if (!best.has(number)) best.set(number, fit);
    return [...best].slice(0, countMax).map(([number, fit]) => ({ fit, entry: this.entry(number) }));
  }

  /** Calls back for each position of a pattern, until it says false. */
  private each(pattern: string, use: (at: number) => unknown): void {
    for (let at = this.text.indexOf(pattern); at >= 0; at = this.text.indexOf(pattern, at + 1)) if (use(at) === false) return;
  }

  private fitAt(at: number, query: string): Fit | null {
    const before = this.text[at - 1];
    if (before === START) return this.text[at + query.length] === START ? 'exact' : 'prefix';
    return before === ' ' ? 'word' : null;
  }

  private entryAt(at: number): number {
    return firstNotBelow(this.starts, at + 1) - 1;
  }
}
