// Registrations of a prefix and three letters. The letters are the digits of a number that is added to a base address. A radix of 26 wastes no address,
// 32 uses five bits for each letter, 36 leaves room for digits.
import { LETTERS, type RegistrationRule } from './rule.ts';

type Row = readonly [country: string, prefix: string, radix: number, address: number, first?: string, last?: string];

/** `address` belongs to the first combination of letters. The combinations are AAA to ZZZ unless given. */
// biome-ignore format: a table
const rows: readonly Row[] = [
  ['TN', 'TS-', 32, 0x02_8000],
  ['FR', 'F-G', 32, 0x39_0000], ['FR', 'F-H', 32, 0x39_8000], ['FR', 'F-O', 32, 0x3a_0000],
  ['DE', 'D-A', 26, 0x3c_0001, 'PAA', 'ZZZ'], ['DE', 'D-B', 26, 0x3c_2001, 'PAA', 'ZZZ'],
  ['DE', 'D-A', 32, 0x3c_4421, 'AAA', 'OZZ'], ['DE', 'D-B', 32, 0x3c_8421, 'AAA', 'OZZ'],
  ['DE', 'D-C', 26, 0x3c_c000], ['DE', 'D-E', 26, 0x3d_04a8], ['DE', 'D-F', 26, 0x3d_4950], ['DE', 'D-G', 26, 0x3d_8df8], ['DE', 'D-H', 26, 0x3d_d2a0],
  ['DE', 'D-I', 26, 0x3e_1748],
  ['BE', 'OO-', 32, 0x44_8421],
  ['DK', 'OY-', 32, 0x45_8421],
  ['FI', 'OH-', 26, 0x46_0000],
  ['GR', 'SX-', 32, 0x46_8421],
  ['HU', 'HA-', 26, 0x47_0000],
  ['PT', 'CS-', 32, 0x49_0421],
  // The air force has the addresses of YR-M.
  ['RO', 'YR-', 32, 0x4a_0421, 'AAA', 'LZZ'], ['RO', 'YR-', 32, 0x4a_3821, 'NAA', 'ZZZ'],
  ['SE', 'SE-', 32, 0x4a_8421],
  ['CH', 'HB-', 26, 0x4b_0000],
  ['TR', 'TC-', 32, 0x4b_8421],
  ['RS', 'YU-', 32, 0x4c_0000],
  ['IR', 'EP-', 32, 0x73_0421],
  ['JO', 'JY-', 32, 0x74_0421],
  // The addresses after AP-W belong to the air force.
  ['PK', 'AP-', 32, 0x76_0421, 'AAA', 'WZZ'],
  ['SG', '9V-', 32, 0x76_8421],
  ['SY', 'YK-', 32, 0x77_8421],
  ['AU', 'VH-', 36, 0x7c_0000],
  ['TH', 'HS-', 32, 0x88_0421],
  ['CA', 'C-F', 26, 0xc0_0001], ['CA', 'C-G', 26, 0xc0_44a9],
];

export const strides: readonly RegistrationRule[] = rows.map(([country, prefix, radix, start, first = 'AAA', last = 'ZZZ']) => {
  const number = (suffix: string): number => [...suffix].reduce((sum, character) => sum * radix + LETTERS.indexOf(character), 0);
  const firstNumber = number(first);
  return {
    country,
    first: start,
    last: start + number(last) - firstNumber,
    registration(address) {
      const at = address - start + firstNumber;
      const digits = [Math.floor(at / (radix * radix)), Math.floor(at / radix) % radix, at % radix];
      return digits.every((digit) => digit < LETTERS.length) ? prefix + digits.map((digit) => LETTERS[digit]).join('') : '';
    },
  };
});
