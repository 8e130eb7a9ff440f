// Registrations that end in a number encoded in the address. South Korea uses the four digits as hex digits; other states count from the first number.
import type { RegistrationRule } from './rule.ts';

type Row = readonly [
  country: string,
  prefix: string,
  firstAddress: number,
  firstNumber: number,
  lastNumber: number,
  digits: number,
  radix: 10 | 16,
];

// biome-ignore format: a table
const rows: readonly Row[] = [
  ['CU', 'CU-T', 0x0b_03e8, 1000, 1999, 4, 10],
  ['RU', 'RA-', 0x14_0000, 0, 99_999, 5, 10],
  // Hex digits, without A to F.
  ['KR', 'HL', 0x71_ba00, 0x7200, 0x7799, 4, 16],
  ['KR', 'HL', 0x71_c000, 0x8000, 0x8099, 4, 16],
  ['KR', 'HL', 0x71_c200, 0x8200, 0x8299, 4, 16],
];

export const numbers: readonly RegistrationRule[] = rows.map(([country, prefix, firstAddress, firstNumber, lastNumber, digits, radix]) => ({
  country,
  first: firstAddress,
  last: firstAddress + lastNumber - firstNumber,
  registration(address) {
    const number = (address - firstAddress + firstNumber).toString(radix).padStart(digits, '0');
    return /^\d+$/.test(number) ? prefix + number : '';
  },
}));
