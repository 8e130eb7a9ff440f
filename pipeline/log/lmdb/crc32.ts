// CRC-32 (ISO 3309, as in gzip): Node's own, which takes 11 µs for 64 KB, or a table-driven one if Node has none.
import zlib from 'node:zlib';

/** x^32 + x^26 + x^23 + … + 1, least significant bit first. */
const POLYNOMIAL = 0xedb8_8320;

/** In Node from 20.15 and 22.2 on; missing in its types. */
const native = (zlib as { readonly crc32?: (bytes: Uint8Array) => number }).crc32;

const table = new Int32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  table[byte] = crc;
}

export function crc32ByTable(bytes: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < bytes.length; i += 1) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

/** Checksum of the bytes, as an unsigned number. */
export const crc32: (bytes: Uint8Array) => number = native ?? crc32ByTable;
