// Altitude codes: every Gillham code of the reference table, and the ends of each coding.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { goldenData } from '../../test/support/requirements.ts';
import { altitude12Ft, altitude13Ft } from './altitude.ts';
import { ABSENT } from './message.ts';

const { met, reason, path: table } = goldenData('truth', 'GillhamAltitudeTable.csv');
/** Bit of the 13-bit field for each column of the table: C1 A1 C2 A2 C4 A4 B1 B2 D2 B4 D4. */
const COLUMN_BITS = [12, 11, 10, 9, 8, 7, 5, 3, 2, 1, 0];

function code13Of(columns: readonly string[]): number {
  return COLUMN_BITS.reduce((code, bit, index) => code | (Number(columns[index]) << bit), 0);
}

function code12Of(code13: number): number {
  return ((code13 >> 1) & 0xfc0) | (code13 & 0x3f);
}

describe('Gillham', () => {
  test.skipIf(!met)(`all 1,280 codes of the table, and no others ${reason}`, () => {
    const seen = new Set<number>();
    for (const line of readFileSync(table, 'utf8').trim().split('\n').slice(2)) {
      const [altitudeFt, ...columns] = line.split(',');
      const code = code13Of(columns);
      seen.add(code);
      expect([code, altitude13Ft(code), altitude12Ft(code12Of(code))]).toEqual([code, Number(altitudeFt), Number(altitudeFt)]);
    }
    expect(seen.size).toBe(1280);
    for (let code = 0; code < 8192; code += 1) {
      // M = 0, Q = 0
      if ((code & 0x50) === 0 && !seen.has(code)) expect([code, altitude13Ft(code)]).toEqual([code, ABSENT]);
    }
  });

  test('neighbours in altitude differ in one bit', () => {
    const codeByFt = new Map<number, number>();
    for (let code = 0; code < 4096; code += 1) if (!(code & 0x10) && altitude12Ft(code) !== ABSENT) codeByFt.set(altitude12Ft(code), code);
    expect(codeByFt.size).toBe(1280);
    for (let ft = -1200; ft < 126_700; ft += 100) {
      const changed = codeByFt.get(ft)! ^ codeByFt.get(ft + 100)!;
      expect(changed).toBeGreaterThan(0);
      expect(changed & (changed - 1)).toBe(0);
    }
  });
});

describe('25 ft steps', () => {
  test('every N gives 25 N − 1000 in both fields', () => {
    for (let n = 0; n < 2048; n += 1) {
      const code12 = ((n & 0x7f0) << 1) | 0x10 | (n & 0xf);
      const code13 = ((code12 & 0xfc0) << 1) | (code12 & 0x3f);
      expect(altitude12Ft(code12)).toBe(25 * n - 1000);
      expect(altitude13Ft(code13)).toBe(25 * n - 1000);
    }
  });
});

test('no altitude: zero, and metric', () => {
  expect(altitude12Ft(0)).toBe(ABSENT);
  expect(altitude13Ft(0)).toBe(ABSENT);
  expect(altitude13Ft(0x40)).toBe(ABSENT);
  expect(altitude13Ft(0x1530 | 0x40)).toBe(ABSENT);
});
