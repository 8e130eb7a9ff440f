// Content encodings of HTTP bodies, computed off the main thread: gzip and br of Node, and zstd if this platform has it.
// The levels are measured on a body of 20,000 aircraft: pipeline/view/README.md has the figures.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { zstd } from '../runtime/zstd.ts';

export type Encoding = 'gzip' | 'br' | 'zstd';

export type Compressor = (body: Buffer) => Promise<Buffer>;

const GZIP_LEVEL = 1;
const BROTLI_QUALITY = 4;
/** A window of 1 MB: larger ones take longer and save nothing. */
const BROTLI_WINDOW_BITS = 20;
const ZSTD_LEVEL = 1;
/** Results come in chunks of this size: fewer messages to the main thread. */
const CHUNK_BYTES = 1024 * 1024;

/** Compressors by encoding, the smallest result first; `zstd` is absent where the runtime lacks it. */
export function openCompressors(): ReadonlyMap<Encoding, Compressor> {
  const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
  const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
  const compressors = new Map<Encoding, Compressor>();
  compressors.set('br', (body) =>
    brotli(body, {
      chunkSize: chunkBytes(body),
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [zlib.constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  );
  if (zstd !== null) {
    const { compress } = zstd;
    compressors.set('zstd', (body) => compress(body, ZSTD_LEVEL));
  }
  compressors.set('gzip', (body) => gzip(body, { level: GZIP_LEVEL, chunkSize: chunkBytes(body) }));
  return compressors;
}

function chunkBytes(body: Buffer): number {
  return Math.max(16 * 1024, Math.min(CHUNK_BYTES, body.length >> 2));
}
