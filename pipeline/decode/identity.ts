// Mode A identity (squawk) from a 13-bit ID field. ICAO Annex 10 vol. IV §3.1.2.6.7.1, §3.1.1.6.2.
//
//   bit of ID   20 21 22 23 24 25 26 27 28 29 30 31 32
//               C1 A1 C2 A2 C4 A4  X B1 D1 B2 D2 B4 D4      digits A B C D, each X4 X2 X1; X is not used

const SQUAWK_BY_CODE = new Uint16Array(8192);
for (let code = 0; code < 8192; code += 1) {
  const digit = (four: number, two: number, one: number) => (((code >> four) & 1) << 2) | (((code >> two) & 1) << 1) | ((code >> one) & 1);
  SQUAWK_BY_CODE[code] = 1000 * digit(7, 9, 11) + 100 * digit(1, 3, 5) + 10 * digit(8, 10, 12) + digit(0, 2, 4);
}

/** The four octal digits as a decimal number: 7700 for 7700, 21 for 0021. */
export function squawkOfIdentity(code: number): number {
  return SQUAWK_BY_CODE[code & 0x1fff]!;
}
