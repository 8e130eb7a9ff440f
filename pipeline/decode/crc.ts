// Mode S parity: the 24-bit remainder of a frame. One table per byte position makes the steps independent of each other.
// ICAO Annex 10 vol. IV §3.1.2.3.3; generator 1 1111 1111 1111 0100 0000 1001 (0x1FFF409).

const GENERATOR = 0xfff409;
const DATA_BYTES = 11;

/** Entry p * 256 + b: contribution of byte value b at position p of a 14-byte frame. A 7-byte frame starts at position 7. */
const POSITION_TABLES = new Uint32Array(DATA_BYTES * 256);
for (let value = 0; value < 256; value += 1) {
  let remainder = value << 16;
  for (let position = DATA_BYTES - 1; position >= 0; position -= 1) {
    for (let bit = 0; bit < 8; bit += 1) remainder = (remainder << 1) ^ (remainder & 0x80_0000 ? 0x1000000 | GENERATOR : 0);
    POSITION_TABLES[position * 256 + value] = remainder;
  }
}

/**
 * Remainder of the frame at `bytes[at]`: 0 for an intact DF 17 or 18; the interrogator's code in DF 11; the address where address and
 * parity are overlaid. The last three bytes are the parity itself.
 */
export function parityRemainder(bytes: Uint8Array, at: number, byteLength: 7 | 14): number {
  const table = POSITION_TABLES;
  if (byteLength === 7) {
    return (
      table[1792 + bytes[at]!]! ^
      table[2048 + bytes[at + 1]!]! ^
      table[2304 + bytes[at + 2]!]! ^
      table[2560 + bytes[at + 3]!]! ^
      ((bytes[at + 4]! << 16) | (bytes[at + 5]! << 8) | bytes[at + 6]!)
    );
  }
  return (
    table[bytes[at]!]! ^
    table[256 + bytes[at + 1]!]! ^
    table[512 + bytes[at + 2]!]! ^
    table[768 + bytes[at + 3]!]! ^
    table[1024 + bytes[at + 4]!]! ^
    table[1280 + bytes[at + 5]!]! ^
    table[1536 + bytes[at + 6]!]! ^
    table[1792 + bytes[at + 7]!]! ^
    table[2048 + bytes[at + 8]!]! ^
    table[2304 + bytes[at + 9]!]! ^
    table[2560 + bytes[at + 10]!]! ^
    ((bytes[at + 11]! << 16) | (bytes[at + 12]! << 8) | bytes[at + 13]!)
  );
}
