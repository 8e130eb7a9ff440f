// Record batches as kafkajs reads them.
import { createRequire } from 'node:module';

export interface ReadBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly records: readonly {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
  }[];
}

const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => object;
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (decoder: object) => Promise<ReadBatch>;

export function readBatch(bytes: Buffer): Promise<ReadBatch> {
  return decodeBatch(new Decoder(bytes));
}
