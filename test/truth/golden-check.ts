// Compares 600 frames with pyModeS 2.21 (golden_v2.json), and the frames of other decoders' tests as far as they have a truth.

import { readdirSync } from 'node:fs';
import type { Command } from '../../pipeline/runtime/command.ts';
import { decodeCommand } from '../../pipeline/tools/decode-command.ts';
import { commandRows } from './command-rows.ts';
import { compareRow, type DecodedFrame, groupOf, isCommB } from './decode-check.ts';
import { lines, type TruthData } from './sets.ts';
import type { Tally } from './tally.ts';
import type { Fields } from './values.ts';

const GOLDEN = 'golden_v2';
const VECTORS = 'test-vectors';
const ALL_VECTORS = 'ALL_unique.hex';
/** Fields that need more than one frame. */
const OF_STATE = new Set(['lat', 'lon', 'nic', 'rc']);
/** Lengths of a frame in hex digits. */
const FRAME_DIGITS = [14, 28];

const RENAMED: Readonly<Record<string, string>> = {
  altitude: 'alt_baro',
  icao: 'hex',
  typecode: 'tc',
  callsign: 'flight',
  groundspeed: 'gs',
  true_track: 'track',
  true_airspeed: 'tas',
  indicated_airspeed: 'ias',
  magnetic_heading: 'mag_heading',
  baro_vertical_rate: 'baro_rate',
  inertial_vertical_rate: 'geom_rate',
  baro_pressure_setting: 'nav_qnh',
  selected_altitude_mcp: 'nav_altitude_mcp',
  selected_altitude_fms: 'nav_altitude_fms',
};

/** Every golden frame is also in a truth set: there it has the state around it, which a register needs. */
export function checkGolden(data: TruthData, frames: ReadonlyMap<string, DecodedFrame>, tally: Tally): void {
  if (!data.has('truth', `${GOLDEN}.json`)) return;
  const golden = JSON.parse(data.text('truth', `${GOLDEN}.json`)) as Record<string, Fields>;
  let several = 0;
  let known = 0;
  for (const [frame, reference] of Object.entries(golden)) {
    const found = frames.get(frame);
    if (found === undefined) continue;
    known += 1;
    const df = reference['df'] as number;
    const register = reference['bds'];
    if (typeof register === 'string' && register.includes(',')) several += 1;
    compareGolden(tally, frame, df, reference, found.ours);
  }
  tally.notes.push(
    `${GOLDEN}: ${known} of ${Object.keys(golden).length} frames compared; pyModeS 2.21 names several registers for ${several}`,
  );
}

function compareGolden(tally: Tally, frame: string, df: number, reference: Fields, ours: Fields): void {
  const expected = goldenFields(reference, ours);
  const sameRegister = ours['bds'] === expected['bds'];
  for (const [field, value] of Object.entries(expected)) {
    const group = groupOf(df, field);
    const inRegister = isCommB(df) && (group === 'fields in a register' || group === 'call sign');
    if (inRegister && !sameRegister) continue;
    tally.add(GOLDEN, group, frame, field, ours[field], value);
  }
}

function goldenFields(reference: Fields, ours: Fields): Fields {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(reference)) {
    if (name === 'bds') {
      if (!String(value).includes(',')) out['bds'] = `${String(value)[3]},${String(value)[4]}`;
    } else if (name === 'callsign') out['flight'] = String(value).replaceAll('_', ' ');
    else if (name === 'category') out['category'] = `${'DCBA'[Number(reference['typecode']) - 1]}${String(value)}`;
    else if (name === 'cpr_format') out['cpr_odd'] = value === 1;
    // pyModeS does not say which rate it is; the truth sets do.
    else if (name === 'vertical_rate') out[ours['geom_rate'] === undefined ? 'baro_rate' : 'geom_rate'] = value;
    else out[RENAMED[name] ?? name] = value;
  }
  return out;
}

/** Frames of the tests of other decoders, each once: from the file of all, or from the files that are there. */
function vectorsOf(data: TruthData): string[] {
  const files = data.has('frames', VECTORS, ALL_VECTORS) ? [ALL_VECTORS] : readdirSync(data.path('frames', VECTORS)).sort();
  const found = files.flatMap((file) => lines(data.text('frames', VECTORS, file))).map((line) => line.trim().toLowerCase());
  return [...new Set(found)].filter((line) => FRAME_DIGITS.includes(line.length));
}

/** Each frame by itself. Frames that are in no truth set must produce a line, whatever they contain. */
export async function checkVectors(data: TruthData, frames: ReadonlyMap<string, DecodedFrame>, tally: Tally): Promise<void> {
  const vectors = vectorsOf(data);
  let decoded = 0;
  let known = 0;
  for (const [row, frame] of vectors.entries()) {
    const found = frames.get(frame);
    if (found !== undefined) known += 1;
    await commandRows(
      decodeCommand as unknown as Command,
      ['-'],
      (ours) => {
        decoded += 1;
        if (found !== undefined) compareRow(tally, VECTORS, { ...found.truth, i: row }, ours, OF_STATE);
      },
      `${row},${frame}\n`,
    );
  }
  tally.notes.push(`${VECTORS}: ${decoded} of ${vectors.length} frames give a line, ${known} of them have a truth`);
}
