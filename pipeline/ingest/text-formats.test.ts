// AVR and CSV parsers and format detection.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import { copyFrame, parseInCuts, receivedFrames, unaccountedBytes } from '../../test/support/parsers.ts';
import { Counters } from '../runtime/counters.ts';
import { writeBeastFrame } from './beast-writer.ts';
import { createDetectingParser, createParser, detectFormat } from './detect.ts';
import type { FrameFormat } from './frame-parser.ts';

function parse(format: FrameFormat, input: string | Uint8Array, cuts: readonly number[] = []) {
  const counters = new Counters();
  const parser = createParser(format, { counters });
  const parsed = parseInCuts(parser, Buffer.from(input), cuts);
  expect(unaccountedBytes(parser)).toBe(0);
  return { ...parsed, stats: parser.stats, counts: Object.fromEntries(counters.values) };
}

const SHORT = '02e195301ad7b8';
const LONG = '8d4b969699155600e87406f5b69f';

describe('AVR', () => {
  it('reads all kinds of messages', () => {
    const { frames } = parse(
      'avr',
      `*${LONG};\r\n:${SHORT};\n@00000000000a${SHORT};%00000000000b${SHORT};<0000000000ff80${LONG.toUpperCase()};`,
    );
    expect(frames).toMatchObject([
      { hex: LONG, counter: 0, signal: 0 },
      { hex: SHORT },
      { hex: SHORT, counter: 10 },
      { hex: SHORT, counter: 11 },
      { hex: LONG, counter: 255, signal: 0x80 },
    ]);
  });

  it('recognizes the MLAT mark', () => {
    expect(parse('avr', `@FF004D4C4154${SHORT};`).frames).toMatchObject([{ counter: 0, flags: 2 }]);
  });

  it('allows blanks, and finds a message after the rest of another', () => {
    expect(parse('avr', ` * 8d4b9696 99155600e87406 f5b69f ;\n\n`).frames).toMatchObject([{ hex: LONG }]);
    const { frames, counts } = parse('avr', `e87406f5*${SHORT};`);
    expect(frames).toHaveLength(1);
    expect(counts).toEqual({ garbage: 8 });
  });

  it('reports every row without a frame, in order', () => {
    const { rows, counts } = parse('avr', `*1234;\n*${SHORT};\n*123;\n*${SHORT}\n*zz;\nhello\n*${'0'.repeat(400)};\n*${SHORT};\n*8d4b`);
    expect(rows).toEqual(['mode_ac', SHORT, 'bad_length', SHORT, 'bad_hex', 'bad_format', 'line_too_long', SHORT, 'truncated']);
    expect(counts).toEqual({ mode_ac: 1, bad_length: 1, bad_hex: 1, bad_format: 1, line_too_long: 1, truncated: 1 });
  });

  it('reads what was written, in any chunks', () => {
    const texts = fc.constantFrom('\n', '\r\n', '', ' \n');
    fc.assert(
      fc.property(fc.array(fc.tuple(receivedFrames(), texts, fc.boolean()), { maxLength: 20 }), fc.array(fc.nat(1000)), (items, cuts) => {
        const text = items.map(([frame, end, upper]) => {
          const counter = (frame.flags === 2 ? 0xff004d4c4154 : frame.counter).toString(16).padStart(12, '0');
          const line = `<${counter}${Buffer.from([frame.signal]).toString('hex')}${Buffer.from(frame.bytes).toString('hex')};`;
          return (upper ? line.toUpperCase() : line) + end;
        });
        expect(parse('avr', text.join(''), cuts).frames).toEqual(items.map(([frame]) => copyFrame(frame)));
      }),
    );
  });
});

describe('CSV', () => {
  it('reads times exactly, with and without a header', () => {
    const rows = `1753827785.808609,${LONG}\n1457996400,${SHORT}\r\n0.1, ${SHORT.toUpperCase()}\n1.9999999,${SHORT},more\n.5,${SHORT}`;
    const timesUs = [1753827785808609, 1457996400000000, 100000, 1999999, 500000];
    expect(parse('csv', rows).frames.map((frame) => frame.timeUs)).toEqual(timesUs);
    expect(parse('csv', `t,hex\n${rows}`).frames.map((frame) => frame.timeUs)).toEqual(timesUs);
    expect(parse('csv', `\ufefft,hex\n${rows}`).frames.map((frame) => frame.timeUs)).toEqual(timesUs);
    expect(parse('csv', `\ufeff${rows}`).frames.map((frame) => frame.timeUs)).toEqual(timesUs);
  });

  it('reports every row without a frame, in order', () => {
    const { rows, counts } = parse(
      'csv',
      `t,hex\n1,${SHORT}\n-1,${SHORT}\n1e3,${SHORT}\n2,12\n3,xyz\n\nfoo\n${'1'.repeat(300)}\n99999999999,${SHORT}\n4,${SHORT}`,
    );
    expect(rows).toEqual([SHORT, 'bad_time', 'bad_time', 'bad_length', 'bad_hex', 'bad_format', 'line_too_long', 'bad_time', SHORT]);
    expect(counts).toEqual({ bad_time: 3, bad_length: 1, bad_hex: 1, bad_format: 1, line_too_long: 1 });
  });

  it('reads what was written, in any chunks', () => {
    const rows = fc.array(fc.tuple(receivedFrames(), fc.nat(2_000_000_000), fc.nat(999_999)), { maxLength: 20 });
    fc.assert(
      fc.property(rows, fc.boolean(), fc.array(fc.nat(1000)), (items, header, cuts) => {
        const lines = items.map(([frame, s, us]) => `${s}.${String(us).padStart(6, '0')},${Buffer.from(frame.bytes).toString('hex')}\n`);
        const { frames } = parse('csv', (header ? 't,hex\n' : '') + lines.join(''), cuts);
        expect(frames.map((frame) => [frame.timeUs, frame.hex])).toEqual(
          items.map(([frame, s, us]) => [s * 1_000_000 + us, Buffer.from(frame.bytes).toString('hex')]),
        );
      }),
    );
  });
});

describe('long lines', () => {
  it('are skipped with bounded memory, in any chunks', () => {
    const text = `*${'ab'.repeat(5000)};\n*${SHORT};\n`;
    for (const cuts of [[], Array.from({ length: 10_000 }, (_, i) => i * 3)]) {
      const { rows, pendingBytesMax } = parse('avr', text, cuts);
      expect(rows).toEqual(['line_too_long', SHORT]);
      expect(pendingBytesMax).toBeLessThanOrEqual(limits.lineBytesMax);
    }
  });
});

describe('detection', () => {
  const beast = new Uint8Array(44);
  const bytes = beast.subarray(0, writeBeastFrame(beast, 0, { ...createReceivedFrame(new Uint8Array(14)), counter: 1, signal: 9 }));

  it.each<[string, string | Uint8Array, FrameFormat | null]>([
    ['Beast', bytes, 'beast'],
    ['Beast joined in the middle', Buffer.concat([Buffer.from('4d1a1a332a00', 'hex'), bytes]), 'beast'],
    ['AVR', `*${SHORT};`, 'avr'],
    ['AVR joined in the middle', `4b96;\n*${SHORT};`, 'avr'],
    ['AVR with counters', `@00000000000a${SHORT};`, 'avr'],
    ['CSV with a header', 't,hex\n', 'csv'],
    ['CSV with another header', `time,frame\n1,${SHORT}\n`, 'csv'],
    ['CSV without a header', `1457996400.000000,${LONG}\n1457`, 'csv'],
    ['one CSV line without an end', `1457996400.000000,${LONG}`, 'csv'],
    ['a web request', 'GET / HTTP/1.1\r\nHost: example.org\r\n\r\n', null],
    ['JSON', '{"now":1.5,"aircraft":[]}', null],
    ['nothing', '', null],
  ])('%s', (_, input, format) => {
    const head = Buffer.from(input);
    expect(detectFormat(head, head.length, true)).toBe(format);
  });

  it('treats CSV from a connection as garbage', () => {
    const counters = new Counters();
    const parser = createDetectingParser({ counters, formats: ['beast', 'avr'], fallback: 'beast' });
    const text = `1457996400.000000,${LONG}\n`.repeat(100);
    expect(parseInCuts(parser, Buffer.from(text)).frames).toEqual([]);
    expect(counters.get('garbage')).toBe(text.length);
  });
});
