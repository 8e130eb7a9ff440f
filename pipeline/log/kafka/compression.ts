// Compression of record batches.
import zlib from 'node:zlib';
import kafkajs from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { zstd } from '../../runtime/zstd.ts';
import type { OnKafkaMessage } from './connection.ts';

/** Level 2 makes states and positions 5 to 30 % smaller than level 1 in the same time; level 3 takes 50 % longer. */
const ZSTD_LEVEL = 2;

// Codec for reading. Uses kafkajs's default export, because Node finds only some of its named exports.
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: async () => {
    throw new SquitterError('log.no_zstd');
  },
  decompress: async (bytes: Buffer) => {
    if (zstd === null) throw new SquitterError('log.no_zstd');
    return zstd.decompressSync(bytes);
  },
});

/** Compression of the records of a batch. */
export interface BatchCodec {
  /** Kafka's number of the codec. */
  readonly id: number;
  compress(bytes: Buffer): Buffer;
}

export const gzip: BatchCodec = { id: kafkajs.CompressionTypes.GZIP, compress: (bytes) => zlib.gzipSync(bytes) };

/** The codec for writing: zstd if the platform supports it, else gzip with a warning. */
export function batchCodec(onMessage?: OnKafkaMessage): BatchCodec {
  if (zstd !== null) {
    const { compressSync } = zstd;
    // Synchronous, because the batches of a turn share a request and must be ready together.
    return { id: kafkajs.CompressionTypes.ZSTD, compress: (bytes) => compressSync(bytes, ZSTD_LEVEL) };
  }
  onMessage?.('warn', 'this platform has no zstd: records are compressed with gzip', { node: process.version });
  return gzip;
}
