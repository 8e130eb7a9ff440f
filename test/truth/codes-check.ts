// All 1,280 Gillham codes, and the 768 invalid combinations of the same bits, in every field that carries altitude.
import { parityRemainder } from '../../pipeline/decode/crc.ts';
import { decodeFrame } from '../../pipeline/decode/decode.ts';
import { ABSENT, Message } from '../../pipeline/decode/message.ts';
import { lines, type TruthData } from './sets.ts';
import type { Tally } from './tally.ts';

const SET = 'Gillham codes';
/** Pulses of the table's columns, as bits of the 13-bit AC field of a surveillance reply: C1 A1 C2 A2 C4 A4 M B1 Q B2 D2 B4 D4. */
const COLUMN_BITS = [12, 11, 10, 9, 8, 7, 5, 3, 2, 1, 0];
const COLUMNS = ['C1', 'A1', 'C2', 'A2', 'C4', 'A4', 'B1', 'B2', 'D2', 'B4', 'D4'];

/** Altitude, ft, by AC field. */
function altitudesByCode(table: string): Map<number, number> {
  const rows = lines(table).slice(1);
  const columns = rows
    .shift()!
    .split(',')
    .map((name) => name.replaceAll('"', ''));
  if (columns.slice(1, 12).join() !== COLUMNS.join()) throw new Error(`the Gillham table has other columns: ${columns.join()}`);
  return new Map(
    rows.map((row) => {
      const values = row.split(',').map(Number);
      return [codeOf((column) => values[column + 1] === 1), values[0]!] as const;
    }),
  );
}

function codeOf(has: (column: number) => boolean): number {
  return COLUMN_BITS.reduce((code, bit, column) => code | (has(column) ? 1 << bit : 0), 0);
}

/** DF 0, 4, 16 and 20 have the field in bits 20-32; TC 11 of DF 17 without its M bit in bits 41-52. */
const carriers: readonly (readonly [name: string, bytes: (code: number) => Uint8Array])[] = [
  ['DF 0', (code) => reply(0x02, 7, code)],
  ['DF 4', (code) => reply(0x20, 7, code)],
  ['DF 16', (code) => reply(0x80, 14, code)],
  ['DF 20', (code) => reply(0xa0, 14, code)],
  ['TC 11', squitter],
];

function reply(first: number, byteLength: 7 | 14, code: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  bytes[0] = first;
  bytes[2] = code >> 8;
  bytes[3] = code & 0xff;
  return bytes;
}

function squitter(code: number): Uint8Array {
  const withoutM = ((code >> 7) << 6) | (code & 0x3f);
  const bytes = Uint8Array.from([0x8d, 0x3c, 0x65, 0x86, 11 << 3, withoutM >> 4, (withoutM & 15) << 4, 0, 0, 0, 0, 0, 0, 0]);
  const parity = parityRemainder(bytes, 0, 14);
  bytes.set([parity >> 16, (parity >> 8) & 0xff, parity & 0xff], 11);
  return bytes;
}

export function checkCodes(data: TruthData, tally: Tally): void {
  const altitudes = altitudesByCode(data.text('truth', 'GillhamAltitudeTable.csv'));
  if (altitudes.size !== 1280) throw new Error(`the Gillham table has ${altitudes.size} codes`);
  const message = new Message();
  for (let pattern = 0; pattern < 1 << COLUMN_BITS.length; pattern += 1) {
    const code = codeOf((column) => ((pattern >> column) & 1) === 1);
    const truth = altitudes.get(code);
    for (const [name, bytesOf] of carriers) {
      const bytes = bytesOf(code);
      decodeFrame(bytes, 0, bytes.length as 7 | 14, message);
      const part = name === 'TC 11' ? message.position : message.surveillance;
      const ours = part.altitudeBaroFt === ABSENT ? undefined : part.altitudeBaroFt;
      const row = `${name} code ${code.toString(2).padStart(13, '0')}`;
      if (truth !== undefined) tally.add(SET, 'altitude', row, 'alt_baro', ours, truth);
      else if (ours !== undefined) tally.addExtra(SET, 'altitude', row, 'alt_baro', ours);
      else tally.add(SET, 'altitude', row, 'alt_baro', 'none', 'none');
    }
  }
}
