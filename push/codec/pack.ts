// Puts header and body of a frame together, and compresses the body column by column.
import { constants, deflateRawSync } from 'node:zlib';
import { BODY_BYTES_ALLOWED, codecs, HEADER_BYTES, MARK } from './decoder.ts';

/** Shorter bodies are sent as they are. */
const DEFLATED_BYTES = 256;
/** Shorter sections are compressed with the one before. */
const SECTION_BYTES = 512;
/** Header of a zlib stream (RFC 1950): deflate, a window of 32 KiB. */
const ZLIB_HEADER = Uint8Array.of(0x78, 0xda);
/** A delta goes to everybody. A full is large: 15,000 aircraft take 370 ms at level 9 and 120 at level 6, which is 1 % larger. */
const DELTA_LEVEL = 9;
const FULL_LEVEL = 6;
const ADLER_MODULUS = 65_521;
/** So many bytes can be added up before a sum exceeds 32 bits. */
const ADLER_BYTES = 3800;

export interface FrameHead {
  readonly isFull: boolean;
  /** At most 255 ASCII characters. */
  readonly stream: string;
  readonly seq: number;
  readonly nowMs: number;
  /** False for a body that stays as it is. */
  readonly mayDeflate: boolean;
}

/** A frame. `sections` are the offsets in the body at which its statistics change; a frame `isStepped` is made in steps of one section. */
export function* packFrame(
  { isFull, stream, seq, nowMs, mayDeflate }: FrameHead,
  body: Uint8Array,
  sections: readonly number[],
  isStepped: boolean,
): Generator<void, Uint8Array, void> {
  if (body.length > BODY_BYTES_ALLOWED) throw new Error(`${body.length} bytes of a frame; a decoder accepts ${BODY_BYTES_ALLOWED}`);
  const isLong = mayDeflate && body.length >= DEFLATED_BYTES;
  const deflated = isLong ? yield* deflate(body, sections, isFull ? FULL_LEVEL : DELTA_LEVEL, isStepped) : null;
  const isDeflated = deflated !== null && deflated.length < body.length;
  const head = Buffer.alloc(HEADER_BYTES + stream.length);
  head[0] = MARK;
  head[1] = isDeflated ? codecs.deflate : codecs.raw;
  head[2] = isFull ? 0 : 1;
  head[3] = stream.length;
  head.writeUInt32LE(seq, 4);
  head.writeDoubleLE(nowMs, 8);
  head.writeUInt32LE(body.length, 16);
  head.write(stream, HEADER_BYTES, 'latin1');
  return Buffer.concat([head, isDeflated ? deflated : body]);
}

/**
 * One zlib stream of pieces that were compressed one by one, so that each column gets its own codes: the deflate blocks of a piece end at a
 * whole byte, and refer to nothing before the piece. Numbers are often shorter without references to earlier bytes.
 */
function* deflate(body: Uint8Array, sections: readonly number[], level: number, isStepped: boolean): Generator<void, Buffer, void> {
  const pieces: Uint8Array[] = [ZLIB_HEADER];
  let from = 0;
  for (const end of sections.concat(body.length)) {
    if (end - from < SECTION_BYTES && end < body.length) continue;
    const finishFlush = end === body.length ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const piece = body.subarray(from, end);
    const [matched, coded] = [constants.Z_DEFAULT_STRATEGY, constants.Z_HUFFMAN_ONLY].map((strategy) =>
      deflateRawSync(piece, { level, memLevel: 9, strategy, finishFlush }),
    ) as [Buffer, Buffer];
    pieces.push(matched.length < coded.length ? matched : coded);
    from = end;
    if (end === body.length) break;
    if (isStepped) yield;
  }
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(adler32(body));
  pieces.push(checksum);
  return Buffer.concat(pieces);
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (let from = 0; from < bytes.length; from += ADLER_BYTES) {
    const end = Math.min(bytes.length, from + ADLER_BYTES);
    for (let i = from; i < end; i += 1) {
      a += bytes[i]!;
      b += a;
    }
    a %= ADLER_MODULUS;
    b %= ADLER_MODULUS;
  }
  return b * 65_536 + a;
}
