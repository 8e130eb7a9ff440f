// CRC-32C compared with published vectors and with a slow bit-by-bit version.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from './crc32c.ts';

/** RFC 3720 §B.4, and the check value of checksum catalogues. */
const VECTORS: readonly (readonly [Uint8Array, number])[] = [
  [new Uint8Array(32), 0x8a91_36aa],
  [new Uint8Array(32).fill(0xff), 0x62a8_ab43],
  [Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd_794e],
  [Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113f_db5c],
  [Buffer.from('123456789'), 0xe306_9283],
  [new Uint8Array(0), 0],
];

function slowly(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return ~crc >>> 0;
}

test('published vectors', () => {
  for (const [bytes, crc] of VECTORS) expect(crc32c(bytes)).toBe(crc);
});

test('any bytes, from any index on', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), (bytes, from) => {
      expect(crc32c(bytes, from)).toBe(slowly(bytes.subarray(from)));
    }),
  );
});
