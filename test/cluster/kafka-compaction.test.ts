// Compaction on a real Kafka leaves batches without records, which hold the last sequence of their producer. A segment may contain nothing else.
// kafkajs does not report them, and its own consumer never gets past them. A read crosses each in one step, however many offsets it had.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { KafkaSockets } from '../../pipeline/log/kafka/connection.ts';
import { type KafkaLog, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { openTransport } from '../../pipeline/log/kafka/kafkajs-transport.ts';
import { fetchRequest } from '../../pipeline/log/kafka/wire/read-requests.ts';
import { range, readAll, whole } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { TestTopics } from '../support/kafka-topics.ts';
import { until } from '../support/until.ts';

const SEGMENT_BYTES = 1024 * 1024;
const VALUE_BYTES = 16 * 1024;
/** In one batch. */
const KEYS = 2000;
const KEYED_BYTES = 40;
const HOUR_MS = 3_600_000;

describeWithKafka('batches that compaction emptied', () => {
  const brokers = sharedKafka();

  /** The first batch of a partition alone, whichever segment the cleaner has put it in. */
  async function firstBatch(namePrefix: string): Promise<{ records: number; end: number }> {
    const sockets = new KafkaSockets();
    const transport = openTransport({ brokers: brokers(), clientId: 'raw' }, { sockets });
    const topic = `${namePrefix}adsb.aircraft.v1`;
    await transport.connect();
    await transport.addTopics([topic]);
    const broker = await transport.broker(transport.leader(topic, 0)!);
    const partitions = [{ topic, partition: 0, offset: 0 }];
    const { responses } = await broker.send(fetchRequest({ partitions, waitMs: 0, bytesMax: 1, partitionBytesMax: 1 }));
    await sockets.close();
    const { messages, batchesEnd } = responses[0]!.partitions[0]!;
    return { records: messages.length, end: batchesEnd };
  }

  test('do not stop a read or a follower, in the middle or at the start', async () => {
    const topics = await TestTopics.create(brokers(), 1);
    const { namePrefix } = topics;
    await topics.cleanEagerly('aircraft');
    await topics.set('aircraft', { 'segment.bytes': String(SEGMENT_BYTES), 'min.compaction.lag.ms': String(HOUR_MS) });
    const open = (): Promise<KafkaLog> => openKafkaLog({ connection: { brokers: brokers(), clientId: 'compaction' }, namePrefix });
    const keys = range(KEYS).map((i) => `k${i}`);
    const startMs = Date.now() - 10_000;
    // Record times close segments: one with the keys, one or two with what follows, one with the keys again.
    const append = (log: KafkaLog, keyed: readonly string[], afterMs: number, valueBytes: number) =>
      log.append(
        'aircraft',
        0,
        keyed.map((key) => ({ key, value: randomBytes(valueBytes), timestampMs: startMs + afterMs })),
      );
    // The first producer ends; only its last batch will be left of the first segment. The cleaner merges segments that fit into one.
    const first = await open();
    await append(first, keys, 1000, KEYED_BYTES);
    await first.close();
    const log = await open();
    const written = range(SEGMENT_BYTES / VALUE_BYTES).map(String);
    for (const key of written) await append(log, [key], 2000, VALUE_BYTES);
    await append(log, keys, 3000, KEYED_BYTES);
    await topics.closeSegment('aircraft', 0);
    await topics.set('aircraft', { 'min.compaction.lag.ms': '0' });
    await topics.untilCompacted(log, 'aircraft', 0, (seen) => new Set(seen).size === seen.length);
    // Proof of the condition: no record is left of the first batch, and one fetch is enough to cross it.
    expect(await firstBatch(namePrefix)).toEqual({ records: 0, end: KEYS });

    const all = await readAll(log, whole('aircraft'));
    expect(all.map(({ key }) => key)).toEqual([...written, ...keys]);
    const followed: (string | null)[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const batch of log.read({ topic: 'aircraft', partition: 0, from: 'earliest', to: 'follow', signal: stop.signal }))
        followed.push(...batch.records.map(({ key }) => key));
    })();
    await until(() => followed.length === all.length, 'the follower has read all');
    expect(followed).toEqual(all.map(({ key }) => key));
    stop.abort();
    await following;
    await log.close();
  });
});
