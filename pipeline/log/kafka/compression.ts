// Compression of record batches.
import zlib from 'node:zlib';
import kafkajs from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { zstd } from '../../runtime/zstd.ts';
import type { KafkaSay } from './connection.ts';

export type KafkaCompression = 'none' | 'gzip' | 'zstd';

/** Level 2 makes states and positions 5 to 30 % smaller than level 1, in the same time; level 3 takes half as long again. */
export const ZSTD_LEVEL = 2;

// For reading. Node finds only the first few names that kafkajs exports.
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: async () => {
    throw new SquitterError('log.no_zstd');
  },
  decompress: async (bytes: Buffer) => {
    if (zstd === null) throw new SquitterError('log.no_zstd');
    return zstd.decompressSync(bytes);
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
  if (wanted === 'zstd' && zstd !== null) {
    const { compressSync } = zstd;
    // In place, though another thread could do it: the batches of a turn share a request, and must be ready together.
    return { id: kafkajs.CompressionTypes.ZSTD, compress: (bytes) => compressSync(bytes, ZSTD_LEVEL) };
  }
  if (wanted === 'zstd') say?.('warn', 'there is no zstd on this platform: records are compressed with gzip', { node: process.version });
  return GZIP;
}
