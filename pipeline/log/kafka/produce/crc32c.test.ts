// CRC-32C compared with published vectors: RFC 3720 §B.4, and the check value of checksum catalogues.
import { expect, test } from 'vitest';
import { crc32c } from './crc32c.ts';

test.each([
  [Buffer.alloc(32), 0x8a91_36aa],
  [Buffer.alloc(32, 0xff), 0x62a8_ab43],
  [Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd_794e],
  [Buffer.from('123456789'), 0xe306_9283],
  [Buffer.alloc(0), 0],
])('%#', (bytes, crc) => {
  expect(crc32c(bytes)).toBe(crc);
  expect(crc32c(Buffer.concat([Buffer.from('abc'), bytes]), 3)).toBe(crc);
});
