// Size of a second of the world's traffic in each topic, plain and compressed as by Kafka's producers: the basis of infra/README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TickOutputs } from '../../pipeline/fold/tick-outputs.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { Batcher } from '../../pipeline/ingest/batcher.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import { ZSTD_LEVEL } from '../../pipeline/log/kafka/compression.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { listOf, type OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { zstd } from '../../pipeline/runtime/zstd.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { FRAME_PARTITIONS_CLUSTER, type TopicId } from '../../schemas/topics.ts';
import { type Bench, costFigure, type Figure } from './harness.ts';

const AIRCRAFT = 15_000;
const START_US = 1_700_000_000_000_000;
const STEP_US = 10_000;
/** Warm-up: the fold must know the aircraft before its outputs are typical. */
const WARM_UP_S = 30;
const MEASURED_S = 10;

/** Bytes of keys and values, plain, compressed, and as JSON lines. */
interface Volume {
  records: number;
  bytes: number;
  compressed: number;
  json: number;
}

export const volumesBench: Bench = {
  name: 'volumes',
  summary: 'bytes per second and topic of 15,000 aircraft',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
    // A log for its registry only: nothing is appended.
    const { log, codecs } = await openData(folder, 'write');
    try {
      return await measureVolumes(codecs);
    } finally {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureVolumes(codecs: Codecs): Promise<Figure[]> {
  const folds = Array.from({ length: FRAME_PARTITIONS_CLUSTER }, () => new PartitionFold({ tickMs: TICK_MS, receiver: null }));
  const outputs = folds.map((_, partition) => new TickOutputs(codecs, partition));
  const offsets = folds.map(() => 0);
  const volumes = new Map<TopicId, Volume>();
  let frames = 0;
  let positions = 0;
  let measuring = false;
  const weigh = (topic: TopicId, records: readonly OutgoingRecord[]): void => {
    if (!measuring) return;
    const volume = volumes.get(topic) ?? { records: 0, bytes: 0, compressed: 0, json: 0 };
    const plain = Buffer.concat(records.flatMap(({ key, value }) => [Buffer.from(key ?? ''), Buffer.from(value ?? [])]));
    volume.records += records.length;
    volume.bytes += plain.length;
    volume.compressed += zstd!.compressSync(plain, ZSTD_LEVEL).length;
    for (const { value } of records) volume.json += value === null ? 2 : jsonLength(codecs, topic, value);
    volumes.set(topic, volume);
  };
  const append = async (partition: number, batches: readonly FrameBatch[]): Promise<void> => {
    // One produce request of kafkajs is one compressed batch.
    weigh('frames', frameRecords(codecs, batches));
    for (const batch of batches) {
      if (measuring) frames += batch.count;
      folds[partition]!.apply({ ...batch, frames: batch.frames.slice() }, offsets[partition]!, (tick) => {
        if (measuring) positions += tick.positions.count;
        outputs[partition]!.addTick(tick);
      });
      offsets[partition]! += 1;
      for (const { topic, records } of outputs[partition]!.take('all')) weigh(topic, listOf(records));
    }
  };

  let nowUs = START_US;
  const receivers = new ReceiverTable();
  const batcher = new Batcher({
    partitions: folds.length,
    receivers,
    counters: new Counters(),
    append,
    onFailure: (error) => {
      throw error;
    },
    nowUs: () => nowUs,
  });
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 1, startUs: START_US });
  const numbers = traffic.receivers.map(({ id }) => receivers.take(id));
  for (const endUs = START_US + (WARM_UP_S + MEASURED_S) * 1e6; nowUs < endUs; ) {
    nowUs += STEP_US;
    measuring = nowUs > START_US + WARM_UP_S * 1e6;
    traffic.advance(nowUs, (frame) => {
      frame.receiver = numbers[frame.receiver]!;
      batcher.add(frame);
    });
    batcher.tick(nowUs);
    // Appends settle between steps, as they do in real time.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const snapshotBytes = folds.reduce((sum, fold) => sum + fold.snapshot().length, 0);
  return figures({ volumes, frames: frames / MEASURED_S, positions: positions / MEASURED_S, snapshotBytes });
}

interface Measured {
  readonly volumes: ReadonlyMap<TopicId, Volume>;
  /** Per second. */
  readonly frames: number;
  readonly positions: number;
  readonly snapshotBytes: number;
}

function figures({ volumes, frames, positions, snapshotBytes }: Measured): Figure[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  const found: Figure[] = [];
  for (const topic of ['frames', 'positions', 'aircraft'] as const) {
    const { records, bytes, compressed, json } = volumes.get(topic)!;
    const perSecond = records / MEASURED_S;
    const items = topic === 'frames' ? `${whole(frames)} frames` : topic === 'positions' ? `${whole(positions)} positions` : 'states';
    const input = `${whole(AIRCRAFT)} aircraft, ${items} in ${whole(perSecond)} records a second; reference: the same as JSON lines`;
    found.push(costFigure(`volume-${topic}`, 'B/s', bytes / MEASURED_S, json / MEASURED_S, input));
    found.push(
      costFigure(
        `volume-${topic}-zstd`,
        'B/s',
        compressed / MEASURED_S,
        bytes / MEASURED_S,
        `compressed by append, level ${ZSTD_LEVEL}; reference: plain`,
      ),
    );
  }
  const statesJson = volumes.get('aircraft')!.json / MEASURED_S;
  found.push(
    costFigure('volume-snapshot', 'B', snapshotBytes, statesJson, 'one snapshot of all partitions; reference: the states as JSON lines'),
  );
  return found;
}

function jsonLength(codecs: Codecs, topic: TopicId, value: Uint8Array): number {
  if (topic === 'frames') {
    const { frames, ...rest } = codecs.FrameBatch.decode(value);
    return JSON.stringify({ ...rest, frames: Buffer.from(frames).toString('hex') }).length;
  }
  if (topic === 'positions') return JSON.stringify(codecs.PositionBatch.decode(value)).length;
  if (topic === 'aircraft') return JSON.stringify(codecs.AircraftState.decode(value)).length;
  return JSON.stringify(codecs.FoldProgress.decode(value)).length;
}
