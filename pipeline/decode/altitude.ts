// Barometric altitude codes: the 13-bit AC field of surveillance replies and the 12-bit field of airborne positions -> feet.
// ICAO Annex 10 vol. IV §3.1.2.6.5.4; Gillham code: §3.1.1.7.12.2.3. DO-260B §2.2.3.2.3.4.
//
//   bit of AC   20 21 22 23 24 25 26 27 28 29 30 31 32
//               C1 A1 C2 A2 C4 A4  M B1  Q B2 D2 B4 D4      the 12-bit field is the same without M
//
//   all zero    no altitude
//   M = 1       metric, format never defined: no altitude
//   Q = 1       the other 11 bits are N: 25 N − 1000 ft, −1000 … 50,175 ft
//   Q = 0       Gillham code in steps of 100 ft, −1200 … 126,700 ft (D1 is never sent: its bit is Q)

import { ABSENT } from './message.ts';

const FEET_BY_CODE = new Int32Array(4096);
for (let code = 0; code < 4096; code += 1) FEET_BY_CODE[code] = code & 0x10 ? quarterHundreds(code) : gillham(code);

/** Feet from a 12-bit altitude field; ABSENT when the code is unknown or illegal. */
export function altitude12Ft(code: number): number {
  return FEET_BY_CODE[code & 0xfff]!;
}

/** Feet from a 13-bit AC field; ABSENT when the code is unknown, illegal or metric. */
export function altitude13Ft(code: number): number {
  return code & 0x40 ? ABSENT : FEET_BY_CODE[((code >> 1) & 0xfc0) | (code & 0x3f)]!;
}

function quarterHundreds(code: number): number {
  return 25 * (((code >> 1) & 0x7f0) | (code & 0xf)) - 1000;
}

/** Two Gray codes: D2 D4 A1 A2 A4 B1 B2 B4 counts 500 ft; C1 C2 C4 counts 100 ft from 1 to 5, in reverse order in each odd 500. */
function gillham(code: number): number {
  const bit = (index: number) => (code >> index) & 1;
  const c1 = bit(11);
  const a1 = bit(10);
  const c2 = bit(9);
  const a2 = bit(8);
  const c4 = bit(7);
  const a4 = bit(6);
  const b1 = bit(5);
  const b2 = bit(3);
  const d2 = bit(2);
  const b4 = bit(1);
  const d4 = bit(0);
  const fiveHundreds = fromGray([d2, d4, a1, a2, a4, b1, b2, b4]);
  let hundreds = fromGray([c1, c2, c4]);
  if (hundreds === 7) hundreds = 5;
  else if (hundreds === 0 || hundreds > 4) return ABSENT;
  return 500 * fiveHundreds + 100 * (fiveHundreds & 1 ? 6 - hundreds : hundreds) - 1300;
}

function fromGray(bits: number[]): number {
  let value = 0;
  for (const bit of bits) value = (value << 1) | ((value & 1) ^ bit);
  return value;
}
