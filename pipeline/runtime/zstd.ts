// Zstandard: Node's own (22.15 and later), else an optional native package, else none.
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

interface Zstd {
  compressSync(bytes: Buffer, level: number): Buffer;
  decompressSync(bytes: Buffer): Buffer;
  /** In another thread. */
  compress(bytes: Buffer, level: number): Promise<Buffer>;
}

/** The part of Node's zlib that is missing in the types of Node 20. */
interface ZstdOfNode {
  readonly zstdCompressSync?: (bytes: Buffer, options: object) => Buffer;
  readonly zstdDecompressSync?: (bytes: Buffer) => Buffer;
  readonly zstdCompress?: (bytes: Buffer, options: object, done: (error: Error | null, result: Buffer) => void) => void;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

function zstdOfNode(): Zstd | null {
  const { zstdCompressSync, zstdDecompressSync, zstdCompress, constants } = zlib as unknown as ZstdOfNode;
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined || zstdCompress === undefined) return null;
  const options = (level: number): object => ({ params: { [constants.ZSTD_c_compressionLevel!]: level } });
  const compress = promisify<Buffer, object, Buffer>(zstdCompress);
  return {
    compressSync: (bytes, level) => zstdCompressSync(bytes, options(level)),
    decompressSync: zstdDecompressSync,
    compress: (bytes, level) => compress(bytes, options(level)),
  };
}

interface ZstdPackage {
  readonly Encoder: new (level: number) => { encodeSync(bytes: Buffer): Buffer; encode(bytes: Buffer): Promise<Buffer> };
  readonly Decoder: new () => { decodeSync(bytes: Buffer): Buffer };
}

function zstdOfPackage(): Zstd | null {
  try {
    const { Encoder, Decoder } = createRequire(import.meta.url)('@toondepauw/node-zstd-linux-x64-gnu') as ZstdPackage;
    const decoder = new Decoder();
    // A separate encoder for each call: several may run at the same time.
    return {
      compressSync: (bytes, level) => new Encoder(level).encodeSync(bytes),
      decompressSync: (bytes) => decoder.decodeSync(bytes),
      compress: (bytes, level) => new Encoder(level).encode(bytes),
    };
  } catch {
    // Platforms without the package use no zstd.
    return null;
  }
}

/** null on platforms without zstd. */
export const zstd: Zstd | null = zstdOfNode() ?? zstdOfPackage();
