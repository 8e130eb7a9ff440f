// Writes one listed aircraft as a JSON object into bytes: the fast version of plain.ts. The native and the readsb object differ only in their head, so what follows is rendered
// once and copied.
import { sourceKinds } from '../../schemas/aircraft-fields.ts';
import { isNativeCategory, nativeType } from '../../schemas/native-members.ts';
import { ABSENT, type ColumnName, categoryNames } from '../aircraft/columns.ts';
import { NON_ICAO_BIT } from '../aircraft/hex-key.ts';
import { putText, putWords, type Text, text } from '../aircraft/text.ts';
import { type Decimals, putFixed, SLACK_BYTES } from './digits.ts';
import type { Listing } from './listing.ts';
import { bindPosition, type ChoiceField, type Member, members, type NumberField, type Put } from './members.ts';

/** Upper bound of an object: all keys, the longest numbers, both lists with every name, an advisory and an annotation. */
export const OBJECT_BYTES = 6144 - SLACK_BYTES;

const HEX_START = text('{"hex":"');
const TILDE = 0x7e;
const CLOSE_BRACE = 0x7d;
/** Three hex digits of 0 to 4095. */
const HEX_DIGITS = Int32Array.from({ length: 4096 }, (_, i) => Buffer.from(`${i.toString(16).padStart(3, '0')}\0`).readInt32LE());

/** Members that the readsb object does not have, or has elsewhere. */
const HEAD: readonly string[] = ['type', 'source', 'on_ground'];
/** Written with `lat` in one call. */
const IN_POSITION: readonly string[] = ['lon', 'nic', 'rc', 'seen_pos', 'lastPosition'];
/** Behind the hex, by source, and whether on_ground is unknown, false or true. One text takes less time than three. */
const nativeHeads = sourceKinds.map((source) => {
  const type = nativeType(source);
  const head = `",${type === undefined ? '' : `"type":"${type}",`}"source":"${source}"`;
  return ['', ',"on_ground":false', ',"on_ground":true'].map((ground) => text(`${head}${ground}`));
});
const readsbSources = sourceKinds.map((source) => text(`","type":"${source}"`));
const UNKNOWN_SOURCE = sourceKinds.indexOf('unknown');
/** Categories that only the readsb object has. */
const readsbCategories = categoryNames.map((name) => text(isNativeCategory(name) ? '' : `,"category":"${name}"`));
const SIL_TYPE_UNKNOWN = text(',"sil_type":"unknown"');

/** Consecutive numbers, texts to choose behind them, and a member of another kind at the end. A call for each of them would take a tenth of the time of a rebuild. */
export interface TailStep {
  readonly numbers: NumberField[];
  readonly choices: ChoiceField[];
  readonly last: Member | null;
}

const wholeTail = tailOf(members);

/** How to write these members behind the head of an object. */
export function tailOf(members: readonly Member[]): readonly TailStep[] {
  const steps: TailStep[] = [];
  let next: Omit<TailStep, 'last'> = { numbers: [], choices: [] };
  const end = (last: Member | null): void => {
    steps.push({ ...next, last });
    next = { numbers: [], choices: [] };
  };
  for (const each of members) {
    const isRepeat = each.isAnnotation && next.numbers.length + next.choices.length === 0 && steps.at(-1)?.last?.isAnnotation === true;
    if ([...HEAD, ...IN_POSITION].includes(each.member) || isRepeat) continue;
    if (each.number !== undefined) {
      if (next.choices.length > 0) end(null);
      next.numbers.push(each.number);
    } else if (each.choice !== undefined) next.choices.push(each.choice);
    else end(each);
  }
  end(null);
  return steps;
}

/** `offset` is where the column begins in the memory of all columns. */
interface BoundStep {
  readonly numbers: readonly { readonly key: Text; readonly offset: number; readonly decimals: Decimals }[];
  readonly choices: readonly { readonly texts: readonly Text[]; readonly offset: number }[];
  readonly last: Put | null;
}

/** Facts and the route as text, from the memory of the table. */
function bindAnnotation({ annotationWords, annotationStarts, annotationLengths }: Listing): Put {
  return (view, at, i) => putWords(view, at, annotationWords, annotationStarts[i]!, annotationLengths[i]!);
}

const bindOf = ({ member, isAnnotation, bind }: Member) => (member === 'lat' ? bindPosition : isAnnotation ? bindAnnotation : bind);

/** Writes aircraft of one listing. */
export class RowWriter {
  private readonly columns: Listing['columns'];
  /** The memory of all columns: one array, so that a value takes one look-up. */
  private readonly block: Int32Array;
  private readonly tail: readonly BoundStep[];

  /** Ages are relative to `nowMs`. `tail` says which members an object has. */
  constructor(listing: Listing, nowMs: number, tail: readonly TailStep[] = wholeTail) {
    const { columns } = listing;
    this.columns = columns;
    this.block = new Int32Array(columns.key.buffer);
    const offsetOf = (column: ColumnName): number => columns[column].byteOffset / columns[column].BYTES_PER_ELEMENT;
    this.tail = tail.map(({ numbers, choices, last }) => ({
      numbers: numbers.map(({ key, column, decimals }) => ({ key, offset: offsetOf(column), decimals })),
      choices: choices.map(({ texts, column }) => ({ texts, offset: offsetOf(column) })),
      last: last === null ? null : bindOf(last)(listing, nowMs),
    }));
  }

  /** Writes the start of the native object. Returns the offset after it, where `putTail` continues. */
  putNativeHead(view: DataView, start: number, i: number): number {
    const { key, source, onGround } = this.columns;
    const heads = nativeHeads[source[i]!] ?? nativeHeads[UNKNOWN_SOURCE]!;
    return putText(view, putHex(view, start, key[i]!), heads[onGround[i] === ABSENT ? 0 : 1 + onGround[i]!]!);
  }

  /** Writes the start of the readsb object, with the members that only this view has. A tail from `putTail` follows. */
  putReadsbHead(view: DataView, start: number, i: number): number {
    const { key, source, category, silType } = this.columns;
    const at = putText(view, putHex(view, start, key[i]!), readsbSources[source[i]!] ?? readsbSources[UNKNOWN_SOURCE]!);
    const end = category[i] === ABSENT ? at : putText(view, at, readsbCategories[category[i]!]!);
    return silType[i] === 0 ? putText(view, end, SIL_TYPE_UNKNOWN) : end;
  }

  /** Writes everything behind the head, including the closing brace. */
  putTail(view: DataView, start: number, i: number): number {
    const { tail, block } = this;
    let at = start;
    for (let step = 0; step < tail.length; step += 1) {
      const { numbers, choices, last } = tail[step]!;
      for (let n = 0; n < numbers.length; n += 1) {
        const { key, offset, decimals } = numbers[n]!;
        const value = block[offset + i]!;
        if (value !== ABSENT) at = putFixed(view, putText(view, at, key), value, decimals);
      }
      for (let n = 0; n < choices.length; n += 1) {
        const { texts, offset } = choices[n]!;
        const value = block[offset + i]!;
        if (value >= 0 && value < texts.length) at = putText(view, at, texts[value]!);
      }
      if (last !== null) at = last(view, at, i);
    }
    view.setUint8(at, CLOSE_BRACE);
    return at + 1;
  }
}

/** Writes `{"hex":"` and the digits. */
export function putHex(view: DataView, start: number, key: number): number {
  let at = putText(view, start, HEX_START);
  if ((key & NON_ICAO_BIT) !== 0) {
    view.setUint8(at, TILDE);
    at += 1;
  }
  view.setInt32(at, HEX_DIGITS[(key >> 12) & 0xfff]!, true);
  view.setInt32(at + 3, HEX_DIGITS[key & 0xfff]!, true);
  return at + 6;
}
