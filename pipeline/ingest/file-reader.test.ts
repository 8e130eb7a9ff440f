// Frame files: the same rows and times in every format and compression, and clear errors.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { testIds } from '../../test/support/secret.ts';
import { BeastWriter } from './beast-writer.ts';
import { AVR_STEP_US, FILE_RECEIVER, type FrameFileOptions, openFrameFile, takeReceivers } from './file-reader.ts';
import { ReceiverTable } from './receivers.ts';

const ROWS = 50_000;
const START_US = 1_700_000_000_000_000;
let folder = '';

/** Row i contains its number; rows are 100 µs apart. */
function rowBytes(row: number): Buffer {
  const bytes = Buffer.alloc(row % 2 === 0 ? 14 : 7, 0x1a);
  bytes.writeUInt32BE(row, 1);
  return bytes;
}

interface Row {
  readonly row: number;
  readonly timeUs: number;
  readonly hex: string;
}

async function readAll(path: string, options: FrameFileOptions = {}) {
  const file = await openFrameFile(path, options);
  const rows: Row[] = [];
  const rejected: [number, string][] = [];
  let bytesRead = 0;
  for await (const chunk of file.chunks()) {
    for (const { row, reason, timeUs, bytes, at, byteLength } of chunk.rows) {
      if (reason !== null) rejected.push([row, reason]);
      else rows.push({ row, timeUs, hex: Buffer.from(bytes.subarray(at, at + byteLength)).toString('hex') });
    }
    expect(chunk.bytesRead).toBeGreaterThanOrEqual(bytesRead);
    bytesRead = chunk.bytesRead;
  }
  return { file, rows, rejected, bytesRead };
}

const expected: Row[] = Array.from({ length: ROWS }, (_, row) => ({
  row,
  timeUs: START_US + row * 100,
  hex: rowBytes(row).toString('hex'),
}));

const rowOf = (write: (row: number, timeUs: string, hex: string) => string): Buffer =>
  Buffer.from(expected.map(({ row, timeUs, hex }) => write(row, String(timeUs), hex)).join(''));

const formats: readonly [string, () => Buffer][] = [
  ['CSV', () => Buffer.concat([Buffer.from('t,hex\n'), rowOf((_, timeUs, hex) => `${timeUs.slice(0, -6)}.${timeUs.slice(-6)},${hex}\n`)])],
  ['AVR with counters', () => rowOf((row, _, hex) => `@${(row * 1200 + 7).toString(16).padStart(12, '0')}${hex};\n`)],
  [
    'Beast',
    () => {
      const writer = new BeastWriter(1 << 30);
      for (let row = 0; row < ROWS; row += 1) {
        const bytes = rowBytes(row);
        writer.add({ ...createReceivedFrame(bytes, 0, bytes.length as 7 | 14), counter: row * 1200 + 5, signal: 1 });
      }
      return Buffer.from(writer.takeBytes());
    },
  ],
];
const csvFile = formats[0]![1];

/** The bytes in every form that a file may have; xz only where there is a tool that makes it. */
function* storedForms(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  yield gzipSync(bytes);
  const { stdout } = spawnSync('xz', ['-c'], { input: bytes, maxBuffer: 1 << 28 });
  if (stdout?.length > 0) yield stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-frames-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('frame files', () => {
  it('name the receiver of each frame if they contain it', async () => {
    const writer = new BeastWriter();
    const frame: ReceivedFrame = { ...createReceivedFrame(rowBytes(0)), counter: 1, signal: 1 };
    for (const id of ['', '0123456789abcdef', 'fedcba9876543210', '0123456789abcdef']) {
      if (id !== '') writer.addReceiver(id);
      writer.add(frame);
    }
    const path = join(folder, 'several.beast');
    writeFileSync(path, writer.takeBytes());
    const file = await openFrameFile(path);
    const received: (string | undefined)[] = [];
    for await (const chunk of file.chunks()) received.push(...chunk.frames.map(({ receiverId }) => receiverId));
    expect(received).toEqual([FILE_RECEIVER, '01234567-89ab-cdef', 'fedcba98-7654-3210', '01234567-89ab-cdef']);
    const table = new ReceiverTable();
    const numbers = takeReceivers(table, 'replay', testIds);
    expect(received.map((id) => table.id(numbers.numberOf(id!)))).toEqual([
      'replay',
      ...received.slice(1).map((id) => testIds.passedOn('replay', id!)),
    ]);
    numbers.release();
    expect(table.size).toBe(1);
  });

  it.each(formats)('%s gives every row with its number and time, plain and compressed', async (_, make) => {
    const path = join(folder, 'frames.dat');
    for (const stored of storedForms(make())) {
      writeFileSync(path, stored);
      const { rows, rejected, bytesRead, file } = await readAll(path, { startUs: START_US });
      expect(rows).toEqual(expected);
      expect(rejected).toEqual([]);
      expect([bytesRead, file.bytesTotal]).toEqual([stored.length, stored.length]);
    }
  });

  it('reads standard input; advances the time for AVR without counters, and keeps it for Beast without counters', async () => {
    const csv = await readAll('-', { stdin: Readable.from([Buffer.from('1.5,02e195301ad7b8\n2'), Buffer.from('.5,02e195301ad7b8')]) });
    expect([csv.file.bytesTotal, ...csv.rows.map((row) => row.timeUs)]).toEqual([0, 1_500_000, 2_500_000]);
    const avr = await readAll('-', { stdin: Readable.from([Buffer.from('*02e195301ad7b8;\n'.repeat(3))]), startUs: START_US });
    expect(avr.rows.map((row) => row.timeUs - START_US)).toEqual([0, AVR_STEP_US, 2 * AVR_STEP_US]);
    const beast = Buffer.from('1a32000000000c008002e19530aad7b81a32ff004d4c41548002e19530aad7b81a320000000000008002e19530aad7b8', 'hex');
    const { rows } = await readAll('-', { stdin: Readable.from([beast]) });
    expect(rows.map((row) => row.timeUs)).toEqual([256, 256, 256]);
  });

  it('takes the times of a readsb dump and ignores counters and a given start', async () => {
    const time = (ms: number): Buffer => {
      const record = Buffer.from('1ae80000000000000000', 'hex');
      record.writeBigInt64LE(BigInt(ms), 2);
      return record;
    };
    const frame = (counter: string): Buffer => Buffer.from(`1a32${counter}8002e19530aad7b8`, 'hex');
    const dump = [time(1_699_999_980_058), frame('000000000c00'), frame('000000ffff00'), time(1_699_999_981_500), frame('000000000c00')];
    for (const stdin of [Readable.from([Buffer.concat(dump)]), Readable.from([...Buffer.concat(dump)].map((byte) => Buffer.of(byte)))]) {
      const { rows, rejected } = await readAll('-', { stdin, startUs: START_US });
      expect(rows.map((row) => row.timeUs)).toEqual([1_699_999_980_058_000, 1_699_999_980_058_000, 1_699_999_981_500_000]);
      expect(rejected).toEqual([]);
    }
  });

  it('stops when its signal is aborted', async () => {
    const path = join(folder, 'stop.csv');
    writeFileSync(path, csvFile());
    const controller = new AbortController();
    const file = await openFrameFile(path, { signal: controller.signal });
    let chunks = 0;
    for await (const _ of file.chunks()) {
      chunks += 1;
      controller.abort();
    }
    expect(chunks).toBe(1);
  });

  it('reports what is wrong with a file', async () => {
    await expect(openFrameFile(join(folder, 'absent'))).rejects.toMatchObject({ code: 'input.unreadable' });
    await expect(openFrameFile(folder)).rejects.toMatchObject({ code: 'input.unreadable' });
    const text = join(folder, 'text');
    writeFileSync(text, '{"now":1.5,"aircraft":[]}\n'.repeat(100));
    await expect(openFrameFile(text)).rejects.toMatchObject({ code: 'input.unknown_format' });
    writeFileSync(text, '');
    await expect(openFrameFile(text)).rejects.toMatchObject({ code: 'input.empty' });
    const whole = gzipSync(csvFile());
    writeFileSync(text, whole.subarray(0, whole.length / 2));
    await expect(readAll(text)).rejects.toMatchObject({ code: 'input.unreadable', message: expect.stringContaining('truncated') });
    writeFileSync(text, Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), Buffer.alloc(100, 7)]));
    await expect(readAll(text)).rejects.toMatchObject({ code: 'input.unreadable' });
  });
});
