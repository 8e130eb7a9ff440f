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

export async function checkDecode(data: TruthData, tally: Tally): Promise<void> {
  for (const set of data.decodeSets) {
    const ours = new Map<number, Fields>();
    await commandRows(decodeCommand as unknown as Command, [data.path('frames', `${set}.csv`)], (row) => ours.set(row['i'] as number, row));
    for (const row of data.rows<TruthRow>('truth', `${set}.jsonl`)) compareRow(tally, set, row, ours.get(row.i) ?? {});
  }
}

/** Fields in a register are compared only when both name the same register. */
function compareRow(tally: Tally, set: string, { i, df, agreed }: TruthRow, ours: Fields): void {
  const expected = expectedFields(agreed);
  const sameRegister = ours['bds'] === expected['bds'];
  for (const [field, value] of Object.entries(expected)) {
    if (isCommB(df) && field !== 'bds' && !HEADER_FIELDS.has(field) && !sameRegister) continue;
    tally.add(set, groupOf(df, field), i, field, ours[field], value);
  }
}
