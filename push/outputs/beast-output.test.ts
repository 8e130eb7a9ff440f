// Beast records of a log over real sockets. test/clients/verify has the output of SBS.
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createParser } from '../../pipeline/ingest/detect.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { createReceivedFrame, FLAG_MLAT, PACKED_FRAME_BYTES, packFrame, type ReceivedFrame, viewOf } from '../../schemas/packed-frame.ts';
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

/** Appends frames, each in a record of its own, to the partitions in turn. */
async function append({ log, codecs }: OpenData, ...frames: readonly (readonly [hex: string, fields?: Partial<ReceivedFrame>])[]) {
  for (const [i, [hex, fields]] of frames.entries()) {
    const bytes = Buffer.from(hex, 'hex');
    const [baseTimeUs, packed] = [Date.now() * 1000, new Uint8Array(PACKED_FRAME_BYTES)];
    packFrame(viewOf(packed), 0, baseTimeUs, { ...createReceivedFrame(bytes, 0, bytes.length as 7 | 14), timeUs: baseTimeUs, ...fields });
    const batch = { baseTimeUs, receivers: [], count: 1, frames: Buffer.from(packed) };
    await log.append('frames', i % log.partitions('frames'), frameRecords(codecs, [batch]));
  }
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
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const data = await openData(folder.path, 'write');
  const { log, codecs } = data;
  cleanups.push(() => log.close());
  const read = vi.spyOn(log, 'read');
  const output = await openBeastOutput({ log, codecs }, { ...ADDRESS, flag: '--beast-out' });
  cleanups.push(() => output.close());
  await append(data, [LONG]);
  expect(read).not.toHaveBeenCalled();
  const first = client(output.port);
  await until(() => read.mock.calls.length === log.partitions('frames'), 'all partitions are followed');
  const [counted, other] = [{ counter: 0x1a1a_1a1a_1a1a, signal: 0x1a }, { flags: FLAG_MLAT }];
  await append(data, [LONG, counted], [SHORT, { counter: 12, signal: 255 }], [OTHER, other]);
  await until(() => framesIn(first.bytes()).length === 3, 'three frames');
  expect(framesIn(first.bytes()).sort()).toEqual([`${SHORT} 12 255`, `${LONG} ${0x1a1a_1a1a_1a1a} 26`, `${OTHER} 0 0 mlat`]);
  first.close();
  await until(() => output.stats().clients === 0, 'the client is gone');
  await append(data, [SHORT]);
  const deleted = new SquitterError('log.offset_out_of_range', { offset: 1, topic: 'frames', partition: 0, earliest: 2, next: 3 });
  read.mockImplementationOnce(() => {
    throw deleted;
  });
  const second = client(output.port);
  await until(() => read.mock.calls.length === 2 * log.partitions('frames') + 1, 'following again');
  await log.append('frames', 0, [{ key: null, value: Buffer.from('nonsense'), timestampMs: Date.now() }]);
  await append(data, [SHORT, { signal: 7 }]);
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
