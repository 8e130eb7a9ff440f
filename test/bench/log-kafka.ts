// The log on a real Kafka, in frames per second: appends by frames per record and by codec, reads, and the cost of a transaction.
// The reference is plain kafkajs with a record per frame.
import { performance } from 'node:perf_hooks';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import { type Codecs, openCodecs } from '../../pipeline/log/codec.ts';
import type { KafkaCompression } from '../../pipeline/log/kafka/compression.ts';
import { type KafkaLog, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { limits } from '../../schemas/limits.ts';
import { PACKED_FRAME_BYTES } from '../../schemas/packed-frame.ts';
import { type LocalKafka, startKafka } from '../local/kafka.ts';
import { batches, repeated, simulatedFrames } from './frames.ts';
import { type Bench, costFigure, type Figure, rateFigure } from './harness.ts';

/** Frames per record, and frames of a run; the last is as of a busy ingest. */
const SIZES = [
  { perRecord: 1, frames: 64_000 },
  { perRecord: 50, frames: 512_000 },
  { perRecord: 500, frames: 1_024_000 },
  { perRecord: Math.floor(limits.frameBatchBytesMax / PACKED_FRAME_BYTES), frames: 2_048_000 },
] as const;
const LARGEST = SIZES[SIZES.length - 1]!;
const CODECS: readonly KafkaCompression[] = ['none', 'gzip', 'zstd'];
const PARTITIONS = 2;
/** Frames per append, and concurrent appends in a partition. */
const FRAMES_PER_APPEND = 16_000;
const APPENDS_PER_PARTITION = 2;
const RECORDS_PER_SEND = 500;
const RUNS = 3;
const COMMITS = 100;
const COMMIT_RECORDS = 20;

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;

/** Codecs without a registry: only the log is measured. */
function plainCodecs(): Promise<Codecs> {
  const schemas: object[] = [];
  const idOf = (schema: object): number => (schemas.includes(schema) ? schemas.indexOf(schema) : schemas.push(schema) - 1) + 1;
  const schemaNow = (id: number) => avroType(schemas[id - 1]!);
  return openCodecs({
    register: async (_, schema) => idOf(schema),
    find: async (_, schema) => idOf(schema),
    versions: async () => [],
    schema: async (id) => schemaNow(id),
    schemaNow,
  });
}

class KafkaBench {
  private readonly connection: { readonly brokers: string[]; readonly clientId: string };
  private readonly codecs: Codecs;
  private readonly source = repeated(simulatedFrames(1500, 4), FRAMES_PER_APPEND);
  private logs = 0;

  constructor({ brokers }: LocalKafka, codecs: Codecs) {
    this.connection = { brokers, clientId: 'bench' };
    this.codecs = codecs;
  }

  /** A log with its own topics. */
  async open(compression: KafkaCompression): Promise<KafkaLog> {
    this.logs += 1;
    const names = { namePrefix: `bench-${this.logs}.`, retention: 'forever' } as const;
    await ensureTopics(this.connection, { ...names, create: true, replicationFactor: 1, framePartitions: PARTITIONS });
    return openKafkaLog({ ...names, connection: this.connection, compression });
  }

  /** Frames per second: appended and acknowledged, then read from the start and decoded. */
  async frames(compression: KafkaCompression, perRecord: number, frames: number): Promise<{ append: number; read: number }> {
    const log = await this.open(compression);
    const values = batches(this.source, perRecord);
    const append = async (partition: number, share: number): Promise<void> => {
      for (let done = 0; done < share; done += FRAMES_PER_APPEND) await log.append('frames', partition, frameRecords(this.codecs, values));
    };
    const lanes = PARTITIONS * APPENDS_PER_PARTITION;
    const start = performance.now();
    await Promise.all(Array.from({ length: lanes }, (_, lane) => append(lane % PARTITIONS, frames / lanes)));
    const middle = performance.now();
    let read = 0;
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
        for (const { value } of records) read += this.codecs.FrameBatch.decode(value!).count;
    const end = performance.now();
    await log.close();
    return { append: (read / (middle - start)) * 1000, read: (read / (end - middle)) * 1000 };
  }

  async medianFrames(compression: KafkaCompression, perRecord: number, frames: number): Promise<{ append: number; read: number }> {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await this.frames(compression, perRecord, frames));
    return { append: median(runs.map(({ append }) => append)), read: median(runs.map(({ read }) => read)) };
  }

  /** The same with plain kafkajs: a record per frame, large sends, its own consumer. */
  async plainFrames(frames: number): Promise<{ append: number; read: number }> {
    const kafka = new Kafka({ ...this.connection, logLevel: logLevel.NOTHING });
    const topic = `plain-${performance.now()}`;
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }], waitForLeaders: true });
    await admin.disconnect();
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const value = Buffer.alloc(PACKED_FRAME_BYTES, 0x8d);
    const send = async (partition: number): Promise<void> => {
      const messages = Array.from({ length: RECORDS_PER_SEND }, () => ({ partition, value }));
      for (let done = 0; done < frames / PARTITIONS; done += RECORDS_PER_SEND) await producer.send({ topic, messages });
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => send(partition)));
    const appendMs = performance.now() - start;
    await producer.disconnect();

    const consumer = kafka.consumer({ groupId: topic, maxWaitTimeInMs: 100 });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    let read = 0;
    let firstMs = 0;
    const readMs = await new Promise<number>((resolve) => {
      void consumer.run({
        eachBatch: async ({ batch }) => {
          if (read === 0) firstMs = performance.now();
          for (const { value } of batch.messages) read += value!.length / PACKED_FRAME_BYTES;
          if (read >= frames) resolve(performance.now() - firstMs);
        },
      });
    });
    await consumer.disconnect();
    return { append: (frames / appendMs) * 1000, read: (frames / readMs) * 1000 };
  }

  /** Milliseconds of one commit, in sequence, and of an append of the same records. */
  async commits(): Promise<{ commit: number; append: number }> {
    const log = await this.open('zstd');
    const records: OutgoingRecord[] = Array.from({ length: COMMIT_RECORDS }, (_, i) => ({
      key: `${i}`,
      value: Buffer.alloc(165, i),
      timestampMs: 1,
    }));
    const outputs = [
      { topic: 'aircraft' as const, partition: 0, records },
      { topic: 'progress' as const, partition: 0, records: records.slice(0, 1) },
    ];
    const commitMs: number[] = [];
    const appendMs: number[] = [];
    for (let i = 0; i < COMMITS; i += 1) {
      const start = performance.now();
      await log.commit({ group: 'bench', topic: 'frames', partition: 0, fromOffset: i, nextOffset: i + 1, outputs });
      const middle = performance.now();
      await Promise.all(outputs.map((output) => log.append(output.topic, output.partition, output.records)));
      commitMs.push(middle - start);
      appendMs.push(performance.now() - middle);
    }
    await log.close();
    return { commit: median(commitMs), append: median(appendMs) };
  }
}

export const logKafkaBench: Bench = {
  name: 'log-kafka',
  summary: 'append, read and commit of the log on a real Kafka of one node on this machine',
  async run() {
    const kafka = await startKafka();
    try {
      const bench = new KafkaBench(kafka, await plainCodecs());
      await bench.frames('zstd', LARGEST.perRecord, LARGEST.frames / 4);
      await bench.plainFrames(SIZES[0].frames);
      const plain = await bench.plainFrames(SIZES[0].frames * 2);
      const figures: Figure[] = [];
      const reference = `reference: kafkajs, a record per frame, ${RECORDS_PER_SEND} per send, no codec`;
      const add = async (compression: KafkaCompression, perRecord: number, frames: number): Promise<void> => {
        const { append, read } = await bench.medianFrames(compression, perRecord, frames);
        const input = `${frames} frames, ${perRecord} per record, ${compression}; acknowledged by all; median of ${RUNS} runs; ${reference}`;
        figures.push(rateFigure(`kafka-append-${perRecord}-${compression}`, 'frames/s', append, plain.append, input));
        figures.push(rateFigure(`kafka-read-${perRecord}-${compression}`, 'frames/s', read, plain.read, `${input}, and its consumer`));
      };
      for (const { perRecord, frames } of SIZES) await add('zstd', perRecord, frames);
      for (const compression of CODECS) if (compression !== 'zstd') await add(compression, LARGEST.perRecord, LARGEST.frames);
      const { commit, append } = await bench.commits();
      const what = `${COMMIT_RECORDS} states, progress and the offset in one transaction, until readers see it`;
      figures.push(
        costFigure('kafka-commit', 'ms', commit, append, `${what}, median of ${COMMITS}; reference: the same records appended without`),
      );
      return figures;
    } finally {
      await kafka.stop();
    }
  },
};
