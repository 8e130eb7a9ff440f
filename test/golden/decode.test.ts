// Every frame of the truth sets through decodeFrame, compared field by field with the values on which two independent decoders agree.
// Fields that need state (position, NIC, Rc) are excluded.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../pipeline/decode/decode.ts';
import { messageFields } from '../../pipeline/decode/json.ts';
import { Message } from '../../pipeline/decode/message.ts';
import { emergencyNames } from '../../schemas/avro/aircraft-state.ts';
import { goldenData } from '../support/requirements.ts';

const sets = [
  'rs1090_short_flights',
  'pymodes_sample_adsb',
  'pymodes_sample_commb_df20',
  'pymodes_sample_commb_df21',
  'twuillemin_example1',
  'twuillemin_example2',
];

/** Differences among the reference decoders; angles around the circle. */
const TOLERANCE: Record<string, number> = {
  ...{ gs: 1, mach: 0.0006, nav_qnh: 0.06, roll: 0.06, track_rate: 0.06 },
  ...{ track: 0.25, nav_heading: 0.25, mag_heading: 0.25 },
};
const STATEFUL = new Set(['lat', 'lon', 'nic', 'rc', 'airspeed', 'vr_src']);
const RENAMED: Record<string, string> = { callsign: 'flight', surf_gs: 'gs', gs50: 'gs', bds_track: 'track' };

/** Errors of the references, by row and field. */
const NOT_COMPARED: Record<string, ReadonlySet<string>> = {
  // DF 18 with CF 3: a coarse TIS-B message has no type code (DO-260B §2.2.17.3.5); the references read one in its first five bits.
  twuillemin_example2: new Set(['892 tc']),
};

type Fields = Record<string, unknown>;
interface TruthRow {
  i: number;
  df: number;
  frame: string;
  agreed: Fields & { tc?: number; vr_src?: string };
}

function expectedFields(row: TruthRow): Fields {
  const { agreed } = row;
  const out: Fields = {};
  for (const [name, value] of Object.entries(agreed)) {
    if (STATEFUL.has(name)) continue;
    if (name === 'vert_rate') out[agreed.vr_src === 'GNSS' ? 'geom_rate' : 'baro_rate'] = value;
    else if (name === 'category') out[name] = `${'DCBA'[agreed.tc! - 1]}${value}`;
    else if (name === 'emergency_code') out['emergency'] = emergencyNames[value as number];
    else if (name === 'sil_per_sample') out['sil_type'] = value ? 'persample' : 'perhour';
    else out[RENAMED[name] ?? name] = value;
  }
  return out;
}

function isSame(name: string, ours: unknown, truth: unknown): boolean {
  const tolerance = TOLERANCE[name];
  if (tolerance !== undefined && typeof ours === 'number') {
    const difference = Math.abs(ours - (truth as number));
    return Math.min(difference, Math.abs(360 - difference)) <= tolerance;
  }
  if (typeof truth === 'string' && typeof ours === 'string') return ours.trimEnd() === truth.trimEnd();
  return ours === truth;
}

describe.each(sets)('%s', (set) => {
  const { met, reason, path } = goldenData('truth', `${set}.jsonl`);
  test.skipIf(!met)(`equals the truth in every field ${reason}`, () => {
    const message = new Message();
    const differences: string[] = [];
    let compared = 0;
    for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
      const row = JSON.parse(line) as TruthRow;
      const bytes = Uint8Array.from(Buffer.from(row.frame, 'hex'));
      decodeFrame(bytes, 0, bytes.length as 7 | 14, message);
      const fields: Fields = { ...messageFields(message, bytes, 0), addr: message.address.toString(16).padStart(6, '0') };
      for (const [name, value] of Object.entries(expectedFields(row))) {
        if (NOT_COMPARED[set]?.has(`${row.i} ${name}`)) continue;
        compared += 1;
        if (!isSame(name, fields[name], value))
          differences.push(`${row.i} ${row.frame} ${name}: ${String(fields[name])} for ${String(value)}`);
      }
    }
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(1000);
  });
});
