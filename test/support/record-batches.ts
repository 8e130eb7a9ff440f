// Record batches as kafkajs reads them.
import type { BatchCodec } from '../../pipeline/log/kafka/compression.ts';
import { readFetchResponse } from '../../pipeline/log/kafka/kafkajs-transport.ts';
import { WireWriter } from '../../pipeline/log/kafka/wire/wire.ts';

/** No compression. */
export const plainCodec: BatchCodec = { id: 0, compress: (bytes) => bytes };

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

/** A fetch response of version 11 about partition 0 of topic `t`. */
export function fetchResponseOf(batches: Buffer, stableEnd = 0): Buffer {
  const response = new WireWriter().int32(0).int16(0).int32(0);
  response.list(['t'], (topic) =>
    response.string(topic).list([0], (partition) => {
      response.int32(partition).int16(0).int64(0n).int64(BigInt(stableEnd)).int64(0n);
      response
        .list([], () => undefined)
        .int32(-1)
        .block(batches);
    }),
  );
  return response.written;
}

/** A batch of this many offsets that compaction emptied. */
export function emptiedBatch(firstOffset: number, count: number): Buffer {
  const batch = new WireWriter()
    .int64(BigInt(firstOffset))
    .int32(49)
    .int32(0)
    .int8(2)
    .int32(0)
    .int16(0)
    .int32(count - 1);
  return batch.int64(0n).int64(0n).int64(7n).int16(0).int32(0).int32(0).written;
}

/** Reads a batch with records as the only one of a fetch response. */
export async function readBatch(bytes: Buffer): Promise<ReadBatch> {
  const { responses } = await readFetchResponse(fetchResponseOf(bytes));
  const { messages } = responses[0]!.partitions[0]!;
  return { ...(messages[0]!.batchContext as Omit<ReadBatch, 'records'>), records: messages };
}
