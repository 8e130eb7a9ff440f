// Forms of text parameters. A form is part of a parameter's JSON schema: the contract shows its pattern, the validator checks it, and its words
// explain a value that does not fit.
import { nearestName } from '../../pipeline/runtime/nearest-name.ts';
import { limits } from '../../schemas/limits/index.ts';

/** Key of the words in a schema; JSON leaves it out. */
export const EXPLAIN = Symbol('explain');

/** The part of a value that does not fit, and what was expected. */
export interface Misfit {
  readonly value: string;
  readonly detail: string;
}

export interface TextForm {
  readonly type: 'string';
  readonly pattern: string;
  readonly [EXPLAIN]: (value: string) => Misfit;
}

/** One value. `source` is a regular expression for all of it. */
export function textForm(source: string, detail: string): TextForm {
  return { type: 'string', pattern: `^${source}$`, [EXPLAIN]: (value) => ({ value, detail }) };
}

/** An item of a comma list. */
export interface ItemForm {
  /** A regular expression for all of it; it contains no comma. */
  readonly source: string;
  readonly detail: (item: string) => string;
}

/** A comma list of 1 to `itemsMax` items without blanks; blanks may surround them. */
export function listForm({ source, detail }: ItemForm, itemsMax: number = limits.listItemsMax): TextForm {
  const item = new RegExp(`^ *${source} *$`, 'u');
  return {
    type: 'string',
    pattern: `^ *${source}( *, *${source}){0,${itemsMax - 1}} *$`,
    [EXPLAIN]: (value) => {
      const items = value.split(',');
      if (items.length > itemsMax) return { value, detail: tooMany(items.length, itemsMax) };
      const misfit = items.find((each) => !item.test(each)) ?? value;
      return { value: misfit, detail: detail(misfit.trim()) };
    },
  };
}

function tooMany(count: number, countMax: number): string {
  return `expected at most ${countMax} items, got ${count}`;
}

/** A comma list of these names. `otherwise`: what to expect instead of a name that resembles none. */
export function nameList(names: readonly string[], otherwise: string, itemsMax = names.length): TextForm {
  const detail = (item: string): string => {
    const nearest = nearestName(item, names);
    return nearest === undefined ? otherwise : `did you mean ${nearest}?`;
  };
  return listForm({ source: `(${names.join('|')})`, detail }, itemsMax);
}

/** A comma list of any texts: what names nothing matches nothing. Blanks belong to its items: two ways to read them would make the pattern slow. */
export const anyListOf = (itemsMax: number): TextForm => ({
  type: 'string',
  pattern: `^[^,]*(,[^,]*){0,${itemsMax - 1}}$`,
  [EXPLAIN]: (value) => ({ value, detail: tooMany(value.split(',').length, itemsMax) }),
});
export const anyList: TextForm = anyListOf(limits.listItemsMax);

const HEX = 'expected 6 hex digits, with ~ before them for a non-ICAO address';
export const hexItem: ItemForm = { source: '~?[0-9A-Fa-f]{6}', detail: () => HEX };
export const hexForm: TextForm = textForm(hexItem.source, HEX);
export const hexList: TextForm = listForm(hexItem);
export const squawkList: TextForm = listForm({ source: '[0-7]{4}', detail: () => 'expected four octal digits' });
