// Hostile input: every parser accepts any bytes, divided in any way, without throwing, in bounded memory, and accounts for every byte.
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createParser, DetectingParser } from '../../pipeline/ingest/detect.ts';
import { openFrameFile } from '../../pipeline/ingest/file-reader.ts';
import type { FrameParser, ParserReason } from '../../pipeline/ingest/frame-parser.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { limits } from '../../schemas/limits/index.ts';
import { fuzzCorpus } from '../support/golden-archives.ts';
import { parseInCuts, unaccountedBytes } from '../support/parsers.ts';
import { temporaryFolder } from '../support/service.ts';

const corpus = await fuzzCorpus();

const STREAMS = 10_000;
const SEED = 20_241_107;

/** Reasons for discarded bytes; the other reasons are for well-formed input that is not a frame. */
const rejections: readonly ParserReason[] = [
  ...(['garbage', 'bad_length', 'bad_hex', 'bad_time', 'bad_format', 'line_too_long', 'unknown_type', 'bad_uuid', 'truncated'] as const),
];

const parsers: readonly (readonly [string, (counters: Counters) => FrameParser])[] = [
  ['beast', (counters) => createParser('beast', { counters, onReceiver: () => 1, onUuid: () => undefined })],
  ['avr', (counters) => createParser('avr', { counters })],
  ['csv', (counters) => createParser('csv', { counters })],
  ['detecting, of a connection', (counters) => new DetectingParser({ counters, formats: ['beast', 'avr'], fallback: 'beast' })],
  ['detecting, of a file', (counters) => new DetectingParser({ counters, formats: ['beast', 'avr', 'csv'], fallback: null })],
];

function randomCuts(random: Random, length: number): number[] {
  return Array.from({ length: random.below(12) }, () => random.below(length + 1));
}

/** Invariants of every parser for any bytes. Plain comparisons, because an `expect` for each would take most of the time. */
function check(
  create: (counters: Counters) => FrameParser,
  bytes: Uint8Array,
  cuts: readonly number[],
): { rows: string[]; frames: number; rejected: number } {
  const counters = new Counters();
  const parser = create(counters);
  const { frames, rejected, rows, pendingBytesMax } = parseInCuts(parser, bytes, cuts);
  const { stats } = parser;
  const counted = rejections.reduce((sum, reason) => sum + counters.get(reason), 0);
  const problems: string[] = [];
  if (pendingBytesMax > limits.parserPendingBytesMax) problems.push(`${pendingBytesMax} bytes pending`);
  if (stats.pendingBytes !== 0) problems.push('bytes pending at the end');
  if (stats.bytes !== bytes.length) problems.push(`${stats.bytes} bytes seen`);
  if (unaccountedBytes(parser) !== 0) problems.push(`${unaccountedBytes(parser)} bytes unaccounted`);
  if (stats.garbageBytes > 0 !== counted > 0) problems.push(`${stats.garbageBytes} bytes of garbage, ${counted} rejections counted`);
  for (const reason of new Set(rejected)) {
    const count = rejected.filter((item) => item === reason).length;
    if (counters.get(reason) < count) problems.push(`${count} rows rejected as ${reason}, ${counters.get(reason)} counted`);
  }
  if (stats.frames !== frames.length) problems.push(`${stats.frames} frames counted, ${frames.length} given`);
  if (frames.some((frame) => frame.hex.length !== 14 && frame.hex.length !== 28)) problems.push('a frame of wrong length');
  if (problems.length > 0) throw new Error(`${problems.join('; ')}: ${Buffer.from(bytes).toString('hex')} cut at ${cuts.join(' ')}`);
  return { rows, frames: frames.length, rejected: counted };
}

/** Four kinds, from plain noise to nearly valid: noise, noise of the formats' own bytes, frames with errors, long lines. */
function randomStream(random: Random, kind: number): Uint8Array {
  const length = random.below(600);
  const bytes = new Uint8Array(length);
  const alphabet = Buffer.from('\x1a\x1a\x1a12345PW*@<%:;;,,.\r\n\n 0123456789abcdefABCDEF-\xe3\xe4', 'latin1');
  for (let i = 0; i < length; i += 1) bytes[i] = kind === 0 ? random.below(256) : alphabet[random.below(alphabet.length)]!;
  if (kind === 2) {
    const valid = [
      '\x1a3\0\0\0\0\0\x01\x80\x8d\x4b\x96\x96\x99\x15\x56\0\xe8\x74\x06\xf5\xb6\x9f',
      '*8d4b969699155600e87406f5b69f;\n',
      '1.5,02e195301ad7b8\n',
    ];
    for (let at = 0; at + 40 < length; at += 40) bytes.set(Buffer.from(valid[random.below(3)]!, 'latin1'), at + random.below(8));
  }
  if (kind === 3) bytes.fill(0x30, 0, random.below(length + 1));
  return bytes;
}

test.each(parsers)(`${STREAMS} random streams and the fuzz corpus through %s`, (_, create) => {
  const random = new Random(SEED);
  const sum = { frames: 0, rejected: 0 };
  for (let i = 0; i < STREAMS; i += 1) {
    const bytes = randomStream(random, i % 4);
    const result = check(create, bytes, randomCuts(random, bytes.length));
    if (i % 10 === 0) expect(check(create, bytes, []).rows).toEqual(result.rows);
    sum.frames += result.frames;
    sum.rejected += result.rejected;
  }
  // The streams must produce both outcomes.
  expect(sum.frames).toBeGreaterThan(100);
  expect(sum.rejected).toBeGreaterThan(STREAMS / 2);
  for (const bytes of corpus.values()) {
    const whole = check(create, bytes, []);
    // Every division gives the same result.
    for (const cuts of [randomCuts(random, bytes.length), [...bytes.keys()]]) expect(check(create, bytes, cuts).rows).toEqual(whole.rows);
  }
});

test('the fuzz corpus as files: each is read to its end or refused with a clear error', async () => {
  expect(corpus.size).toBe(246);
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const outcomes = new Set<string>();
  for (const [name, bytes] of corpus) {
    const path = join(folder.path, basename(name));
    writeFileSync(path, bytes);
    outcomes.add(await readToEnd(path));
  }
  outcomes.delete('csv');
  expect([...outcomes].sort()).toEqual(['avr', 'beast', 'input.unknown_format']);
});

async function readToEnd(path: string): Promise<string> {
  try {
    const file = await openFrameFile(path);
    for await (const chunk of file.chunks()) if (chunk.rows.length === 0) return 'empty chunk';
    return file.format;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
