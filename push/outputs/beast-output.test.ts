// Beast records of a log over real sockets. test/clients/outputs has the output of SBS.
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { AvroWriter } from '../../pipeline/avro/writer.ts';
import { Batcher } from '../../pipeline/ingest/batcher.ts';
import { createParser } from '../../pipeline/ingest/detect.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { createReceivedFrame, FLAG_MLAT, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { openBeastOutput } from './beast-output.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ADDRESS = { host: '127.0.0.1', port: 0, log: () => {} };

function client(port: number): { bytes(): Buffer; close(): void } {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  cleanups.push(() => socket.destroy());
  return { bytes: () => Buffer.concat(chunks), close: () => socket.destroy() };
}

const LONG = '8d4b969699155600e87406f5b69f';
const SHORT = '5d4d20237a55a6';
const OTHER = '8d4d2023991568a3581c1a000000';

function frame(hex: string, fields: Partial<ReceivedFrame> = {}): ReceivedFrame {
  const bytes = new Uint8Array(16);
  const given = Uint8Array.from(Buffer.from(hex, 'hex'));
  bytes.set(given);
  return { ...createReceivedFrame(bytes, 0, given.length as 7 | 14), timeUs: Date.now() * 1000, ...fields };
}

async function writableLog() {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const { log, codecs } = await openData(folder.path, 'write');
  cleanups.push(() => log.close());
  const writer = new AvroWriter();
  const receivers = new ReceiverTable();
  const append = async (...frames: ReceivedFrame[]): Promise<void> => {
    const batcher = new Batcher({
      partitions: log.partitions('frames'),
      receivers,
      counters: new Counters(),
      append: async (partition, batches) => {
        await log.append('frames', partition, frameRecords(codecs, batches, writer));
      },
      onFailure: (error) => {
        throw error;
      },
      nowUs: () => Date.now() * 1000,
    });
    for (const each of frames) batcher.add(each);
    await batcher.drain();
  };
  return { log, codecs, append };
}

/** Frames in a Beast stream, as text. */
function framesIn(bytes: Uint8Array): string[] {
  const found: string[] = [];
  const counters = new Counters();
  createParser('beast', { counters }).push(bytes, 0, {
    frame: ({ bytes: from, at, byteLength, counter, signal, flags }) => {
      const hex = Buffer.from(from.subarray(at, at + byteLength)).toString('hex');
      found.push(`${hex} ${counter} ${signal} ${(flags & FLAG_MLAT) === 0 ? '' : 'mlat'}`.trim());
    },
  });
  expect(Object.fromEntries(counters.values)['garbage_bytes'] ?? 0).toBe(0);
  return found;
}

test('frames of all partitions with counter and signal, from the connection on, read only while there is a client; failures of the log', async () => {
  const { log, codecs, append } = await writableLog();
  const read = vi.spyOn(log, 'read');
  const output = await openBeastOutput({ log, codecs }, { ...ADDRESS, flag: '--beast-out' });
  cleanups.push(() => output.close());
  await append(frame(LONG));
  expect(read).not.toHaveBeenCalled();
  const first = client(output.port);
  await until(() => read.mock.calls.length === log.partitions('frames'), 'all partitions are followed');
  await append(
    frame(LONG, { counter: 0x1a1a_1a1a_1a1a, signal: 0x1a }),
    frame(SHORT, { counter: 12, signal: 255 }),
    frame(OTHER, { flags: FLAG_MLAT }),
  );
  await until(() => framesIn(first.bytes()).length === 3, 'three frames');
  expect(framesIn(first.bytes()).sort()).toEqual([`${SHORT} 12 255`, `${LONG} ${0x1a1a_1a1a_1a1a} 26`, `${OTHER} 0 0 mlat`]);
  first.close();
  await until(() => output.stats().clients === 0, 'the client is gone');
  await append(frame(SHORT));
  const deleted = new SquitterError('log.offset_out_of_range', { offset: 1, topic: 'frames', partition: 0, earliest: 2, next: 3 });
  read.mockImplementationOnce(() => {
    throw deleted;
  });
  const second = client(output.port);
  await until(() => read.mock.calls.length === 2 * log.partitions('frames') + 1, 'following again');
  await log.append('frames', 0, [{ key: null, value: Buffer.from('nonsense'), timestampMs: Date.now() }]);
  await append(frame(SHORT, { signal: 7 }));
  await until(() => framesIn(second.bytes()).length === 1, 'one frame');
  expect(framesIn(second.bytes())).toEqual([`${SHORT} 0 7`]);
  await until(() => output.stats().skipped.unreadable === 1, 'the record is counted');
  expect(output.stats()).toMatchObject({ skipped: { unreadable: 1, deleted: 1 }, dropped: { behind: 0 } });
  second.close();
  await until(() => output.stats().clients === 0, 'no client');
  vi.spyOn(log, 'bounds').mockRejectedValueOnce(new Error('the disk fails'));
  client(output.port);
  await expect(output.failed).rejects.toThrow('the disk fails');
});
