// Writes what changed of an aircraft since an earlier snapshot as a JSON object: `{"hex":"4ca1d2","gs":431.2,"squawk":null,"seen":0.3}`, with null for
// a member that is gone. Merged into the object of the earlier snapshot it gives the object of the later one. Ages (`seen`, `seen_pos`, `lastPosition`)
// hold at the `now` of their snapshot: every update has them, and an aircraft of which nothing but ages changed has no update.
import { putText, text } from '../aircraft/text.ts';
import { changeFields, MASK_WORDS } from './changes.ts';
import type { Listing } from './listing.ts';
import { type Member, members, type Put } from './members.ts';
import { OBJECT_BYTES, putHex } from './render.ts';

/** Memory that is written to. */
export interface WriteArea {
  readonly view: DataView;
}

/** The members that updates have, with their bits of a change. */
export interface UpdatePlan {
  readonly steps: readonly { readonly number: number; readonly mask: Int32Array; readonly isAge: boolean }[];
  /** An aircraft has an update when its change has one of these bits. */
  readonly mask: Int32Array;
}

const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const gone = members.map(({ member }) => text(`,"${member}":null`));

function maskOf(fields: readonly string[]): Int32Array {
  const mask = new Int32Array(MASK_WORDS);
  for (const field of fields) {
    const bit = changeFields.indexOf(field);
    if (bit < 0) throw new Error(`no change is reported for the field ${field}`);
    mask[bit >> 5]! |= 1 << (bit & 31);
  }
  return mask;
}

/** A plan for some members, or for all. */
export function updatePlan(wanted: ReadonlySet<string> | null): UpdatePlan {
  const isWanted = ({ member }: Member): boolean => wanted === null || wanted.has(member);
  const steps = members.flatMap((each, number) =>
    isWanted(each) ? [{ number, mask: maskOf(each.fields), isAge: each.isAge === true }] : [],
  );
  return { steps, mask: maskOf(members.filter(isWanted).flatMap(({ fields }) => fields)) };
}

/** Writes aircraft of one listing, as a whole or as updates since another. */
export class UpdateWriter {
  private readonly listing: Listing;
  private readonly area: WriteArea;
  private readonly puts: readonly Put[];
  private readonly earlierPuts: readonly Put[];
  /** A member as it was. */
  private readonly scratch: DataView;

  constructor(listing: Listing, nowMs: number, earlier: Listing | null, area: WriteArea) {
    this.listing = listing;
    this.area = area;
    this.puts = members.map(({ bind }) => bind(listing, nowMs));
    this.earlierPuts = earlier === null ? [] : members.map(({ bind }) => bind(earlier, nowMs));
    this.scratch = new DataView(new ArrayBuffer(earlier === null ? 0 : OBJECT_BYTES));
  }

  /** Writes the plan's members of an aircraft as an object. Needs OBJECT_BYTES bytes; returns the offset after it. */
  putObject(at: number, { steps }: UpdatePlan, i: number): number {
    const { view } = this.area;
    let end = this.putHead(at, i);
    for (const { number } of steps) end = this.puts[number]!(view, end, i);
    view.setUint8(end, CLOSE_BRACE);
    return end + 1;
  }

  /**
   * Writes the update of an aircraft; `old` is its number in the earlier listing, and `masks` from `maskAt` on is its change.
   * Returns `at` when no member of the plan changed.
   */
  putUpdate(at: number, plan: UpdatePlan, i: number, old: number, masks: Int32Array, maskAt: number): number {
    if (!meets(plan.mask, masks, maskAt)) return at;
    const { view } = this.area;
    let end = this.putHead(at, i);
    for (const { number, mask, isAge } of plan.steps) {
      if (!isAge && !meets(mask, masks, maskAt)) continue;
      const from = end;
      end = this.puts[number]!(view, from, i);
      if (isAge && end !== from) continue;
      const length = this.earlierPuts[number]!(this.scratch, 0, old);
      if (end === from) end = length === 0 ? from : putText(view, from, gone[number]!);
      else if (this.isSame(from, end - from, length)) end = from;
    }
    view.setUint8(end, CLOSE_BRACE);
    return end + 1;
  }

  private isSame(at: number, length: number, lengthBefore: number): boolean {
    if (length !== lengthBefore) return false;
    const { view } = this.area;
    for (let i = 0; i < length; i += 1) if (view.getUint8(at + i) !== this.scratch.getUint8(i)) return false;
    return true;
  }

  private putHead(at: number, i: number): number {
    const { view } = this.area;
    const end = putHex(view, at, this.listing.columns.key[i]!);
    view.setUint8(end, QUOTE);
    return end + 1;
  }
}

function meets(mask: Int32Array, masks: Int32Array, maskAt: number): boolean {
  for (let word = 0; word < MASK_WORDS; word += 1) if ((mask[word]! & masks[maskAt + word]!) !== 0) return true;
  return false;
}
