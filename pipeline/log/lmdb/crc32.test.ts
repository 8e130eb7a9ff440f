// CRC-32: Node's and ours agree with each other and with the published check value.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { crc32, crc32ByTable } from './crc32.ts';

test('the check value of the catalogues, and every length', () => {
  for (const checksum of [crc32, crc32ByTable]) {
    expect(checksum(Buffer.from('123456789'))).toBe(0xcbf4_3926);
    expect(checksum(Buffer.alloc(0))).toBe(0);
  }
  for (let length = 0; length < 300; length += 7) {
    const bytes = randomBytes(length);
    expect(crc32(bytes)).toBe(crc32ByTable(bytes));
  }
});
