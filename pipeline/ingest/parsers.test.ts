// Frame parsers of all formats: every byte becomes a frame or is counted, in any chunks; and how a format is detected.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { beastUuidMessage } from '../../test/support/feeder.ts';
import { copyFrame, parseInCuts, receivedFrames, unaccountedBytes } from '../../test/support/parsers.ts';
import { Counters } from '../runtime/counters.ts';
import type { BeastParserOptions } from './beast.ts';
import { BeastWriter, writeBeastFrame, writeBeastReceiver } from './beast-writer.ts';
import { createParser, DetectingParser, detectFormat } from './detect.ts';
import type { FrameFormat } from './frame-parser.ts';

function parse(format: FrameFormat, input: string | Uint8Array, cuts: readonly number[] = [], options: Partial<BeastParserOptions> = {}) {
  const counters = new Counters();
  const parser = createParser(format, { counters, ...options });
  const parsed = parseInCuts(parser, Buffer.from(input), cuts);
  expect(unaccountedBytes(parser)).toBe(0);
  return { ...parsed, counts: Object.fromEntries(counters.values) };
}

const SHORT = '02e195301ad7b8';
const LONG = '8d4b969699155600e87406f5b69f';
const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const FRAME = bytesOf('1a32 000000000002 80 02e195301a1ad7b8');
/** 14 November 2023, 22:13. Its first two bytes look like escapes and are none. */
const EVENT_TIME = bytesOf('1ae8 1a1ae5cf8b010000');

/** Format, input, and its rows in order: a frame, or the reason why there is none. */
const contents: readonly [string, FrameFormat, string | Uint8Array, readonly string[], Readonly<Record<string, number>>][] = [
  [
    'Mode A/C, status and commands have no frame',
    'beast',
    bytesOf('1a31 000000000000 00 0000  1a34 0102030405060708 1a50 010203 1a57 4f 1a35 000102030405060708090a0b0c0d0e0f1011121314'),
    [],
    { mode_ac: 1, status: 2, command: 2 },
  ],
  ['a connection skips event times', 'beast', Buffer.concat([EVENT_TIME, FRAME]), [SHORT], { event_time: 1 }],
  ['an impossible time is noise', 'beast', Buffer.concat([bytesOf('1ae8'), FRAME]), [SHORT], { bad_time: 1 }],
  [
    'a message that is cut off',
    'beast',
    Buffer.concat([bytesOf('1a33 000000000001 80 8d4b96'), FRAME]),
    ['bad_length', SHORT],
    { bad_length: 1 },
  ],
  ['an escaped 0x1a before a digit is no start', 'beast', Buffer.concat([bytesOf('4d 1a1a 33 00'), FRAME]), [SHORT], { garbage: 5 }],
  ['the end of the input', 'beast', bytesOf('1a33 000000000001 80 8d4b96'), ['truncated'], { truncated: 1 }],
  ['a wrong UUID', 'beast', Buffer.concat([bytesOf('1ae4'), Buffer.from('not-a-uuid'), FRAME]), [SHORT], { bad_uuid: 1, garbage: 10 }],
  [
    'every row without a frame',
    'avr',
    `*1234;\n*${SHORT};\n*123;\n*${SHORT}\n*zz;\nhello\n*${'0'.repeat(400)};\n*${SHORT};\n*8d4b`,
    ['mode_ac', SHORT, 'bad_length', SHORT, 'bad_hex', 'bad_format', 'line_too_long', SHORT, 'truncated'],
    { mode_ac: 1, bad_length: 1, bad_hex: 1, bad_format: 1, line_too_long: 1, truncated: 1 },
  ],
  ['blanks', 'avr', ` * 8d4b9696 99155600e87406 f5b69f ;\n\n`, [LONG], {}],
  ['the rest of another message', 'avr', `e87406f5*${SHORT};`, [SHORT], { garbage: 8 }],
  [
    'every row without a frame',
    'csv',
    `t,hex\n1,${SHORT}\n-1,${SHORT}\n1e3,${SHORT}\n2,12\n3,xyz\n\nfoo\n${'1'.repeat(300)}\n99999999999,${SHORT}\n4,${SHORT}`,
    [SHORT, 'bad_time', 'bad_time', 'bad_length', 'bad_hex', 'bad_format', 'line_too_long', 'bad_time', SHORT],
    { bad_time: 3, bad_length: 1, bad_hex: 1, bad_format: 1, line_too_long: 1 },
  ],
];

describe('parsers', () => {
  it.each(contents)('%s, in %s', (_, format, input, rows, counts) => {
    for (const cuts of [[], Array.from(Buffer.from(input).keys())]) expect(parse(format, input, cuts)).toMatchObject({ rows, counts });
  });

  it('read counters, signal levels and the MLAT mark', () => {
    // From the Beast format description of firestuff/adsb-tools: counter and signal hold escaped 0x1a bytes.
    const beast = bytesOf(`1a32 083e27b6cb6a 1a1a 00a1841a1ac3b31d  1a33 0000000000ff 80 ${LONG}  1a32 ff004d4c4154 00 02e195301a1ad7b8`);
    expect(parse('beast', beast).frames).toEqual([
      { timeUs: 1, counter: 9063047285610, signal: 0x1a, flags: 0, receiver: 0, hex: '00a1841ac3b31d' },
      { timeUs: 1, counter: 255, signal: 0x80, flags: 0, receiver: 0, hex: LONG },
      { timeUs: 1, counter: 0, signal: 0, flags: 2, receiver: 0, hex: SHORT },
    ]);
    const counted = `@00000000000a${SHORT};%00000000000b${SHORT};<0000000000ff80${LONG.toUpperCase()};@FF004D4C4154${SHORT};`;
    expect(parse('avr', `*${LONG};\r\n:${SHORT};\n${counted}`).frames).toMatchObject([
      { hex: LONG, counter: 0, signal: 0 },
      { hex: SHORT },
      { hex: SHORT, counter: 10 },
      { hex: SHORT, counter: 11 },
      { hex: LONG, counter: 255, signal: 0x80 },
      { hex: SHORT, counter: 0, flags: 2 },
    ]);
  });

  it('report event times, the UUID of the feeder and the receivers of its frames', () => {
    const uuid = '2AD03EC3-BB62-4396-a1a1-0123456789ab';
    const id = new Uint8Array(18);
    const receiver = id.subarray(0, writeBeastReceiver(id, 0, '1a2b3c4d5e6f1a1a'));
    const bytes = Buffer.concat([beastUuidMessage(uuid), bytesOf('1a574f'), EVENT_TIME, FRAME, receiver, FRAME, EVENT_TIME, FRAME]);
    for (const cuts of [[], Array.from(bytes.keys())]) {
      const heard: unknown[] = [];
      const { frames } = parse('beast', bytes, cuts, {
        onUuid: (text) => heard.push(text),
        onTime: (timeUs) => heard.push(timeUs),
        onReceiver: (high, low) => {
          heard.push(high.toString(16) + low.toString(16));
          return 7;
        },
      });
      const timeUs = 0x18b_cfe5_1a1a * 1000;
      expect(heard).toEqual([uuid.toLowerCase(), timeUs, '1a2b3c4d5e6f1a1a', timeUs]);
      expect(frames.map((item) => item.receiver)).toEqual([0, 7, 7]);
    }
  });

  it('read exact times of CSV, with and without a header', () => {
    const rows = `1753827785.808609,${LONG}\n1457996400,${SHORT}\r\n0.1, ${SHORT.toUpperCase()}\n1.9999999,${SHORT},more\n.5,${SHORT}`;
    for (const head of ['', 't,hex\n', '\ufefft,hex\n', '\ufeff'])
      expect(parse('csv', head + rows).frames.map((frame) => frame.timeUs)).toEqual([
        ...[1753827785808609, 1457996400000000, 100000, 1999999, 500000],
      ]);
  });

  it('read what was written, in any chunks', () => {
    const hex = (frame: ReceivedFrame): string => Buffer.from(frame.bytes).toString('hex');
    const items = fc.array(fc.tuple(receivedFrames(), fc.nat(2_000_000_000), fc.nat(999_999), fc.constantFrom('\n', '\r\n')), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(items, fc.boolean(), fc.array(fc.nat(1000)), (items, upper, cuts) => {
        const frames = items.map(([frame]) => copyFrame(frame));
        const avr = items.map(([frame, , , end]) => {
          const counter = (frame.flags === 2 ? 0xff004d4c4154 : frame.counter).toString(16).padStart(12, '0');
          const line = `<${counter}${Buffer.from([frame.signal]).toString('hex')}${hex(frame)};`;
          return (upper ? line.toUpperCase() : line) + end;
        });
        expect(parse('avr', avr.join(''), cuts).frames).toEqual(frames);
        const csv = items.map(([frame, s, us, end]) => `${s}.${String(us).padStart(6, '0')},${hex(frame)}${end}`);
        expect(parse('csv', (upper ? 't,hex\n' : '') + csv.join(''), cuts).frames.map((frame) => [frame.timeUs, frame.hex])).toEqual(
          items.map(([frame, s, us]) => [s * 1_000_000 + us, hex(frame)]),
        );
        const writer = new BeastWriter(80);
        const pieces = items.flatMap(([frame], i) => {
          // A receiver id that fills a piece does not end it: its frame follows in the same piece.
          if (i % 3 === 2) writer.addReceiver('0123456789abcdef');
          return writer.add(frame) ? [writer.takeBytes()] : [];
        });
        expect(parse('beast', Buffer.concat([...pieces, writer.takeBytes()]), cuts).frames).toEqual(frames);
      }),
    );
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
    const parser = new DetectingParser({ counters, formats: ['beast', 'avr'], fallback: 'beast' });
    const text = `1457996400.000000,${LONG}\n`.repeat(100);
    expect(parseInCuts(parser, Buffer.from(text)).frames).toEqual([]);
    expect(counters.get('garbage')).toBe(text.length);
  });
});
