// Frames for property tests: any bytes, any content with valid parity, wrong bits; and parity by long division, bit by bit.
import fc from 'fast-check';

/** x^24 + x^23 + … + 1 of ICAO Annex 10 vol. IV §3.1.2.3.3.1.2, without x^24. */
const GENERATOR = 0xfff409;

/** Downlink formats of the decoder, by length. */
export const SHORT_FORMATS = [0, 4, 5, 11] as const;
/** 24 to 31 are one format: the other bits of the field are content. */
export const LONG_FORMATS = [16, 17, 18, 20, 21, 24, 29, 31] as const;
/** Formats with the address in the parity field. */
export const REPLY_FORMATS = [0, 4, 5, 16, 20, 21, 24, 29, 31] as const;

/** Remainder of all bits except the last 24, xor those. */
export function remainderOf(frame: Uint8Array): number {
  const dataBits = 8 * (frame.length - 3);
  let remainder = 0;
  for (let bit = 0; bit < dataBits; bit += 1) {
    const top = (remainder >> 23) & 1;
    const next = (frame[bit >> 3]! >> (7 - (bit & 7))) & 1;
    remainder = ((remainder << 1) & 0xff_ffff) ^ (top ^ next ? GENERATOR : 0);
  }
  return remainder ^ ((frame[frame.length - 3]! << 16) | (frame[frame.length - 2]! << 8) | frame[frame.length - 1]!);
}

/** A copy whose parity field gives this remainder. */
export function sealed(frame: Uint8Array, remainder: number): Uint8Array {
  const out = Uint8Array.from(frame);
  out.fill(0, frame.length - 3);
  const parity = remainderOf(out) ^ remainder;
  out.set([parity >> 16, (parity >> 8) & 0xff, parity & 0xff], frame.length - 3);
  return out;
}

/** A copy with these bits flipped, counted from the first. */
export function flipped(frame: Uint8Array, bits: readonly number[]): Uint8Array {
  const out = Uint8Array.from(frame);
  for (const bit of bits) out[bit >> 3]! ^= 0x80 >> (bit & 7);
  return out;
}

/** A copy with another downlink format. */
export function withFormat(frame: Uint8Array, df: number): Uint8Array {
  const out = Uint8Array.from(frame);
  out[0] = (df << 3) | (frame[0]! & 7);
  return out;
}

/** A copy with another AA field (DF 11, 17, 18). */
export function withAddress(frame: Uint8Array, address: number): Uint8Array {
  const out = Uint8Array.from(frame);
  out.set([address >> 16, (address >> 8) & 0xff, address & 0xff], 1);
  return out;
}

/** True when the frame alone proves that its aircraft exists: DF 17, 18, or 11 that is not a reply, of valid length and parity. */
export function provesAircraft(frame: Uint8Array): boolean {
  const df = frame[0]! >> 3;
  const long = df === 17 || df === 18;
  return (long || df === 11) && frame.length === (long ? 14 : 7) && remainderOf(frame) === 0;
}

const bytesOf = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });

/** Any 7 or 14 bytes. */
export const anyFrame = fc.oneof(bytesOf(7), bytesOf(14));

export const anyAddress = fc.integer({ min: 1, max: 0xff_ffff });

/** Any content of one of these formats, with a random parity field. */
export function frameOf(formats: readonly number[]): fc.Arbitrary<Uint8Array> {
  return fc.constantFrom(...formats).chain((df) => bytesOf(df < 16 ? 7 : 14).map((bytes) => withFormat(bytes, df)));
}

/** Any reply of this aircraft. */
export function replyOf(address: number): fc.Arbitrary<Uint8Array> {
  return frameOf(REPLY_FORMATS).map((frame) => sealed(frame, address));
}

/** Any extended squitter of this sender: DF 17, or DF 18 with any control field. */
export function squitterOf(address: number, formats: readonly number[] = [17, 18]): fc.Arbitrary<Uint8Array> {
  return frameOf(formats).map((frame) => sealed(withAddress(frame, address), 0));
}
