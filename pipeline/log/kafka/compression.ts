// Compression of record batches. zstd is from Node's zlib (22.15 and later), else from a native package, else not at all.
import { createRequire } from 'node:module';
import zlib from 'node:zlib';
import kafkajs from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import type { KafkaSay } from './connection.ts';

export type KafkaCompression = 'none' | 'gzip' | 'zstd';

interface Zstd {
  compress(bytes: Buffer): Buffer;
  decompress(bytes: Buffer): Buffer;
}

/** Frames are nearly random: a higher level costs time and saves nothing. */
const ZSTD_LEVEL = 1;

function nodeZstd(): Zstd | null {
  // Types are those of Node 20.
  const { zstdCompressSync, zstdDecompressSync, constants } = zlib as unknown as {
    zstdCompressSync?: (bytes: Buffer, options: object) => Buffer;
    zstdDecompressSync?: (bytes: Buffer) => Buffer;
    constants: { ZSTD_c_compressionLevel: number };
  };
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined) return null;
  const options = { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } };
  return { compress: (bytes) => zstdCompressSync(bytes, options), decompress: zstdDecompressSync };
}

function nativeZstd(): Zstd | null {
  try {
    const { Encoder, Decoder } = createRequire(import.meta.url)('@toondepauw/node-zstd-linux-x64-gnu') as {
      Encoder: new (level: number) => { encodeSync(bytes: Buffer): Buffer };
      Decoder: new () => { decodeSync(bytes: Buffer): Buffer };
    };
    const encoder = new Encoder(ZSTD_LEVEL);
    const decoder = new Decoder();
    return { compress: (bytes) => encoder.encodeSync(bytes), decompress: (bytes) => decoder.decodeSync(bytes) };
  } catch {
    // An optional package: other platforms do without.
    return null;
  }
}

const zstd = nodeZstd() ?? nativeZstd();

// For reading. Node finds only the first few names that kafkajs exports.
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: async () => {
    throw new SquitterError('log.no_zstd');
  },
  decompress: async (bytes: Buffer) => {
    if (zstd === null) throw new SquitterError('log.no_zstd');
    return zstd.decompress(bytes);
  },
});

/** How the records of a batch are compressed. */
export interface BatchCodec {
  /** Kafka's number of it. */
  readonly id: number;
  /** null leaves them as they are. */
  readonly compress: ((bytes: Buffer) => Buffer) | null;
}

const NONE: BatchCodec = { id: kafkajs.CompressionTypes.None, compress: null };
const GZIP: BatchCodec = { id: kafkajs.CompressionTypes.GZIP, compress: (bytes) => zlib.gzipSync(bytes) };

/** The codec for writing: what is wanted where this platform has it, else gzip, and says so. */
export function batchCodec(wanted: KafkaCompression, say?: KafkaSay): BatchCodec {
  if (wanted === 'none') return NONE;
  if (wanted === 'zstd' && zstd !== null) return { id: kafkajs.CompressionTypes.ZSTD, compress: zstd.compress };
  if (wanted === 'zstd') say?.('warn', 'there is no zstd on this platform: records are compressed with gzip', { node: process.version });
  return GZIP;
}
