// Beast parser and writer.
import { describe, expect, it } from 'vitest';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { parseInCuts, unaccountedBytes } from '../../test/support/parsers.ts';
import { Counters } from '../runtime/counters.ts';
import { createBeastParser } from './beast.ts';
import { BeastWriter, beastUuidMessage, writeBeastReceiver } from './beast-writer.ts';

function parse(bytes: Uint8Array, cuts: readonly number[] = []) {
  const counters = new Counters();
  const parser = createBeastParser({ counters });
  const parsed = parseInCuts(parser, bytes, cuts);
  expect(unaccountedBytes(parser)).toBe(0);
  return { ...parsed, parser, counts: Object.fromEntries(counters.values) };
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

describe('Beast', () => {
  it('reads the counter, the signal and the frame of a short and a long message', () => {
    // From the Beast format description of firestuff/adsb-tools: counter and signal hold escaped 0x1a bytes.
    const { frames } = parse(bytesOf('1a32 083e27b6cb6a 1a1a 00a1841a1ac3b31d  1a33 0000000000ff 80 8d4b969699155600e87406f5b69f'));
    expect(frames).toEqual([
      { timeUs: 1, counter: 9063047285610, signal: 0x1a, flags: 0, receiver: 0, hex: '00a1841ac3b31d' },
      { timeUs: 1, counter: 255, signal: 0x80, flags: 0, receiver: 0, hex: '8d4b969699155600e87406f5b69f' },
    ]);
  });

  it('distinguishes the MLAT mark from a counter', () => {
    const { frames } = parse(bytesOf('1a32 ff004d4c4154 00 02e195301ad7b8'.replace('301ad7', '301a1ad7')));
    expect(frames).toMatchObject([{ counter: 0, flags: 2, hex: '02e195301ad7b8' }]);
  });

  it('counts Mode A/C, status and commands without frames', () => {
    const { frames, counts, parser } = parse(
      bytesOf('1a31 000000000000 00 0000  1a34 0102030405060708 1a50 010203 1a57 4f 1a35 000102030405060708090a0b0c0d0e0f1011121314'),
    );
    expect(frames).toEqual([]);
    expect(counts).toEqual({ mode_ac: 1, status: 2, command: 2 });
    expect(parser.stats.garbageBytes).toBe(0);
  });

  it('reads event times, unescaped and in order; a connection skips and counts them', () => {
    // 14 November 2023, 22:13; its first two bytes are escapes.
    const time = Buffer.alloc(8);
    time.writeBigInt64LE(0x18b_cfe5_1a1an);
    const frame = bytesOf('1a32 000000000002 80 02e19530aad7b8');
    const bytes = Buffer.concat([bytesOf('1ae8'), time, frame, bytesOf('1ae8'), time, frame]);
    for (const cuts of [[], Array.from(bytes.keys())]) {
      const times: number[] = [];
      const parser = createBeastParser({ counters: new Counters(), onTime: (timeUs) => times.push(timeUs) });
      expect(parseInCuts(parser, bytes, cuts).frames).toHaveLength(2);
      expect(times).toEqual([0x18b_cfe5_1a1a * 1000, 0x18b_cfe5_1a1a * 1000]);
      expect([parser.stats.garbageBytes, unaccountedBytes(parser)]).toEqual([0, 0]);
      const { frames, counts } = parse(bytes, cuts);
      expect([frames.length, counts]).toEqual([2, { event_time: 2 }]);
    }
  });

  it('treats an impossible time as noise', () => {
    const { frames, counts } = parse(bytesOf('1ae8 1a32 000000000002 80 02e19530aad7b8'));
    expect([frames.length, counts]).toEqual([1, { bad_time: 1 }]);
  });

  it('finds the next message when one is cut off', () => {
    const { frames, rejected, counts } = parse(bytesOf('1a33 000000000001 80 8d4b96  1a32 000000000002 80 02e195301a1ad7b8'));
    expect(frames).toMatchObject([{ counter: 2 }]);
    expect(rejected).toEqual(['bad_length']);
    expect(counts).toEqual({ bad_length: 1 });
  });

  it('starts in the middle of a stream: an escaped 0x1a before a digit is not a start', () => {
    const { frames, counts } = parse(bytesOf('4d 1a1a 33 00  1a32 000000000002 80 02e19530aad7b8'));
    expect(frames).toHaveLength(1);
    expect(counts).toEqual({ garbage: 5 });
  });

  it('rejects a message that the end of the input cuts off', () => {
    const { rejected, counts } = parse(bytesOf('1a33 000000000001 80 8d4b96'));
    expect(rejected).toEqual(['truncated']);
    expect(counts).toEqual({ truncated: 1 });
  });

  it('reports the UUID of the feeder and the receivers of its frames', () => {
    const uuid = '2AD03EC3-BB62-4396-a1a1-0123456789ab';
    const frame = bytesOf('1a32 000000000002 80 02e19530aad7b8');
    const id = new Uint8Array(18);
    const length = writeBeastReceiver(id, 0, '1a2b3c4d5e6f1a1a');
    const heard: string[] = [];
    const bytes = Buffer.concat([beastUuidMessage(uuid), bytesOf('1a574f'), frame, id.subarray(0, length), frame, frame]);
    for (const cuts of [[], Array.from(bytes.keys())]) {
      heard.length = 0;
      const parser = createBeastParser({
        counters: new Counters(),
        onUuid: (text) => heard.push(text),
        onReceiver: (high, low) => {
          heard.push(high.toString(16) + low.toString(16));
          return 7;
        },
      });
      const { frames } = parseInCuts(parser, bytes, cuts);
      expect(heard).toEqual([uuid.toLowerCase(), '1a2b3c4d5e6f1a1a']);
      expect(frames.map((item) => item.receiver)).toEqual([0, 7, 7]);
      expect(unaccountedBytes(parser)).toBe(0);
    }
  });

  it('rejects an invalid UUID', () => {
    const { counts } = parse(Buffer.concat([bytesOf('1ae4'), Buffer.from('not-a-uuid'), bytesOf('1a32 000000000002 80 02e19530aad7b8')]));
    expect(counts).toMatchObject({ bad_uuid: 1 });
  });

  it('writes pieces that make one stream', () => {
    const writer = new BeastWriter(80);
    const pieces: Uint8Array[] = [];
    const frame: ReceivedFrame = { ...createReceivedFrame(new Uint8Array(14).fill(0x1a)), signal: 1 };
    for (let i = 0; i < 500; i += 1) {
      frame.counter = i;
      // A receiver id that fills a piece does not end it: its frame must follow in the same piece.
      if (i % 3 === 2) writer.addReceiver('0123456789abcdef');
      if (writer.add(frame)) pieces.push(writer.take());
    }
    pieces.push(writer.take());
    expect(parse(Buffer.concat(pieces)).frames.map((item) => item.counter)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });
});
