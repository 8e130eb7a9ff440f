// Helpers of the decoder's tests: hex -> message, and synthetic frames where no real frame is available.
import { parityRemainder } from '../../pipeline/decode/crc.ts';

export { decodeHex } from '../../pipeline/decode/decode.ts';

export function frameBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

/** The frame of 8 or 22 hex digits with its three parity bytes, overlaid with `overlay` (an address or an interrogator code). */
export function withParity(hex: string, overlay = 0): string {
  const bytes = frameBytes(`${hex}000000`);
  const parity = parityRemainder(bytes, 0, bytes.length as 7 | 14) ^ overlay;
  return hex + parity.toString(16).padStart(6, '0');
}

/** Extended squitter whose ME field is given as values and their widths in bits, in turn, from its first bit; the rest is zero. */
export function squitter(groups: readonly number[], header = '8d3c6586'): string {
  let bits = '';
  for (let i = 0; i < groups.length; i += 2) if (groups[i + 1]! > 0) bits += groups[i]!.toString(2).padStart(groups[i + 1]!, '0');
  return withParity(
    header +
      BigInt(`0b${bits.padEnd(56, '0')}`)
        .toString(16)
        .padStart(14, '0'),
  );
}
