// The raw topic as data engineers read it: the consumers of examples/raw-topic and kcat print exactly the sent frames, on a real broker.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../pipeline/log/open-cluster.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { FLAG_LONG, PACKED_DATA, PACKED_FLAGS, PACKED_FRAME_BYTES, packedReceiver, packedTimeUs } from '../../schemas/packed-frame.ts';
import { FRAME_PARTITIONS_CLUSTER, topics } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { debianProgram, projectDir, pythonPackages } from '../support/requirements.ts';
import { TestProgram } from '../support/service.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 200;
const SECONDS = 4;
const FRAMES_PER_RECORD = 100;
/** From the first simulated frame to a minute ago: the topic refuses records that it would delete at once. */
const LATER_US = 1000 * (Date.now() - 60_000 - 1_700_000_000_000);
const READ_MS_MAX = 120_000;
/** A consumer that prints too much does so within this time. */
const SETTLE_MS = 300;

const python = pythonPackages();
const kcat = debianProgram('kcat');
const example = (file: string): string => join(projectDir, 'examples/raw-topic', file);

interface SentRecord {
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
  readonly value: Uint8Array;
  /** Frames in the format of the consumers. */
  readonly lines: readonly string[];
}

describe('the example consumers', () => {
  test.each(['read.js', 'read.py'])('%s has 20 lines without comments and blank ones', (file) => {
    const lines = readFileSync(example(file), 'utf8').split('\n');
    expect(lines.filter((line) => line.trim() !== '' && !/^\s*(\/\/|#)/.test(line)).length).toBeLessThanOrEqual(20);
  });
});

describeWithKafka('the raw topic', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const sent: SentRecord[] = [];
  let expected: string[] = [];

  beforeAll(async () => {
    const kafka = { brokers: brokers(), clientId: 'test' };
    await ensureTopics(kafka, { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS_CLUSTER });
    const cluster = await openCluster({ kafka, registry: { url: registry() } });
    await sendTraffic(cluster, sent);
    await cluster.log.close();
    expected = sent.flatMap(({ lines }) => lines);
    expect(expected.length).toBeGreaterThan(3000);
  });

  test('the consumer in Node prints every frame that was sent, in the order of its partition', async () => {
    const printed = await readLines(process.execPath, [example('read.js'), brokers()[0]!, registry()], expected.length);
    expect(byPartition(printed)).toEqual(byPartition(expected));
  });

  test.skipIf(!python.met)(`the consumer in Python prints the same ${python.reason}`, async () => {
    const printed = await readLines(python.path, [example('read.py'), brokers()[0]!, registry()], expected.length);
    expect(byPartition(printed)).toEqual(byPartition(expected));
  });

  test.skipIf(!kcat.met)(`kcat prints the offsets of records, and their unchanged bytes ${kcat.reason}`, () => {
    const run = (...args: string[]): Buffer =>
      execFileSync(kcat.path, ['-b', brokers()[0]!, '-t', topics.frames.name, ...args], { timeout: READ_MS_MAX });
    expect(String(run('-L'))).toContain(`topic "${topics.frames.name}" with ${FRAME_PARTITIONS_CLUSTER} partitions`);
    const records = sent.filter(({ partition }) => partition === 8);
    const listed = String(run('-C', '-p', '8', '-o', 'beginning', '-e', '-q', '-f', '%p %o %T %S\n'));
    expect(listed).toBe(records.map(({ offset, timestampMs, value }) => `8 ${offset} ${timestampMs} ${value.length}\n`).join(''));
    const middle = records[Math.floor(records.length / 2)]!;
    const found = records.find(({ timestampMs }) => timestampMs >= middle.timestampMs)!;
    expect(String(run('-C', '-p', '8', '-o', `s@${middle.timestampMs}`, '-c', '1', '-q', '-f', '%o\n'))).toBe(`${found.offset}\n`);
    expect(run('-C', '-p', '8', '-o', 'beginning', '-c', '1', '-q', '-D', '').equals(records[0]!.value)).toBe(true);
  });
});

/** Sends simulated traffic to two partitions. */
async function sendTraffic({ log, codecs }: OpenCluster, sent: SentRecord[]): Promise<void> {
  const recent = simulatedFrames(AIRCRAFT, SECONDS).map((frame) => ({ ...frame, timeUs: frame.timeUs + LATER_US }));
  for (const [i, batch] of batches(recent, FRAMES_PER_RECORD).entries()) {
    const partition = [3, 8][i % 2]!;
    const [record] = frameRecords(codecs, [batch]);
    const offset = await log.append('frames', partition, [record!]);
    sent.push({ partition, offset, timestampMs: record!.timestampMs, value: record!.value!, lines: linesOf(batch, partition, offset) });
  }
}

/** The frames of a batch in the format of the consumers. */
function linesOf({ baseTimeUs, receivers, count, frames }: FrameBatch, partition: number, offset: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const at = i * PACKED_FRAME_BYTES;
    const length = (frames[at + PACKED_FLAGS]! & FLAG_LONG) === 0 ? 7 : 14;
    const hex = Buffer.from(frames.subarray(at + PACKED_DATA, at + PACKED_DATA + length)).toString('hex');
    return [partition, offset, i, baseTimeUs + packedTimeUs(frames, at), receivers[packedReceiver(frames, at)], hex].join(',');
  });
}

/** Lines by partition, in order. */
function byPartition(lines: readonly string[]): Map<string, string[]> {
  const partitions = new Map<string, string[]>();
  for (const line of lines) {
    const partition = line.split(',')[0]!;
    partitions.set(partition, [...(partitions.get(partition) ?? []), line]);
  }
  return new Map([...partitions].sort(([a], [b]) => Number(a) - Number(b)));
}

/** Runs a program without an end until it has printed this number of lines, and a little longer. */
async function readLines(command: string, args: readonly string[], count: number): Promise<string[]> {
  const program = new TestProgram([command, ...args]);
  // kafkajs writes errors that pass between them.
  const lines = (): string[] => program.output().match(/^\d.*\n/gm) ?? [];
  await until(() => !program.running || lines().length >= count, 'the lines');
  await sleep(SETTLE_MS);
  await program.kill();
  return lines().map((line) => line.trimEnd());
}
