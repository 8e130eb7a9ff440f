// A record batch, version 2 of Kafka's message format, written in one pass: records of one partition, by one producer.
//
//   byte  size  field                     here
//   0     8     base offset               0, the broker sets it
//   8     4     bytes that follow
//   12    4     partition leader epoch    -1, the broker sets it
//   16    1     magic                     2
//   17    4     CRC-32C of all that follows
//   21    2     attributes                bits 0-2 codec (0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd), bit 3 time of the log, 4 transactional, 5 control
//   23    4     last offset delta         records - 1
//   27    8     base timestamp            that of the first record, ms
//   35    8     largest timestamp
//   43    8     producer id
//   51    2     producer epoch
//   53    4     base sequence             of the first record; sequence numbers continue with 0 after 2^31 - 1
//   57    4     number of records
//   61          records, compressed together if there is a codec
//
// A record: length of what follows (varint), attributes (one byte, 0), timestamp delta (varlong, may be negative), offset delta (varint),
// key and value (length as varint, -1 for null, and the bytes), number of headers (varint, 0). Varints are zig-zag, as Avro's are.

import { limits } from '../../../../schemas/limits/index.ts';
import { AvroWriter } from '../../../avro/writer.ts';
import { contentBytes, type Records } from '../../record-block.ts';
import type { BatchCodec } from '../compression.ts';
import { crc32c } from './crc32c.ts';
import type { ProducerIdentity } from './write-requests.ts';

const HEAD_BYTES = 61;
/** Upper bound of Kafka's header of a record. */
export const RECORD_HEAD_BYTES = 32;
const AT_LENGTH = 8;
const AT_LEADER_EPOCH = 12;
const AT_MAGIC = 16;
const AT_CRC = 17;
const AT_ATTRIBUTES = 21;
const AT_LAST_OFFSET_DELTA = 23;
const AT_BASE_TIMESTAMP = 27;
const AT_MAX_TIMESTAMP = 35;
const AT_PRODUCER_ID = 43;
const AT_PRODUCER_EPOCH = 51;
const AT_BASE_SEQUENCE = 53;
const AT_COUNT = 57;

const MAGIC = 2;
const TRANSACTIONAL = 16;
/** One byte each: the attributes and the number of headers. */
const FIXED_BYTES = 2;
/** Sequence numbers are 0 to 2^31 - 1. */
export const SEQUENCES = 0x8000_0000;

export class BatchEncoder {
  private readonly codec: BatchCodec;
  /** Buffer for the records before compression; reused by every call. */
  private readonly writer = new AvroWriter();

  constructor(codec: BatchCodec) {
    this.codec = codec;
  }

  /**
   * Encodes records from index `from` on: as many as fit in `limits.kafkaBatchBytesMax`, at least one. `sequence` is that of the first.
   * Returns a new buffer and its number of records.
   */
  encode(records: Records, from: number, sequence: number, producer: ProducerIdentity): { bytes: Buffer; count: number } {
    const { codec, writer } = this;
    const baseMs = records.timestampMs(from);
    let maxMs = baseMs;
    let bytes = 0;
    let to = from;
    writer.reset();
    for (; to < records.length; to += 1) {
      const room = RECORD_HEAD_BYTES + contentBytes(records, to);
      if (to > from && bytes + room > limits.kafkaBatchBytesMax) break;
      bytes += room;
      writer.reserve(room);
      const timestampMs = records.timestampMs(to);
      writeRecord(writer, records, to, timestampMs - baseMs, to - from);
      if (timestampMs > maxMs) maxMs = timestampMs;
    }
    const count = to - from;
    const body = codec.compress(writer.bytes.subarray(0, writer.length));
    const batch = Buffer.allocUnsafe(HEAD_BYTES + body.length);
    batch.set(body, HEAD_BYTES);
    batch.fill(0, 0, AT_LENGTH);
    batch.writeInt32BE(batch.length - AT_LEADER_EPOCH, AT_LENGTH);
    batch.writeInt32BE(-1, AT_LEADER_EPOCH);
    batch[AT_MAGIC] = MAGIC;
    batch.writeInt16BE(codec.id | (producer.transactionalId === null ? 0 : TRANSACTIONAL), AT_ATTRIBUTES);
    batch.writeInt32BE(count - 1, AT_LAST_OFFSET_DELTA);
    batch.writeBigInt64BE(BigInt(baseMs), AT_BASE_TIMESTAMP);
    batch.writeBigInt64BE(BigInt(maxMs), AT_MAX_TIMESTAMP);
    batch.writeBigInt64BE(producer.id, AT_PRODUCER_ID);
    batch.writeInt16BE(producer.epoch, AT_PRODUCER_EPOCH);
    batch.writeInt32BE(sequence, AT_BASE_SEQUENCE);
    batch.writeInt32BE(count, AT_COUNT);
    batch.writeUInt32BE(crc32c(batch, AT_ATTRIBUTES), AT_CRC);
    return { bytes: batch, count };
  }
}

/** Writes the record at `at` of the list, with its time and its index relative to the first of the batch. */
function writeRecord(writer: AvroWriter, records: Records, at: number, deltaMs: number, index: number): void {
  // -1, which is also written, for a missing key or value.
  const keyBytes = records.keyBytes(at);
  const valueBytes = records.valueBytes(at);
  const lengths = varlongBytes(deltaMs) + varlongBytes(index) + varlongBytes(keyBytes) + varlongBytes(valueBytes);
  writer.int(FIXED_BYTES + lengths + contentBytes(records, at));
  writer.byte(0);
  writer.long(deltaMs);
  writer.int(index);
  writer.int(keyBytes);
  if (keyBytes > 0) writer.length = records.copyKey(at, writer.bytes, writer.length);
  writer.int(valueBytes);
  if (valueBytes > 0) writer.length = records.copyValue(at, writer.bytes, writer.length);
  writer.byte(0);
}

/** Length of a zig-zag varint: seven bits per byte, one of all bits is the sign. */
function varlongBytes(value: number): number {
  let left = value < 0 ? -1 - value : value;
  let bytes = 1;
  for (left = Math.floor(left / 64); left > 0; left = Math.floor(left / 128)) bytes += 1;
  return bytes;
}
