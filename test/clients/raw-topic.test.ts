// The raw topic as data engineers read it: the consumers of examples/raw-topic and kcat print exactly the sent frames, on a real broker.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Batcher } from '../../pipeline/ingest/batcher.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../pipeline/log/open-cluster.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { FLAG_LONG, PACKED_DATA, PACKED_FLAGS, PACKED_FRAME_BYTES, packedReceiver, packedTimeUs } from '../../schemas/packed-frame.ts';
import { FRAME_PARTITIONS_CLUSTER, topics } from '../../schemas/topics.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { pythonPackages } from '../support/python.ts';
import { debianProgram, projectDir } from '../support/requirements.ts';

const AIRCRAFT = 200;
const SECONDS = 4;
const STEP_US = 10_000;
/** Recent, because the topic refuses records that it would delete at once. */
const START_US = (Date.now() - 60_000) * 1000;
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

/** Sends simulated traffic through the ingest's batcher into the log. */
async function sendTraffic({ log, codecs }: OpenCluster, sent: SentRecord[]): Promise<void> {
  let nowUs = START_US;
  const receivers = new ReceiverTable();
  const append = async (partition: number, batches: readonly FrameBatch[]): Promise<void> => {
    const records = frameRecords(codecs, batches);
    const last = await log.append('frames', partition, records);
    batches.forEach((batch, i) => {
      const { timestampMs, value } = records[i]!;
      const offset = last - batches.length + 1 + i;
      sent.push({ partition, offset, timestampMs, value: value!, lines: linesOf(batch, partition, offset) });
    });
  };
  const onFailure = (error: unknown): void => {
    throw error;
  };
  const batcher = new Batcher({
    partitions: log.partitions('frames'),
    receivers,
    counters: new Counters(),
    append,
    onFailure,
    nowUs: () => nowUs,
  });
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 1, startUs: START_US });
  const numbers = traffic.receivers.map(({ id }) => receivers.acquire(id));
  while (nowUs < START_US + SECONDS * 1e6) {
    nowUs += STEP_US;
    traffic.advance(nowUs, (frame) => {
      frame.receiver = numbers[frame.receiver]!;
      batcher.add(frame);
    });
    batcher.tick(nowUs);
    batcher.heartbeat(nowUs);
  }
  await batcher.drain();
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
  expect(existsSync(command)).toBe(true);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const deadline = performance.now() + READ_MS_MAX;
  while (out.split('\n').length <= count && performance.now() < deadline && child.exitCode === null) await sleep(50);
  await sleep(SETTLE_MS);
  child.kill('SIGKILL');
  await closed;
  if (out === '') throw new Error(`${command} printed nothing: ${err}`);
  return out.trimEnd().split('\n');
}
