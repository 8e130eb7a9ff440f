// CRC-24 of Mode S on the sending side: ICAO Annex 10 vol. IV §3.1.2.3.3, generator 0x1FFF409.
// Separate from the decoder's code on purpose: the simulator is its oracle (test/sim/truth) and shares no code with it.

const GENERATOR = 0xfff409;

const remainders = new Uint32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let remainder = byte << 16;
  for (let bit = 0; bit < 8; bit += 1)
    remainder = (remainder & 0x80_0000) !== 0 ? ((remainder << 1) ^ GENERATOR) & 0xff_ffff : remainder << 1;
  remainders[byte] = remainder;
}

/**
 * Writes the last three bytes of a frame: the parity of the bytes before them, xor `overlay`.
 * @param overlay 0 in DF 17 and 18, the interrogator id in DF 11, the 24-bit address in DF 0, 4, 5, 20 and 21.
 */
export function sealFrame(target: Uint8Array, byteLength: 7 | 14, overlay: number): void {
  const parityAt = byteLength - 3;
  let parity = 0;
  for (let i = 0; i < parityAt; i += 1) parity = ((parity << 8) & 0xff_ffff) ^ remainders[(parity >>> 16) ^ target[i]!]!;
  const field = parity ^ overlay;
  target[parityAt] = field >>> 16;
  target[parityAt + 1] = (field >>> 8) & 0xff;
  target[parityAt + 2] = field & 0xff;
}
