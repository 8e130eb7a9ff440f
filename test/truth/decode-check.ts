// Compares every frame of the truth sets, through `squitter decode`, with the values on which independent decoders agree.

import type { Command } from '../../pipeline/runtime/command.ts';
import { decodeCommand } from '../../pipeline/tools/decode-command.ts';
import { commandRows } from './command-rows.ts';
import type { TruthData, TruthRow } from './sets.ts';
import type { Group, Tally } from './tally.ts';
import { expectedFields, type Fields } from './values.ts';

/** In Comm-B replies these come from the reply's own header, not from the register. */
const HEADER_FIELDS = new Set(['hex', 'alt_baro', 'squawk']);

function isCommB(df: number): boolean {
  return df >= 20 && df <= 21;
}

function groupOf(df: number, field: string): Group {
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
    for (const row of truth) {
      const fields = ours.get(row.i) ?? {};
      compareRow(tally, set, row, fields);
      if (!frames.has(row.frame)) frames.set(row.frame, { truth: row, ours: fields });
    }
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
