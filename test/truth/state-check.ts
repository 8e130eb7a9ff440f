// Compares every accepted position of `squitter fold` with readsb's aircraft object at the same event time.

import type { Command } from '../../pipeline/runtime/command.ts';
import { foldCommand } from '../../pipeline/tools/fold-command.ts';
import { commandRows } from './command-rows.ts';
import type { TruthData } from './sets.ts';
import type { Tally } from './tally.ts';
import type { Fields } from './values.ts';

/** Clock, receiver of the frame, and fields that are not in the recording. */
const NOT_COMPARED = new Set(['now', 'hex', 'rssi', 'r_dst', 'r_dir', 'gpsOkBefore', 'lastPosition']);
/** Names that readsb also prints: one of these only in our object is a difference; other names are additions. */
const READSB_NAMES = new Set(
  (
    'flight alt_baro alt_geom gs ias tas mach wd ws oat tat track track_rate roll mag_heading true_heading calc_track baro_rate geom_rate ' +
    'squawk emergency category nav_qnh nav_altitude_mcp nav_altitude_fms nav_heading nav_modes nic rc version nic_baro nac_p nac_v sil ' +
    'sil_type gva sda alert spi'
  ).split(' '),
);
/** A position of ours matches one of the truth when the times differ by less than this. */
const SAME_TIME_S = 0.003;

export async function checkState(data: TruthData, tally: Tally): Promise<void> {
  for (const set of data.stateSets) {
    const truth = data.rows<Fields>('truth', `${set}.readsb-aircraft.jsonl`).filter((row) => row['lat'] !== undefined);
    const waiting = new Set(truth);
    await commandRows(foldCommand as unknown as Command, [data.path('frames', `${set}.csv`), '--emit', 'position'], (ours) => {
      const reference = [...waiting].find((row) => row['hex'] === ours['hex'] && near(row, ours));
      if (reference === undefined) {
        tally.add(set, 'positions', where(ours), 'position', `${String(ours['lat'])},${String(ours['lon'])}`, undefined);
        return;
      }
      waiting.delete(reference);
      tally.add(set, 'positions', where(ours), 'position', true, true);
      compareObject(tally, set, ours, reference);
    });
    for (const row of waiting)
      tally.add(set, 'positions', where(row), 'position', undefined, `${String(row['lat'])},${String(row['lon'])}`);
  }
}

function compareObject(tally: Tally, set: string, ours: Fields, reference: Fields): void {
  for (const [field, value] of Object.entries(reference))
    if (!NOT_COMPARED.has(field)) tally.add(set, 'state', where(ours), field, ours[field], value);
  for (const [field, value] of Object.entries(ours))
    if (READSB_NAMES.has(field) && !(field in reference)) tally.add(set, 'state', where(ours), field, value, undefined);
}

function near(a: Fields, b: Fields): boolean {
  return Math.abs(Number(a['now']) - Number(b['now'])) < SAME_TIME_S;
}

function where(row: Fields): string {
  return `${String(row['hex'])} at ${Number(row['now']).toFixed(3)}`;
}
