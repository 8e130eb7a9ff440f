// Zstandard: Node's own (22.15 and later), else a native package that is optional, else none. Level 1: what is compressed here is used once.
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

export interface Zstd {
  compressSync(bytes: Buffer): Buffer;
  decompressSync(bytes: Buffer): Buffer;
  /** In another thread. */
  compress(bytes: Buffer): Promise<Buffer>;
}

const LEVEL = 1;

/** The part of Node's zlib that the types of Node 20 do not know. */
interface ZstdOfNode {
  readonly zstdCompressSync?: (bytes: Buffer, options: object) => Buffer;
  readonly zstdDecompressSync?: (bytes: Buffer) => Buffer;
  readonly zstdCompress?: (bytes: Buffer, options: object, done: (error: Error | null, result: Buffer) => void) => void;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

function zstdOfNode(): Zstd | null {
  const { zstdCompressSync, zstdDecompressSync, zstdCompress, constants } = zlib as unknown as ZstdOfNode;
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined || zstdCompress === undefined) return null;
  const options = { params: { [constants.ZSTD_c_compressionLevel!]: LEVEL } };
  const compress = promisify<Buffer, object, Buffer>(zstdCompress);
  return {
    compressSync: (bytes) => zstdCompressSync(bytes, options),
    decompressSync: zstdDecompressSync,
    compress: (bytes) => compress(bytes, options),
  };
}

interface ZstdPackage {
  readonly Encoder: new (level: number) => { encodeSync(bytes: Buffer): Buffer; encode(bytes: Buffer): Promise<Buffer> };
  readonly Decoder: new () => { decodeSync(bytes: Buffer): Buffer };
}

function zstdOfPackage(): Zstd | null {
  try {
    const { Encoder, Decoder } = createRequire(import.meta.url)('@toondepauw/node-zstd-linux-x64-gnu') as ZstdPackage;
    const encoder = new Encoder(LEVEL);
    const decoder = new Decoder();
    return {
      compressSync: (bytes) => encoder.encodeSync(bytes),
      decompressSync: (bytes) => decoder.decodeSync(bytes),
      // One of its own for each: several may be under way.
      compress: (bytes) => new Encoder(LEVEL).encode(bytes),
    };
  } catch {
    // Other platforms do without.
    return null;
  }
}

/** null where this platform has none. */
export const zstd: Zstd | null = zstdOfNode() ?? zstdOfPackage();
