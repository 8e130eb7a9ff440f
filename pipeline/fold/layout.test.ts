// Offsets of a record: they equal those of today's snapshots, nothing overlaps, and the build replaces names by numbers.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as layout from './layout.ts';
import { STRIDE_BYTES } from './layout.ts';

/** Layout 6 of snapshots (snapshot.ts). A slot that moves needs a new layout there, which must also read this one. */
const OFFSETS = `
  W_KEY 0, W_SEEN 1, W_MESSAGES 2, W_EXPIRY 3, W_SIGNAL_TIME 4, W_KIND_TIME 5, W_RELIABLE_ODD 6, W_RELIABLE_EVEN 7, B_RELIABLE_NIC 33,
  B_EVEN_NIC 34, B_ODD_NIC 35, B_EVEN_TYPE 36, B_ODD_TYPE 37, B_LAST_TYPE 38, B_LOCAL_ALLOWED 39, B_DIRTY 40, B_HEADING_TRUE 41,
  B_SURFACE_HEADING 42, B_GPS_LOST 43, W_EMITTED 11, B_TRANSPONDER 48, B_NEWCOMER 49, X_GPS_OK_TIME 13, X_GPS_OK_LATITUDE 14,
  X_GPS_OK_LONGITUDE 15, SOURCES 64, H_DISCARDED_REPEATS 51, B_KIND 104, B_VERSION_ADSB 105, B_VERSION_ADSR 106, B_VERSION_TISB 107,
  B_CATEGORY 108, B_SIL_TYPE 109, B_RECENT_OTHER_NEXT 110, B_SIGNALS 112, W_SIGNALS 28, B_SIGNAL_COUNT 120, B_SIGNAL_NEXT 121, B_ALTITUDE_RELIABLE 122,
  B_RECENT_POSITION_NEXT 123, B_TRACK_DOUBT 125, B_SPEED_DOUBT 126, B_DISCARDED_NEXT 127, X_LONGITUDE 32, X_PREVIOUS_LATITUDE 33,
  X_PREVIOUS_LONGITUDE 34, X_PREVIOUS_TIME 35, X_RELIABLE_LONGITUDE 36, X_RELIABLE_RC 37, X_EVEN_LONGITUDE 38, X_ODD_LONGITUDE 39,
  X_EVEN_RC 40, X_ODD_RC 41, X_POSITION_SPEED 42, X_CALC_TRACK 43, X_POSITION_RECEIVER 44, H_DISCARDED_RECEIVERS 90, X_DISCARDED_TIME 47,
  VALUES 48, TIMES 49, X_SQUAWK_HEARD 122, X_SQUAWK_HEARD_TIME 123, X_FLIGHT 124, X_WIND_TIME 126, X_WIND_ALTITUDE 127, X_WIND_DIRECTION
  128, X_WIND_SPEED 129, X_TEMPERATURE_TIME 130, X_OAT 131, X_TAT 132, X_DECLINATION 133, X_DECLINATION_TIME 134, X_ADVISORY_TIME 135,
  X_ADVISORY 136, X_DISCARDED 138, X_DISCARDED_TIMES 142, H_CORROBORATING 292, H_OUTVOTED 299, X_CORROBORATING_TIMES 150, X_OUTVOTED_TIME 157,
  X_RECENT_TAGS 158, H_RECENT_KEPT 327, X_RECENT 164, F_POSITION 0, F_RELIABLE 1, F_CPR_EVEN 2, F_CPR_ODD 3, F_AIR_GROUND 4, F_ALERT 5,
  F_SPI 6, F_ALTITUDE_BARO 7, F_ALTITUDE_GEOM 8, F_GEOM_DELTA 9, F_GROUND_SPEED 10, F_TRACK 11, F_BARO_RATE 12, F_GEOM_RATE 13, F_NAC_V
  14, F_NIC_A 15, F_IAS 16, F_TAS 17, F_MACH 18, F_MAG_HEADING 19, F_TRUE_HEADING 20, F_TRACK_RATE 21, F_ROLL 22, F_NAC_P 23, F_SIL 24,
  F_NIC_BARO 25, F_NIC_C 26, F_GVA 27, F_SDA 28, F_NAV_HEADING 29, F_EMERGENCY 30, F_NAV_MODES 31, F_NAV_QNH 32, F_NAV_MCP 33, F_NAV_FMS 34,
  F_SQUAWK 35, F_CALLSIGN 36, FIELD_COUNT 37, STRIDE_BYTES 832
`;

test('every offset is that of the snapshots', () => {
  const pairs = OFFSETS.trim()
    .split(/,\s+/)
    .map((pair) => pair.split(/\s+/));
  const numbers = layout as Readonly<Record<string, number>>;
  for (const [name, offset] of pairs) expect([name, numbers[name!]]).toEqual([name, Number(offset)]);
  const listed = new Set(pairs.map(([name]) => name));
  expect(Object.keys(layout).filter((name) => /^[WXBHF]_/.test(name) && !listed.has(name))).toEqual([]);
});

test('the build inlines them: no built module of the fold imports one', () => {
  const folder = new URL('../../dist/modules/pipeline/fold/', import.meta.url);
  const code = readdirSync(folder).filter((file) => file.endsWith('.js'));
  expect(code.length).toBeGreaterThan(30);
  expect(code.filter((file) => /import \{[^}]*\} from "\.\/layout\.js"/.test(readFileSync(new URL(file, folder), 'utf8')))).toEqual([]);
});

test('no two values of a record share a byte, and all are inside it', () => {
  const owners: string[][] = Array.from({ length: STRIDE_BYTES }, () => []);
  const take = (name: string, from: number, length: number) => {
    for (let byte = from; byte < from + length; byte += 1) owners[byte]!.push(name);
  };
  const wide: Record<string, number> = {
    X_RECENT_TAGS: layout.RECENT_FRAMES,
    X_RECENT: 8 * layout.RECENT_FRAMES,
    H_RECENT_KEPT: 2,
    H_CORROBORATING: 2 * layout.CORROBORATING_RECEIVERS,
    H_OUTVOTED: 2,
    X_CORROBORATING_TIMES: 4 * layout.CORROBORATING_RECEIVERS,
    H_DISCARDED_REPEATS: 2,
    X_FLIGHT: 8,
    B_SIGNALS: 8,
  };
  for (const [name, offset] of Object.entries(layout) as [string, number][]) {
    // Another name of B_SIGNALS.
    if (name === 'W_SIGNALS') continue;
    if (/^[WX]_/.test(name)) take(name, 4 * offset, wide[name] ?? 4);
    if (/^H_/.test(name)) take(name, 2 * offset, wide[name]!);
    if (/^B_/.test(name)) take(name, offset, wide[name] ?? 1);
    if (/^F_/.test(name)) {
      take(`value of ${name}`, 4 * (layout.VALUES + 2 * offset), 4);
      take(`time of ${name}`, 4 * (layout.TIMES + 2 * offset), 4);
      take(`source of ${name}`, layout.SOURCES + offset, 1);
    }
  }
  expect(owners.filter((names) => names.length > 1)).toEqual([]);
});
