// The checksum of a batch's bytes: two running sums over 64-bit words, four lanes at a time, in WebAssembly. Every frame is checksummed once when
// written and once when read. This takes 60 µs for a megabyte; CRC-32 takes 160. Older batches have CRC-32, or sums without weights.
import { crc32 } from './crc32.ts';

/** Kinds of checksum in heads. */
export const CHECKSUM_CRC_32 = 0;
export const CHECKSUM_SUMS = 1;
export const CHECKSUM_WEIGHTED_SUMS = 2;

/** Throws a RangeError if this version does not know the kind. */
export function checksumOf(kind: number, bytes: Buffer): number {
  if (kind === CHECKSUM_WEIGHTED_SUMS) return sums(weighted, bytes);
  if (kind === CHECKSUM_SUMS) return sums(plain, bytes);
  if (kind === CHECKSUM_CRC_32) return crc32(bytes);
  throw new RangeError(`expected a checksum kind from ${CHECKSUM_CRC_32} to ${CHECKSUM_WEIGHTED_SUMS}, got ${kind}`);
}

// 32 bytes a step, from 64 to `end` in its memory; the first 64 bytes hold the sums:
//
//   (loop $next
//     (local.set $a (i64x2.add (i8x16.shuffle 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 (local.get $a) (local.get $a)) (v128.load (local.get $at))))
//     (local.set $b (i64x2.add (i64x2.add (local.get $b) (local.get $a)) (i64x2.add (local.get $b) (local.get $b))))
//     … the same with $c, $d and (v128.load offset=16 (local.get $at)) …
//     (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 32))) (local.get $end))))
//
// $a is rotated by five bytes at each step, so that the same bit flipped in two words, as a bad memory line does, cannot carry out of the top of
// both. After 16 steps it is at the same byte again: $b weighs each step three times the next, so that differences which cancel in $a do not in $b.
// `checksum.test.ts` has the same algorithm in plain numbers.
const WEIGHTED_SUMS_CODE = Buffer.from(
  '0061736d0100000001050160017f00030201000503010002071002066d656d6f727902000361646400000ac50101c20102017f047b4100fd00040021024110fd' +
    '00040021034120fd00040021044130fd000400210541c0002101034020022002fd0d05060708090a0b0c0d0e0f00010203042001fd000400fdce012102200320' +
    '02fdce0120032003fdce01fdce01210320042004fd0d05060708090a0b0c0d0e0f00010203042001fd000410fdce01210420052004fdce0120052005fdce01fd' +
    'ce012105200141206a22012000490d000b41002002fd0b040041102003fd0b040041202004fd0b040041302005fd0b04000b',
  'hex',
);
/**
 * For batches of older versions: $b has no weights. Where 1,024 bytes or a multiple lie between two words, the highest bit flipped in both was
 * not detected in 2 % of batches.
 */
const SUMS_CODE = Buffer.from(
  '0061736d0100000001050160017f00030201000503010002071002066d656d6f727902000361646400000ab10101ae0102017f047b4100fd00040021024110fd' +
    '00040021034120fd00040021044130fd000400210541c0002101034020022002fd0d05060708090a0b0c0d0e0f00010203042001fd000400fdce012102200320' +
    '02fdce01210320042004fd0d05060708090a0b0c0d0e0f00010203042001fd000410fdce01210420052004fdce012105200141206a22012000490d000b410020' +
    '02fd0b040041102003fd0b040041202004fd0b040041302005fd0b04000b',
  'hex',
);
const STATE_BYTES = 64;
const STEP_BYTES = 32;
/** Fits in the processor's first-level cache. */
const PIECE_BYTES = 32 * 1024;

/** An instance of the code with its memory: scratch of one call. */
interface Sums {
  readonly add: (end: number) => void;
  readonly space: Uint8Array;
  readonly state: Int32Array;
}

/** Missing in Node's types. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    Module: new (code: Buffer) => object;
    Instance: new (module: object) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; add(end: number): void } };
  };
};
const weighted = compile(WEIGHTED_SUMS_CODE);
const plain = compile(SUMS_CODE);

function compile(code: Buffer): Sums {
  const { memory, add } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
  const state = new Int32Array(memory.buffer, 0, STATE_BYTES / Int32Array.BYTES_PER_ELEMENT);
  return { add, space: new Uint8Array(memory.buffer), state };
}

/** Returns an unsigned 32-bit number. */
function sums({ add, space, state }: Sums, bytes: Buffer): number {
  state.fill(0);
  // Makes trailing zeros significant.
  state[0] = bytes.length;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = at === 0 && bytes.length <= PIECE_BYTES ? bytes : bytes.subarray(at, at + PIECE_BYTES);
    space.set(piece, STATE_BYTES);
    const end = STATE_BYTES + piece.length;
    space.fill(0, end, end + STEP_BYTES);
    add(end);
  }
  let mixed = 0;
  for (const word of state) {
    mixed = Math.imul(mixed ^ word, 0x9e37_79b1);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> 0;
}
