// Requests of readers, in versions that every broker since 2.5 supports.
//
//   Fetch 11         replica int32 (-1), wait int32 ms, least bytes int32, most bytes int32, isolation int8, session int32 (0) and its epoch int32
//                    (-1: none), topics: name string, partitions: partition int32, leader epoch int32 (-1 unknown), offset int64, log start
//                    int64 (-1), most bytes int32; forgotten topics (none); rack string
//                    → as `FetchResponse`, whose layout is in `batch-ends.ts`
//   ListOffsets 3    replica int32 (-1), isolation int8, topics: name string, partitions: partition int32, timestamp int64 (-1 end, -2 start)
//                    → throttle time int32, topics: name string, partitions: partition int32, error int16, timestamp int64, offset int64
//   OffsetFetch 4    group string, topics: name string, partitions int32 each
//                    → throttle time int32, topics: name string, partitions: partition int32, offset int64 (-1 none), metadata string or null,
//                      error int16; error int16
import { limits } from '../../../../schemas/limits/index.ts';
import { type FetchedPartition, type FetchResponse, protocolError, readFetchResponse } from '../kafkajs-transport.ts';
import type { BrokerRequest } from '../transport.ts';
import { batchEnds } from './batch-ends.ts';
import { WireReader, WireWriter } from './wire.ts';

const FETCH = { apiKey: 1, apiVersion: 11, apiName: 'Fetch', beginsWithThrottle: true, warns: true } as const;
const LIST_OFFSETS = { apiKey: 2, apiVersion: 3, apiName: 'ListOffsets', beginsWithThrottle: true, warns: true } as const;
const OFFSET_FETCH = { apiKey: 9, apiVersion: 4, apiName: 'OffsetFetch', beginsWithThrottle: true, warns: true } as const;
const NO_REPLICA = -1;
const READ_COMMITTED = 1;
const NO_SESSION = 0;
const NO_SESSION_EPOCH = -1;
const LEADER_EPOCH_UNKNOWN = -1;
const LOG_START_UNKNOWN = -1n;
const ANY_RACK = '';
const BYTES_LEAST = 1;
/** Added to the time that the broker may wait. */
const FETCH_EXTRA_MS = 100;

/** Topics by their names on the brokers. */
export interface TopicPartitionOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

interface PartitionResponse extends FetchedPartition {
  /** Offset after the last batch, which may have no records; 0 without batches. */
  readonly batchesEnd: number;
}

/**
 * Fetches committed and non-transactional records of partitions, each once; the broker may wait `waitMs` for new ones. The response also has records
 * of aborted transactions, see `FetchedPartition`.
 */
export function fetchRequest(partitions: readonly TopicPartitionOffset[], waitMs: number): BrokerRequest<FetchResponse<PartitionResponse>> {
  const writer = new WireWriter().int32(NO_REPLICA).int32(waitMs).int32(BYTES_LEAST).int32(limits.kafkaFetchedBytesMax);
  writer.int8(READ_COMMITTED).int32(NO_SESSION).int32(NO_SESSION_EPOCH);
  writer.topics(partitions, ({ partition, offset }) =>
    writer.int32(partition).int32(LEADER_EPOCH_UNKNOWN).int64(BigInt(offset)).int64(LOG_START_UNKNOWN).int32(limits.kafkaFetchBytesMax),
  );
  writer.list([], () => undefined).string(ANY_RACK);
  return { ...FETCH, body: writer.written, responseMsMax: waitMs + FETCH_EXTRA_MS, read: fetchResponse };
}

async function fetchResponse(bytes: Buffer): Promise<FetchResponse<PartitionResponse>> {
  const { responses } = await readFetchResponse(bytes);
  const ends = batchEnds(bytes);
  return {
    responses: responses.map(({ topicName, partitions }, topic) => ({
      topicName,
      partitions: partitions.map((fetched, i) => ({ ...fetched, batchesEnd: ends[topic]![i]! })),
    })),
  };
}

/** Special timestamps: start and end of a partition. */
export const START = -2;
export const END = -1;

/** Request for the first offset of a partition at or after a time, ms. */
export interface OffsetWanted {
  readonly topic: string;
  readonly partition: number;
  readonly timestampMs: number;
}

/** Offsets of committed records, -1 if no record is that late. */
export function listOffsetsRequest(wanted: readonly OffsetWanted[]): BrokerRequest<TopicPartitionOffset[]> {
  const writer = new WireWriter().int32(NO_REPLICA).int8(READ_COMMITTED);
  writer.topics(wanted, ({ partition, timestampMs }) => writer.int32(partition).int64(BigInt(timestampMs)));
  return {
    ...LIST_OFFSETS,
    body: writer.written,
    read(bytes) {
      const response = new WireReader(bytes);
      const found: TopicPartitionOffset[] = [];
      response.int32();
      response.list(() => {
        const topic = response.string();
        response.list(() => {
          const partition = response.int32();
          response.succeeded();
          response.int64();
          found.push({ topic, partition, offset: Number(response.int64()) });
        });
      });
      return found;
    },
  };
}

/** The next offset of a group in one partition; null if it never committed. */
export function committedRequest(group: string, topic: string, partition: number): BrokerRequest<number | null> {
  const writer = new WireWriter().string(group);
  writer.topics([{ topic, partition }], (wanted) => writer.int32(wanted.partition));
  return {
    ...OFFSET_FETCH,
    body: writer.written,
    read(bytes) {
      const response = new WireReader(bytes);
      response.int32();
      const [found] = response
        .list(() => {
          response.string();
          return response.list(() => {
            response.int32();
            const offset = Number(response.int64());
            response.string();
            return { offset, code: response.int16() };
          });
        })
        .flat();
      response.succeeded();
      if (found!.code !== 0) throw protocolError(found!.code);
      return found!.offset < 0 ? null : found!.offset;
    },
  };
}
