// How far the batches of a fetch response reach. Compaction leaves batches without records, to keep their producers' last sequence numbers, and
// kafkajs does not return them: a reader that saw only records would stay in front of them.
//
//   Fetch response 11  throttle time int32, error int16, session int32, topics: name string, partitions: partition int32, error int16,
//                      high watermark int64, last stable offset int64, log start int64, aborted transactions: producer int64, first offset int64;
//                      preferred replica int32, batches as a block
//   Batch              first offset int64, length int32 of what follows: leader epoch int32, magic int8, checksum int32, attributes int16,
//                      last offset delta int32, and more
import { WireReader } from './wire.ts';

const BATCH_HEAD_BYTES = 12;
const LAST_OFFSET_DELTA_AT = 23;

/** Offset after the last whole batch, for each partition of each topic in the order of the response; 0 without batches. */
export function batchEnds(bytes: Buffer): number[][] {
  const response = new WireReader(bytes);
  response.int32();
  response.int16();
  response.int32();
  return response.list(() => {
    response.string();
    return response.list(() => {
      response.int32();
      response.int16();
      for (let offsets = 0; offsets < 3; offsets += 1) response.int64();
      response.list(() => [response.int64(), response.int64()]);
      response.int32();
      return endOf(response.block());
    });
  });
}

/** A broker may cut the last batch off where the response ends. */
function endOf(batches: Buffer): number {
  let end = 0;
  for (let at = 0; at + BATCH_HEAD_BYTES <= batches.length; ) {
    const next = at + BATCH_HEAD_BYTES + batches.readInt32BE(at + BATCH_HEAD_BYTES - 4);
    if (next > batches.length) break;
    end = Number(batches.readBigInt64BE(at)) + batches.readInt32BE(at + LAST_OFFSET_DELTA_AT) + 1;
    at = next;
  }
  return end;
}
