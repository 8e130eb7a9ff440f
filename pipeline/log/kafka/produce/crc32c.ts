// CRC-32C (Castagnoli), the checksum of Kafka's record batches: RFC 3720 §12.1. Eight bytes a step, with eight tables.

/** x^32 + x^28 + x^27 + … + 1, least significant bit first. */
const POLYNOMIAL = 0x82f6_3b78;
const TABLES = 8;

type Table = Int32Array;
const tables = makeTables();
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [Table, Table, Table, Table, Table, Table, Table, Table];

/** Table n has the contribution of a byte that n more bytes follow. */
function makeTables(): Int32Array[] {
  const made = Array.from({ length: TABLES }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    made[0]![byte] = crc;
  }
  for (let n = 1; n < TABLES; n += 1)
    for (let byte = 0; byte < 256; byte += 1) {
      const before = made[n - 1]![byte]!;
      made[n]![byte] = (before >>> 8) ^ made[0]![before & 0xff]!;
    }
  return made;
}

/** Checksum of the bytes from `from` on, as an unsigned number. */
export function crc32c(bytes: Uint8Array, from = 0): number {
  const end = bytes.length;
  let crc = -1;
  let at = from;
  for (; at + TABLES <= end; at += TABLES) {
    const first = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      t7[first & 0xff]! ^
      t6[(first >>> 8) & 0xff]! ^
      t5[(first >>> 16) & 0xff]! ^
      t4[first >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!;
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
