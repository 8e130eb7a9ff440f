// While the log is unavailable, the ingest keeps frames and feeder events and continues.
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { appendPart } from '../../../pipeline/feeders/feeder-writer.ts';
import { BeastWriter } from '../../../pipeline/ingest/beast-writer.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { openData } from '../../../pipeline/log/open-data.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { createReceivedFrame } from '../../../schemas/packed-frame.ts';
import { testIds, testSecret } from '../../../test/support/secret.ts';
import { temporaryFolder } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { startIngest } from './ingest-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('keeps frames and events that arrive while the log is unavailable', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const { log, codecs } = await openData(folder.path, 'write');
  let isUnavailable = true;
  let refused = 0;
  const sometimes: EventLog = Object.assign(Object.create(log) as EventLog, {
    append: async (...request: Parameters<EventLog['append']>) => {
      if (!isUnavailable) return log.append(...request);
      refused += 1;
      throw new SquitterError('connect.failed', { address: 'the log', detail: 'unavailable' });
    },
    close: async () => {},
  });
  const ingest = await startIngest({
    log: sometimes,
    codecs,
    secret: testSecret,
    instance: 'test',
    listen: { host: '127.0.0.1', port: 0 },
    feeds: [],
    logger: { info() {}, warn() {} },
  });
  let failed = false;
  ingest.failed.catch(() => {
    failed = true;
  });
  const writer = new BeastWriter();
  for (let i = 1; i <= 10; i += 1) writer.add({ ...createReceivedFrame(Buffer.from('8d4840d6202cc371c32ce0576098', 'hex')), counter: i });
  const socket = connect(Number(ingest.listening.split(':')[1]), '127.0.0.1').on('error', () => {});
  cleanups.push(() => socket.destroy());
  socket.write(writer.take());
  // The batch and the `seen` event.
  while (refused < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  isUnavailable = false;
  await ingest.stop();
  expect(failed).toBe(false);
  let frames = 0;
  for (let partition = 0; partition < log.partitions('frames'); partition += 1)
    for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
      for (const { value } of records) frames += codecs.FrameBatch.decode(value!).count;
  expect(frames).toBe(10);
  const events: string[] = [];
  for await (const { records } of log.read({ topic: 'feeders', partition: 0, from: 'earliest', to: 'end' }))
    events.push(...records.flatMap(({ value }) => (value === null ? [] : (codecs.FeederRecord.decode(value).status?.state ?? []))));
  expect(events).toEqual(['connected', 'gone']);
  await log.close();
});

it('closes the connections of a feeder that is banned, and takes nothing from a new one', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const { log, codecs } = await openData(folder.path, 'write');
  cleanups.push(() => log.close());
  const shared: EventLog = Object.assign(Object.create(log) as EventLog, { close: async () => {} });
  const ingest = await startIngest({
    ...{ log: shared, codecs, secret: testSecret, instance: 'test', listen: { host: '127.0.0.1', port: 0 }, feeds: [] },
    logger: { info() {}, warn() {} },
  });
  cleanups.push(ingest.stop);
  const writer = new BeastWriter();
  writer.add({ ...createReceivedFrame(Buffer.from('8d4840d6202cc371c32ce0576098', 'hex')), counter: 1 });
  const frame = writer.take();
  const feeder = () => {
    const socket = connect(Number(ingest.listening.split(':')[1]), '127.0.0.1');
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {}).write(frame);
    return new Promise((resolve) => socket.once('close', resolve));
  };
  const closed = feeder();
  await until(() => ingest.stats().counters['frames'] === 1, 'the frame');
  const part = { reason: 'noise', sinceMs: 1, addressHash: null };
  await appendPart({ log, codecs }, 'ban', { id: testIds.ofAddress('127.0.0.1'), part, timeMs: 1 });
  await closed;
  await feeder();
  expect(ingest.stats().counters).toMatchObject({ frames: 1, banned: 2 });
});
