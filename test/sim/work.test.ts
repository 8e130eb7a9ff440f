// Work instead of time: what a frame allocates, what a tick writes to the log and reads from it, and what a request reads.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Closer, closeAll } from '../../infra/services/closing.ts';
import { startFlights } from '../../infra/services/stages/flights-service.ts';
import { startFold } from '../../infra/services/stages/fold-service.ts';
import { openReadModel } from '../../infra/services/ways-in/read-model.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { framePartition } from '../../pipeline/ingest/partition.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type OutgoingRecords, recordsOf } from '../../pipeline/log/record-block.ts';
import { cursorOf } from '../../pipeline/log/record-cursor.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { createQueryApi } from '../../query-api/http/app.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { batches } from '../bench/frames.ts';
import { START_US, trafficSeconds } from '../properties/traffic.ts';
import { emptyLog } from '../support/folded-log.ts';
import { projectDir } from '../support/requirements.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 1500;
const SECONDS = 40;
/**
 * A frame allocates no object, not even V8's 16-byte boxes of numbers beyond small integers that cross a call which is not inlined: such
 * numbers stay in fields, and only integers are passed. Ticks and records allocate 0.8 bytes a frame.
 */
const BYTES_PER_FRAME_MAX = 1.5;

/**
 * V8 samples every allocation of some hundred thousand frames, with the function that made it. The heap is so large that no collection runs.
 * Runs in a separate process, compiled code. The first rounds compile it. What V8 itself keeps on the heap for its compilers has no function of
 * the product, so it is not counted.
 */
const script = `
  import { Session } from 'node:inspector/promises';
  import { batches, simulatedFrames } from './dist/modules/test/bench/frames.js';
  import { PartitionFold } from './dist/modules/pipeline/fold/partition-fold.js';
  import { tuneForFold } from './dist/modules/pipeline/runtime/v8-flags.js';
  tuneForFold();
  const records = batches(simulatedFrames(${AIRCRAFT}, ${SECONDS}));
  const half = records.length >> 1;
  const foldAll = (from, to, fold) => {
    let frames = 0;
    for (let i = from; i < to; i += 1) {
      fold.apply(records[i], i, null);
      frames += records[i].count;
    }
    return frames;
  };
  const foldFirstHalf = () => {
    const fold = new PartitionFold({ tickMs: 1000, receiver: null });
    foldAll(0, half, fold);
    return fold;
  };
  for (let round = 0; round < 4; round += 1) foldAll(half, records.length, foldFirstHalf());
  const fold = foldFirstHalf();
  gc();
  const session = new Session();
  session.connect();
  const garbageToo = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post('HeapProfiler.startSampling', { samplingInterval: 16, ...garbageToo });
  const frames = foldAll(half, records.length, fold);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  const functions = [];
  const visit = ({ callFrame: { functionName, url, lineNumber }, selfSize, children }) => {
    const [, module] = url.split('/dist/modules/pipeline/');
    if (module !== undefined && selfSize > 0) functions.push({ name: functionName + ' ' + module + ':' + (lineNumber + 1), bytes: selfSize });
    children.forEach(visit);
  };
  visit(profile.head);
  console.log(JSON.stringify({ frames, functions: functions.sort((a, b) => b.bytes - a.bytes) }));
`;

it('allocates no object per frame', { timeout: 120_000 }, async () => {
  const flags = ['--expose-gc', '--min-semi-space-size=1024', '--max-semi-space-size=1024', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: projectDir });
  const { frames, functions } = JSON.parse(stdout) as { frames: number; functions: { name: string; bytes: number }[] };
  expect(frames).toBeGreaterThan(100_000);
  const bytes = functions.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytes, 'the profile has the objects of ticks').toBeGreaterThan(0);
  expect(bytes / frames, JSON.stringify(functions.slice(0, 5))).toBeLessThan(BYTES_PER_FRAME_MAX);
});

const FLEET = 300;
const TICKS = 10;
/** States, positions, progress and flights take 31 bytes. */
const WRITTEN_BYTES_PER_FRAME_MAX = 40;
/** View and flights read the states. */
const READERS = { frames: 1, aircraft: 2, positions: 1, progress: 1, flights: 1 } as const;
/** A reader may see the second of two ticks twice, and restores what is there at its start. */
const REREAD_SHARE_MAX = 0.5;
const topicsRead = Object.keys(READERS) as (keyof typeof READERS)[];

/** What passes through a log, by kind and topic or group. */
function counted(log: EventLog): (what: string) => number {
  const counts = new Map<string, number>();
  const add = (what: string, by: number): void => void counts.set(what, (counts.get(what) ?? 0) + by);
  const [read, append, commit] = [log.read.bind(log), log.append.bind(log), log.commit.bind(log)];
  const written = (topic: TopicId, given: OutgoingRecords): void => {
    const records = recordsOf(given);
    add(`records of ${topic}`, records.length);
    for (let i = 0; i < records.length; i += 1) add(`bytes written to ${topic}`, Math.max(0, records.valueBytes(i)));
  };
  vi.spyOn(log, 'read').mockImplementation(async function* (request) {
    // Feeders are looked up by the clock.
    if (request.topic !== 'feeders') add('reads', 1);
    for await (const batch of read(request)) {
      for (const record = cursorOf(batch); record.next(); ) add(`bytes read from ${batch.topic}`, Math.max(0, record.end - record.start));
      yield batch;
    }
  });
  vi.spyOn(log, 'append').mockImplementation((topic, partition, records) => {
    written(topic, records);
    return append(topic, partition, records);
  });
  vi.spyOn(log, 'commit').mockImplementation((given) => {
    add(`commits of ${given.group}`, 1);
    for (const { topic, records } of given.outputs) written(topic, records);
    return commit(given);
  });
  return (what) => counts.get(what) ?? 0;
}

it('commits a tick at once, reads its bytes once for each reader, and reads nothing for requests', async () => {
  const data = await emptyLog();
  const { log, codecs } = data;
  const count = counted(log);
  const logger = pino({ level: 'silent' });
  const closers: Closer[] = [];
  onTestFinished(() => closeAll(closers, logger).then(() => {}));
  const shared = { log, codecs, logger, referenceFolder: null };
  for (const stage of [await startFold({ ...shared, receiver: null }), await startFlights(shared)]) closers.push(() => stage.stop());
  const reasons = { heldReason: () => null, feedAdvice: () => null };
  const served = { registry: new Registry(), readiness: new Readiness(), site: null, hasTracks: true };
  const model = await openReadModel({ ...shared, ...reasons, ...served }, closers);
  const api = createQueryApi(model, { registry: new Registry() });

  const partitions = log.partitions('frames');
  const traffic = trafficSeconds({ aircraft: FLEET, seed: 1 });
  const shiftUs = Date.now() * 1000 - TICKS * 1e6 - START_US;
  let [frames, readsAtStart] = [0, 0];
  for (let tick = 0; tick < TICKS; tick += 1) {
    const heard = traffic.next().value.map((frame) => ({ ...frame, timeUs: frame.timeUs + shiftUs }));
    for (let partition = 0; partition < partitions; partition += 1) {
      const own = heard.filter(({ bytes }) => framePartition(bytes, 0, bytes.length === 7 ? 7 : 14, partitions) === partition);
      await log.append('frames', partition, frameRecords(codecs, batches(own)));
    }
    frames += heard.length;
    const isRead = () =>
      topicsRead.every((topic) => count(`bytes read from ${topic}`) >= READERS[topic] * count(`bytes written to ${topic}`));
    await until(() => count('records of progress') >= tick * partitions && isRead());
    // Readers have restored what they need.
    if (tick === 3) readsAtStart = count('reads');
  }
  for (const topic of topicsRead) {
    const times = count(`bytes read from ${topic}`) / count(`bytes written to ${topic}`);
    expect(times, topic).toBeLessThan(READERS[topic] + REREAD_SHARE_MAX);
  }
  // A tick of a partition.
  const ticks = count('records of progress');
  expect(ticks).toBeGreaterThanOrEqual((TICKS - 1) * partitions);
  for (const what of ['commits of fold', 'commits of flights', 'records of positions'])
    expect(count(what), what).toBeLessThanOrEqual(ticks);
  expect(count('records of aircraft')).toBeLessThanOrEqual((FLEET * ticks) / partitions);
  const bytes = topicsRead.reduce((sum, topic) => sum + (topic === 'frames' ? 0 : count(`bytes written to ${topic}`)), 0);
  expect(bytes / frames).toBeLessThan(WRITTEN_BYTES_PER_FRAME_MAX);
  expect(count('reads') - readsAtStart, 'reads of the states of each tick').toBeLessThanOrEqual(ticks);

  const before = count('reads');
  const { ac } = (await api.inject({ url: '/v2/all' })).json<{ ac: { hex: string; lat?: number; lon?: number }[] }>();
  const { hex, lat, lon } = ac.find((aircraft) => aircraft.lat !== undefined)!;
  const circle = `/v2/lat/${lat}/lon/${lon}/dist/250`;
  for (const url of ['/v2/stats', `/v2/hex/${hex}`, circle, `/v2/aircraft/${hex}/track`, '/v2/flights', '/data/aircraft.json'])
    expect((await api.inject({ url })).statusCode, url).toBe(200);
  expect(count('reads') - before).toBe(0);
});
