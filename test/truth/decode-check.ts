// Compares every frame of the truth sets, through `squitter decode`, with the values on which independent decoders agree.

import type { Command } from '../../pipeline/runtime/command.ts';
import { decodeCommand } from '../../pipeline/tools/decode-command.ts';
import { commandRows } from './command-rows.ts';
import type { TruthData, TruthRow } from './sets.ts';
import type { Group, Tally } from './tally.ts';
import { expectedFields, type Fields } from './values.ts';

/** In Comm-B replies these come from the reply's own header, not from the register. */
const HEADER_FIELDS = new Set(['hex', 'alt_baro', 'squawk']);

export function isCommB(df: number): boolean {
  return df >= 20 && df <= 21;
}

export function groupOf(df: number, field: string): Group {
  if (field === 'alt_baro' || field === 'alt_geom') return 'altitude';
  if (field === 'hex' || field === 'squawk' || field === 'df') return 'identity';
  if (field === 'flight') return 'call sign';
  if (field === 'bds') return 'register choice';
  return isCommB(df) ? 'fields in a register' : 'ADS-B fields';
}

/** A frame of a truth set and its `squitter decode` fields in context. */
export interface DecodedFrame {
  readonly truth: TruthRow;
  readonly ours: Fields;
}

/** Returns all frames by their hex digits; the first of repeated frames. */
export async function checkDecode(data: TruthData, tally: Tally): Promise<ReadonlyMap<string, DecodedFrame>> {
  const frames = new Map<string, DecodedFrame>();
  for (const set of data.decodeSets) {
    const truth = data.rows<TruthRow>('truth', `${set}.jsonl`);
    const ours = new Map<number, Fields>();
    await commandRows(decodeCommand as unknown as Command, [data.path('frames', `${set}.csv`)], (row) => ours.set(row['i'] as number, row));
    const alone = new RegistersAlone();
    for (const row of truth) {
      const fields = ours.get(row.i) ?? {};
      compareRow(tally, set, row, fields);
      if (!frames.has(row.frame)) frames.set(row.frame, { truth: row, ours: fields });
      if (isCommB(row.df)) alone.add(row, fields['bds']);
    }
    const note = alone.note();
    if (note !== null) tally.notes.push(`${set}: ${note}`);
  }
  return frames;
}

/** Fields in a register are compared only when both name the same register. */
export function compareRow(tally: Tally, set: string, row: TruthRow, ours: Fields, leaveOut: ReadonlySet<string> = new Set()): void {
  const expected = expectedFields(row.agreed);
  const sameRegister = ours['bds'] === expected['bds'];
  for (const [field, value] of Object.entries(expected)) {
    if (leaveOut.has(field)) continue;
    if (isCommB(row.df) && field !== 'bds' && !HEADER_FIELDS.has(field) && !sameRegister) continue;
    tally.add(set, groupOf(row.df, field), row.i, field, ours[field], value);
  }
}

/** Comm-B rows without an agreed register: not compared, but reported. */
class RegistersAlone {
  private rows = 0;
  private readonly named = new Map<string, number>();
  private readonly sides = new Map<string, number>();

  add(row: TruthRow, ours: unknown): void {
    if (row.agreed['bds'] !== undefined) return;
    const disputed = row.disputed['bds'];
    if (disputed !== undefined) {
      const side = Object.keys(disputed).find((decoder) => disputed[decoder] === ours);
      count(this.sides, ours === undefined ? 'none named' : side === undefined ? 'another one' : `as ${side}`);
      return;
    }
    this.rows += 1;
    if (ours !== undefined) count(this.named, String(ours));
  }

  note(): string | null {
    const parts: string[] = [];
    if (this.rows > 0) parts.push(`${this.rows} replies without an agreed register, ours names ${listed(this.named) || 'none'}`);
    if (this.sides.size > 0) parts.push(`replies that the references dispute: ${listed(this.sides)}`);
    return parts.length === 0 ? null : parts.join('; ');
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort()
    .map(([name, number]) => `${name}: ${number}`)
    .join(', ');
}
